"""Say a long thread in few words, without a language model.

Goal, constraints that the user stated, decisions, open tasks, files with what
changed, commands and how they ended, errors and what was done about them, names and
numbers, and the last exchange word for word. What the user stated goes in before all
else and is the last to go; of the rest what is worth most for its length is kept first.
"""

from collections.abc import Mapping, Sequence

from ai_smartness.compact.condensers.chosen import STATED, Choice
from ai_smartness.compact.condensers.condenser import Context
from ai_smartness.compact.condensers.exchange import last_exchange
from ai_smartness.compact.condensers.material import Item, Material, Sort, gathered
from ai_smartness.compact.sizes import EVENT_TOKENS, fitting, view_tokens
from ai_smartness.model.condensed import Replacement
from ai_smartness.model.event import Event, EventType, by_agent
from ai_smartness.model.saying import one_line, shortened

__all__ = ["EXCHANGE_SHARE", "Digest", "digested", "heading"]

LINES = frozenset({Sort.CONSTRAINT, Sort.DECISION, Sort.GOAL, Sort.OPEN, Sort.ERROR})
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

HEADING_TOKENS = 4

HEADING_SHARE = 0.1
"""Of the target for the words that say what this is; with less they are fewer."""

ROUNDS = 4
"""In which what is left over is used: what things take together is only known once written."""


class Digest:
    """Our own way, and the default."""

    id = "digest"
    version = "2"
    parameters: Mapping[str, object] = {"last_exchange": True}
    """`last_exchange` is kept word for word, as far as there is room."""

    def condense(self, events: Sequence[Event], context: Context) -> list[Replacement]:
        """Return a note, and the last exchange."""
        material, room = gathered(events, context), context.target - EVENT_TOKENS
        head = heading(events, int(context.target * HEADING_SHARE), context)
        share = 0
        if context.parameters.get("last_exchange", True):
            stated = digested(material, room, context, head, sorts=STATED)
            share = min(int(context.target * EXCHANGE_SHARE), room - context.tokens(stated))
        kept = last_exchange(events, share, context.tokens)
        said = "\n".join(each.text for each in kept)
        text = digested(material, room - view_tokens(kept), context, head, said)
        if share:
            kept = last_exchange(events, room - context.tokens(text), context.tokens)
        note = Replacement(type=EventType.NOTE, role="note", text=text, at=events[0].at)
        return [note, *kept] if text else kept


def digested(
    material: Material,
    room: int,
    context: Context,
    head: str,
    said: str = "",
    sorts: frozenset[Sort] = frozenset(Sort),
) -> str:
    """Write what is worth most into so many tokens; what was `said` anyway is left out.

    What the user stated comes first, then the goal, then all the rest.
    """
    if context.tokens(head) > room:
        return fitting(head, max(0, room), context.tokens)
    choice = Choice(material, context.tokens, said)
    first = _stated_room(room) - context.tokens(head)
    if not choice.take(first, STATED):
        choice.take_part(first, STATED)
    left = room - context.tokens(_written(head, choice.chosen))
    start = "\n".join(filter(None, (head, _goal(material.events, room, left, context))))
    choice.say(start)
    for _ in range(ROUNDS):
        left = room - context.tokens(_written(start, choice.chosen))
        if not choice.take(left, sorts):
            break
    return _fitted(start, choice.chosen, room, context)


def heading(
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


def _goal(events: Sequence[Event], room: int, left: int, context: Context) -> str:
    asked = next((e.text for e in events if not by_agent(e) and e.text.strip()), "")
    room = min(left - HEADING_TOKENS, max(GOAL_TOKENS, int(room * GOAL_SHARE)))
    if not asked or room < GOAL_TOKENS:
        return ""
    goal = shortened(one_line(asked[: 2 * GOAL_CHARACTERS]), GOAL_CHARACTERS)
    return f"Goal: {fitting(goal, room, context.tokens)}"


def _fitted(start: str, chosen: list[Item], room: int, context: Context) -> str:
    """Write what was chosen, without the last of it if that is too much after all."""
    text = _written(start, chosen)
    while chosen and context.tokens(text) > room:
        chosen.pop()
        text = _written(start, chosen)
    return text


def _written(start: str, chosen: Sequence[Item]) -> str:
    parts = [start] if start else []
    for sort in Sort:
        items = sorted((item for item in chosen if item.sort is sort), key=lambda item: item.last)
        if not items:
            continue
        names = [item.written() if sort is not Sort.NUMBER else item.note for item in items]
        if sort in LINES:
            parts += [f"{sort}:", *(f"- {name}" for name in names)]
        else:
            parts.append(f"{sort}: {_joiner(sort).join(names)}")
    return "\n".join(parts)


def _joiner(sort: Sort) -> str:
    return " ; " if sort is Sort.COMMAND else ", "
