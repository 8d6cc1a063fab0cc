"""Say a long thread in few words, without a language model.

Goal, constraints that the user stated, decisions, open tasks, files with what
changed, commands and how they ended, errors and what was done about them, names and
numbers, and the last exchange word for word. What the user stated goes in before all
else and is the last to go; of the rest what is worth most for its length is kept first.

Choose of what a thread holds as much as there is room for, what is worth most first.

The last exchange of a thread, word for word: what was asked last, and what was answered.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ai_smartness.condense.condenser import Context
from ai_smartness.condense.digest_items import (
    DigestItem,
    DigestMaterial,
    ItemKind,
    gathered_material,
)
from ai_smartness.condense.event_tokens import (
    EVENT_TOKENS,
    event_tokens,
    truncated_middle,
    view_tokens,
)
from ai_smartness.condense.trim import unchanged_replacement
from ai_smartness.model.condensation import Replacement
from ai_smartness.model.event import Event, EventType, is_by_agent
from ai_smartness.text.display import one_line, shortened_text

__all__ = [
    "EXCHANGE_SHARE",
    "STATED_KINDS",
    "Digest",
    "ItemSelection",
    "digest_heading",
    "digest_text",
    "is_named_in",
    "last_exchange",
]


LINE_KINDS = frozenset(
    {ItemKind.CONSTRAINT, ItemKind.DECISION, ItemKind.GOAL, ItemKind.OPEN, ItemKind.ERROR}
)
"""Sorts that are sentences, each on a line of its own."""

EXCHANGE_SHARE = 0.15
"""Of the target for the last exchange: what an agent must go on from."""

STATED_SHARE = 0.6
"""Of the room for what the user stated, where that is much; the rest of it competes with all."""

STATED_TOKENS = 160
"""That much of the room is for it alone: a rule that is lost is worse than a lost name."""

GOAL_SHARE = 0.1
GOAL_TOKENS = 16
GOAL_CHARACTERS = 400

GOAL_HEADING_TOKENS = 4

HEADING_SHARE = 0.1
"""Of the target for the words that say what this is; with less they are fewer."""

FILL_ROUNDS = 4
"""In which what is left over is used: what things take together is only known once written."""


class Digest:
    """Our own way, and the default."""

    id = "digest"
    version = "2"
    parameters: Mapping[str, object] = {"last_exchange": True}
    """`last_exchange` is kept word for word, as far as there is room."""

    def condense(self, events: Sequence[Event], context: Context) -> list[Replacement]:
        """Return a note, and the last exchange."""
        material, room = gathered_material(events, context), context.target - EVENT_TOKENS
        head = digest_heading(events, int(context.target * HEADING_SHARE), context)
        share = 0
        if context.parameters.get("last_exchange", True):
            stated = digest_text(material, room, context, head, kinds=STATED_KINDS)
            share = min(int(context.target * EXCHANGE_SHARE), room - context.tokens(stated))
        kept = last_exchange(events, share, context.tokens)
        said = "\n".join(each.text for each in kept)
        text = digest_text(material, room - view_tokens(kept), context, head, said)
        if share:
            kept = last_exchange(events, room - context.tokens(text), context.tokens)
        note = Replacement(type=EventType.NOTE, role="note", text=text, at=events[0].at)
        return [note, *kept] if text else kept


def digest_text(
    material: DigestMaterial,
    room: int,
    context: Context,
    head: str,
    known_text: str = "",
    kinds: frozenset[ItemKind] = frozenset(ItemKind),
) -> str:
    """Write what is worth most into so many tokens; what was `said` anyway is left out.

    What the user stated comes first, then the goal, then all the rest.
    """
    if context.tokens(head) > room:
        return truncated_middle(head, max(0, room), context.tokens)
    choice = ItemSelection(material, context.tokens, known_text)
    first = _stated_room(room) - context.tokens(head)
    if not choice.take_items(first, STATED_KINDS):
        choice.take_part(first, STATED_KINDS)
    left = room - context.tokens(_written_items(head, choice.chosen))
    start = "\n".join(filter(None, (head, _goal_line(material.events, room, left, context))))
    choice.add_known_text(start)
    for _ in range(FILL_ROUNDS):
        left = room - context.tokens(_written_items(start, choice.chosen))
        if not choice.take_items(left, kinds):
            break
    return _fitted_digest(start, choice.chosen, room, context)


def digest_heading(
    events: Sequence[Event], room: int | None = None, context: Context | None = None
) -> str:
    """Say what follows stands for; where there is little room, in a word."""
    first, last = events[0].at, events[-1].at
    days = (
        f"{first:%Y-%m-%d}" if first.date() == last.date() else f"{first:%Y-%m-%d} – {last:%m-%d}"
    )
    head = f"[Digest of {len(events):,} messages, {days}; in full with `ais threads show --full`.]"
    if room is None or context is None or context.tokens(head) <= room:
        return head
    return f"[Digest of {len(events):,} messages.]"


def _stated_room(room: int) -> int:
    return max(int(room * STATED_SHARE), min(room, STATED_TOKENS))


def _goal_line(events: Sequence[Event], room: int, left: int, context: Context) -> str:
    asked = next((e.text for e in events if not is_by_agent(e) and e.text.strip()), "")
    room = min(left - GOAL_HEADING_TOKENS, max(GOAL_TOKENS, int(room * GOAL_SHARE)))
    if not asked or room < GOAL_TOKENS:
        return ""
    goal = shortened_text(one_line(asked[: 2 * GOAL_CHARACTERS]), GOAL_CHARACTERS)
    return f"Goal: {truncated_middle(goal, room, context.tokens)}"


def _fitted_digest(start: str, chosen: list[DigestItem], room: int, context: Context) -> str:
    """Write what was chosen, without the last of it if that is too much after all."""
    text = _written_items(start, chosen)
    while chosen and context.tokens(text) > room:
        chosen.pop()
        text = _written_items(start, chosen)
    return text


def _written_items(start: str, chosen: Sequence[DigestItem]) -> str:
    parts = [start] if start else []
    for sort in ItemKind:
        items = sorted((item for item in chosen if item.kind is sort), key=lambda item: item.last)
        if not items:
            continue
        names = [item.as_text() if sort is not ItemKind.NUMBER else item.note for item in items]
        if sort in LINE_KINDS:
            parts += [f"{sort}:", *(f"- {name}" for name in names)]
        else:
            parts.append(f"{sort}: {_name_separator(sort).join(names)}")
    return "\n".join(parts)


def _name_separator(sort: ItemKind) -> str:
    return " ; " if sort is ItemKind.COMMAND else ", "


STATED_KINDS = frozenset({ItemKind.CONSTRAINT, ItemKind.DECISION, ItemKind.GOAL})
"""What the user stated, and nobody can work out again."""

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
"""What one thing of each sort is worth: a rule, an error, a command outweigh a function's name."""

OUTPUT_SHARE = 0.3
"""Of the worth of a name or number that only a tool printed: those are many, and of little use."""

KIND_HEADING_TOKENS = 10
"""Of the longest heading of a sort, with its line."""

MIN_PART_TOKENS = 24
"""For a part of a sentence: less says nothing."""

LENGTH_EXPONENT = 0.6
"""How much length counts against a thing: at 1 the short drive out every error and address."""


class ItemSelection:
    """What was chosen so far, the best first; what is `said` anyway is not chosen."""

    def __init__(
        self, material: DigestMaterial, tokens: Callable[[str], int], said: str = ""
    ) -> None:
        self.chosen: list[DigestItem] = []
        self._tokens = tokens
        self._known_text = said
        self._kinds: set[ItemKind] = set()
        places = max(1, len(material.events))
        costs = [(item, tokens(item.as_text()) + 1) for item in material.items.values()]
        self._left = sorted(
            costs,
            key=lambda each: (
                -_item_worth(each[0], places) / each[1] ** LENGTH_EXPONENT,
                -each[0].last,
                each[0].name,
            ),
        )

    def add_known_text(self, text: str) -> None:
        """Take note of what is said beside."""
        self._known_text += f"\n{text}"

    def take_items(self, room: int, sorts: frozenset[ItemKind] = frozenset(ItemKind)) -> bool:
        """Choose things of these sorts until the room is used up; tell whether any was."""
        took, left = False, []
        for item, cost in self._left:
            head = 0 if item.kind in self._kinds else KIND_HEADING_TOKENS
            if item.kind not in sorts or cost + head > room:
                left.append((item, cost))
            elif item.note or not is_named_in(item.name, self._known_text):
                room -= cost + head
                self._add(item)
                took = True
        self._left = left
        return took

    def take_part(self, room: int, sorts: frozenset[ItemKind]) -> None:
        """Choose the best of these sorts though there is room for some of its words only."""
        best = next((each for each in self._left if each[0].kind in sorts), None)
        if best is None or room < MIN_PART_TOKENS:
            return
        self._left.remove(best)
        words = truncated_middle(best[0].name, room - KIND_HEADING_TOKENS, self._tokens)
        self._add(replace(best[0], name=words, note=""))

    def _add(self, item: DigestItem) -> None:
        if item.kind is ItemKind.FILE:
            # Named in full now: the same by its last part alone says nothing more.
            self.chosen = [each for each in self.chosen if not _is_shorter_name(each, item)]
        self.chosen.append(item)
        self._kinds.add(item.kind)
        self.add_known_text(item.as_text())


def is_named_in(name: str, text: str) -> bool:
    """Tell whether something is named in a text, and not only a longer name that holds it."""
    start = text.find(name) if name else -1
    while start >= 0:
        end = start + len(name)
        begins = not (name[0].isalnum() and text[start - 1 : start].isalnum())
        if begins and not (name[-1].isalnum() and text[end : end + 1].isalnum()):
            return True
        start = text.find(name, start + 1)
    return False


def _is_shorter_name(one: DigestItem, other: DigestItem) -> bool:
    return one.kind is other.kind and not one.note and other.name.endswith(f"/{one.name}")


def _item_worth(item: DigestItem, places: int) -> float:
    lately = 0.5 + 0.5 * (item.last + 1) / places
    whose = 1.5 if item.by_user else 1.0
    if item.in_output and item.kind in (ItemKind.NAME, ItemKind.NUMBER):
        whose = OUTPUT_SHARE
    return KIND_WORTH[item.kind] * lately * whose * (1 + math.log2(item.count))


_SPOKEN_TYPES = frozenset({EventType.USER_MESSAGE, EventType.AGENT_MESSAGE})

MIN_MESSAGE_TOKENS = 12
"""Of a message: less says nothing."""


def last_exchange(
    events: Sequence[Event], room: int, tokens: Callable[[str], int]
) -> list[Replacement]:
    """Return the last message of the user's and the last of the agent's, in order.

    Within so many tokens: what is longer is cut at its middle, the longer of the two first.
    """
    spoken = [event for event in events if event.type in _SPOKEN_TYPES and event.text.strip()]
    last = {event.type: place for place, event in enumerate(spoken)}
    pair = [spoken[place] for place in sorted(last.values())]
    kept: dict[EventType, Replacement] = {}
    for left, event in zip(range(len(pair), 0, -1), sorted(pair, key=event_tokens), strict=True):
        text = truncated_middle(event.text, room // left - EVENT_TOKENS, tokens)
        if text and tokens(text) >= min(MIN_MESSAGE_TOKENS, tokens(event.text)):
            kept[event.type] = replace(unchanged_replacement(event), text=text)
            room -= event_tokens(kept[event.type])
    return [kept[event.type] for event in pair if event.type in kept]
