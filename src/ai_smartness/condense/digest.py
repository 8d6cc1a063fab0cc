"""Condense a thread into a digest, without a language model.

The digest has the goal, constraints and decisions of the user, open tasks, changed files,
commands and how they ended, errors and their fixes, names and numbers, and the last
exchange word for word. The user's statements go in first. Everything else competes by its
worth for its length.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ai_smartness.condense.condenser import Context
from ai_smartness.condense.digest_items import (
    DigestItem,
    DigestMaterial,
    ItemKind,
    gathered_material,
)
from ai_smartness.condense.tool_calls import EVENT_TOKENS, event_tokens, view_tokens
from ai_smartness.condense.trim import unchanged_replacement
from ai_smartness.model.condensation import Replacement
from ai_smartness.model.event import Event, EventType, is_by_agent
from ai_smartness.text.display import one_line, shortened_text
from ai_smartness.text.stretches import telling_word_count
from ai_smartness.text.token_count import truncated_middle

__all__ = [
    "EXCHANGE_SHARE",
    "GOAL_START",
    "Digest",
    "digest_heading",
    "digest_text",
    "goal_event",
    "is_named_in",
    "is_small_talk",
    "last_exchange",
]

LINE_KINDS = frozenset(
    {ItemKind.CONSTRAINT, ItemKind.DECISION, ItemKind.GOAL, ItemKind.OPEN, ItemKind.ERROR}
)
"""Kinds that are sentences, each on a line of its own."""

STATED_KINDS = frozenset({ItemKind.CONSTRAINT, ItemKind.DECISION, ItemKind.GOAL})
"""The user's statements, which nothing else can tell."""

EXCHANGE_SHARE = 0.15  # share of the target for the last exchange, from which an agent must go on
STATED_SHARE = 0.6
"""Most of the room for many statements; further ones compete with everything else."""

STATED_TOKENS = 160  # room for statements alone: losing a rule is worse than losing a name
GOAL_START = "Goal: "  # of the line with the goal
GOAL_SHARE = 0.1
GOAL_TOKENS = 16
GOAL_CHARACTERS = 400
GOAL_HEADING_TOKENS = 4
GOAL_WORDS = 2  # words of a subject that a request has: a single one may be a pleasantry
HEADING_SHARE = 0.1  # share of the target for the full heading; below it a shorter one is used
FILL_ROUNDS = 4
"""Rounds in which left-over room is filled: the size of all items is only known once written."""

KIND_WORTH = {
    ItemKind.CONSTRAINT: 8.0,
    ItemKind.DECISION: 6.0,
    ItemKind.GOAL: 6.0,
    ItemKind.OPEN: 5.0,
    ItemKind.FILE: 2.0,
    ItemKind.COMMAND: 5.0,
    ItemKind.ERROR: 16.0,
    ItemKind.NAME: 1.0,
    ItemKind.NUMBER: 1.0,
    ItemKind.URL: 4.0,
}
"""The worth of one item: a rule, an error or a command outweighs a function's name."""

OUTPUT_SHARE = 0.3
"""Share of the worth of a name or number that only a tool printed: there are many of them."""

KIND_HEADING_TOKENS = 10  # tokens of the longest heading of a kind, with its line
MIN_PART_TOKENS = 24  # the least room for part of a sentence
LENGTH_EXPONENT = 0.6
"""How much length counts against an item: at 1, short items displace every error and address."""

MIN_MESSAGE_TOKENS = 12  # the least part of a message that is worth keeping

_PLEASANTRY = re.compile(
    r"\b(?:good )?(?:morning|afternoon|evening|morgen|abend)\b|\b(?:moin|servus|alles klar"
    r"|wie geht'?s|(?:did you |hast du )?(?:sleep|slept|geschlafen)(?: well| gut)?"
    r"|weekend|wochenende|let'?s (?:go|start|get (?:going|started)))\b",
    re.IGNORECASE,
)
_SPOKEN_TYPES = frozenset({EventType.USER_MESSAGE, EventType.AGENT_MESSAGE})


class Digest:
    """The default condenser."""

    id = "digest"
    version = "2"
    parameters: Mapping[str, object] = {"last_exchange": True}
    """`last_exchange` is kept word for word, as far as there is room."""

    def condense(self, events: Sequence[Event], context: Context) -> list[Replacement]:
        """Return a note and the last exchange."""
        material, room = gathered_material(events, context), context.target - EVENT_TOKENS
        head = digest_heading(events, int(context.target * HEADING_SHARE), context)
        share = 0
        if context.parameters.get("last_exchange", True):
            stated = digest_text(material, room, context, head, kinds=STATED_KINDS)
            share = min(int(context.target * EXCHANGE_SHARE), room - context.tokens(stated))
        exchange = last_exchange(events, share, context.tokens)
        known_text = "\n".join(message.text for message in exchange)
        text = digest_text(material, room - view_tokens(exchange), context, head, known_text)
        if share:
            exchange = last_exchange(events, room - context.tokens(text), context.tokens)
        note = Replacement(type=EventType.NOTE, role="note", text=text, at=events[0].at)
        return [note, *exchange] if text else exchange


def digest_text(
    material: DigestMaterial,
    room: int,
    context: Context,
    head: str,
    known_text: str = "",
    kinds: frozenset[ItemKind] = frozenset(ItemKind),
) -> str:
    """Write the most valuable items into this many tokens, without those in `known_text`.

    The user's statements come first, then the goal, then all the rest.
    """
    if context.tokens(head) > room:
        return truncated_middle(head, max(0, room), context.tokens)
    selection = _ItemSelection(material, context.tokens, known_text)
    stated_room = max(int(room * STATED_SHARE), min(room, STATED_TOKENS)) - context.tokens(head)
    if not selection.take_items(stated_room, STATED_KINDS):
        selection.take_part(stated_room, STATED_KINDS)
    left = room - context.tokens(_written_items(head, selection.items))
    start = "\n".join(filter(None, (head, _goal_line(material.events, room, left, context))))
    selection.add_known_text(start)
    for _ in range(FILL_ROUNDS):
        left = room - context.tokens(_written_items(start, selection.items))
        if not selection.take_items(left, kinds):
            break
    text = _written_items(start, selection.items)
    while selection.items and context.tokens(text) > room:
        selection.items.pop()
        text = _written_items(start, selection.items)
    return text


def digest_heading(
    events: Sequence[Event], room: int | None = None, context: Context | None = None
) -> str:
    """Say which messages a digest covers, in fewer words if there is little room."""
    first, last = events[0].at, events[-1].at
    days = (
        f"{first:%Y-%m-%d}" if first.date() == last.date() else f"{first:%Y-%m-%d} – {last:%m-%d}"
    )
    head = f"[Digest of {len(events):,} messages, {days}; in full with `ais threads show --full`.]"
    if room is None or context is None or context.tokens(head) <= room:
        return head
    return f"[Digest of {len(events):,} messages.]"


def last_exchange(
    events: Sequence[Event], room: int, tokens: Callable[[str], int]
) -> list[Replacement]:
    """Return the last messages of the user and of the agent, in order.

    If they take more tokens than there is room, the longer is cut first, in its middle.
    """
    spoken = [event for event in events if event.type in _SPOKEN_TYPES and event.text.strip()]
    last = {event.type: place for place, event in enumerate(spoken)}
    pair = [spoken[place] for place in sorted(last.values())]
    messages: dict[EventType, Replacement] = {}
    for left, event in zip(range(len(pair), 0, -1), sorted(pair, key=event_tokens), strict=True):
        text = truncated_middle(event.text, room // left - EVENT_TOKENS, tokens)
        if text and tokens(text) >= min(MIN_MESSAGE_TOKENS, tokens(event.text)):
            messages[event.type] = replace(unchanged_replacement(event), text=text)
            room -= event_tokens(messages[event.type])
    return [messages[event.type] for event in pair if event.type in messages]


def is_named_in(name: str, text: str) -> bool:
    """Say whether a text contains a name, and not only a longer one that includes it."""
    start = text.find(name) if name else -1
    while start >= 0:
        end = start + len(name)
        begins = not (name[0].isalnum() and text[start - 1 : start].isalnum())
        if begins and not (name[-1].isalnum() and text[end : end + 1].isalnum()):
            return True
        start = text.find(name, start + 1)
    return False


def goal_event(events: Sequence[Event]) -> Event | None:
    """Return the user's first message that asks for something.

    A greeting before it is small talk. If no message has words of a subject, it is the first.
    """
    prompts = [event for event in events if not is_by_agent(event) and event.text.strip()]
    for words in (GOAL_WORDS, 1):
        for event in prompts:
            if _subject_word_count(event.text) >= words:
                return event
    return prompts[0] if prompts else None


def is_small_talk(text: str) -> bool:
    """Say whether a message names no subject: a greeting, thanks, or "go on"."""
    return not _subject_word_count(text)


def _subject_word_count(text: str) -> int:
    return telling_word_count(_PLEASANTRY.sub("", text[: 2 * GOAL_CHARACTERS]))


def _goal_line(events: Sequence[Event], room: int, left: int, context: Context) -> str:
    goal_message = goal_event(events)
    prompt = goal_message.text if goal_message else ""
    room = min(left - GOAL_HEADING_TOKENS, max(GOAL_TOKENS, int(room * GOAL_SHARE)))
    if not prompt or room < GOAL_TOKENS:
        return ""
    goal = shortened_text(one_line(prompt[: 2 * GOAL_CHARACTERS]), GOAL_CHARACTERS)
    return f"{GOAL_START}{truncated_middle(goal, room, context.tokens)}"


def _written_items(start: str, selected: Sequence[DigestItem]) -> str:
    parts = [start] if start else []
    for kind in ItemKind:
        items = sorted((item for item in selected if item.kind is kind), key=lambda item: item.last)
        names = [item.note if kind is ItemKind.NUMBER else item.as_text() for item in items]
        if not names:
            continue
        if kind in LINE_KINDS:
            parts += [f"{kind}:", *(f"- {name}" for name in names)]
        else:
            separator = " ; " if kind is ItemKind.COMMAND else ", "
            parts.append(f"{kind}: {separator.join(names)}")
    return "\n".join(parts)


class _ItemSelection:
    """The items selected so far, the most valuable first; none that is in the known text."""

    def __init__(
        self, material: DigestMaterial, tokens: Callable[[str], int], known_text: str
    ) -> None:
        self.items: list[DigestItem] = []
        self._tokens = tokens
        self._known_text = known_text
        self._kinds: set[ItemKind] = set()
        places = max(1, len(material.events))
        costs = [(item, tokens(item.as_text()) + 1) for item in material.items.values()]
        self._left = sorted(
            costs,
            key=lambda pair: (
                -_item_worth(pair[0], places) / pair[1] ** LENGTH_EXPONENT,
                -pair[0].last,
                pair[0].name,
            ),
        )

    def add_known_text(self, text: str) -> None:
        self._known_text += f"\n{text}"

    def take_items(self, room: int, kinds: frozenset[ItemKind]) -> bool:
        """Take items of these kinds while there is room; say whether any was taken."""
        has_taken, left = False, []
        for item, cost in self._left:
            head = 0 if item.kind in self._kinds else KIND_HEADING_TOKENS
            if item.kind not in kinds or cost + head > room:
                left.append((item, cost))
            elif item.note or not is_named_in(item.name, self._known_text):
                room -= cost + head
                self._add(item)
                has_taken = True
        self._left = left
        return has_taken

    def take_part(self, room: int, kinds: frozenset[ItemKind]) -> None:
        """Take as much of the best item of these kinds as there is room for."""
        best = next((pair for pair in self._left if pair[0].kind in kinds), None)
        if best is None or room < MIN_PART_TOKENS:
            return
        self._left.remove(best)
        words = truncated_middle(best[0].name, room - KIND_HEADING_TOKENS, self._tokens)
        self._add(replace(best[0], name=words, note=""))

    def _add(self, item: DigestItem) -> None:
        if item.kind is ItemKind.FILE:
            # The full path makes its bare file name superfluous.
            self.items = [other for other in self.items if not _is_shorter_name(other, item)]
        self.items.append(item)
        self._kinds.add(item.kind)
        self.add_known_text(item.as_text())


def _is_shorter_name(one: DigestItem, other: DigestItem) -> bool:
    return one.kind is other.kind and not one.note and other.name.endswith(f"/{one.name}")


def _item_worth(item: DigestItem, places: int) -> float:
    recency = 0.5 + 0.5 * (item.last + 1) / places
    speaker = 1.5 if item.by_user else 1.0
    if item.in_output and item.kind in (ItemKind.NAME, ItemKind.NUMBER):
        speaker = OUTPUT_SHARE
    return KIND_WORTH[item.kind] * recency * speaker * (1 + math.log2(item.count))
