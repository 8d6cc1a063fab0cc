"""A thread as a page shows it: its messages with their reasons, its bridges, and its past."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ai_smartness.model.annotation import Annotation
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.event import Event, event_origin, event_tier
from ai_smartness.model.journal import Outcome
from ai_smartness.model.split import SplitPart, SplitProposal
from ai_smartness.model.thread import Thread
from ai_smartness.views.placement import placement_reasons

__all__ = [
    "BridgeView",
    "MessageView",
    "PreviewedThread",
    "bridge_views",
    "even_moments",
    "message_views",
    "previewed_threads",
    "proposed_places",
    "sampled_moments",
    "split_parts",
]

MAX_MOMENTS = 200  # places of a slider: more cannot be told apart
GONE_TITLE = "a thread that is gone"


@dataclass(frozen=True, slots=True)
class MessageView:
    """A message, where it came from, and why it is on its thread."""

    event: Event
    origin: str
    tier: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BridgeView:
    """A bridge seen from one of its threads: the other one, and the direction."""

    bridge: Bridge
    other: str
    title: str
    is_outgoing: bool


@dataclass(frozen=True, slots=True)
class PreviewedThread:
    """A thread as a change would leave it, with the messages that it would gain or lose."""

    thread: Thread
    is_new: bool
    gained: int
    lost: int


def message_views(
    events: Iterable[Event], notes: Iterable[Annotation], moved_by: Mapping[int, str]
) -> list[MessageView]:
    """Return messages for a page."""
    by_seq = {note.seq: note for note in notes}
    return [
        MessageView(
            event,
            event_origin(event),
            event_tier(event),
            tuple(placement_reasons(moved_by.get(event.seq), by_seq.get(event.seq))),
        )
        for event in events
    ]


def bridge_views(
    thread_id: str, bridges: Iterable[Bridge], titles: Mapping[str, str]
) -> list[BridgeView]:
    """Return the bridges of a thread for a page."""
    views = []
    for bridge in bridges:
        is_outgoing = bridge.source == thread_id
        other = bridge.target if is_outgoing else bridge.source
        views.append(BridgeView(bridge, other, titles.get(other, GONE_TITLE), is_outgoing))
    return views


def previewed_threads(outcome: Outcome) -> list[PreviewedThread]:
    """Return the threads that a change concerns, as it would leave them."""
    known = {edit.id for edit in outcome.change.threads if edit.before is not None}
    moves = outcome.change.moves
    new = {edit.id for edit in outcome.change.threads} - known
    return [
        PreviewedThread(
            thread,
            thread.id in new,
            sum(len(move.seqs) for move in moves if move.target == thread.id),
            sum(len(move.seqs) for move in moves if move.source == thread.id),
        )
        for thread in outcome.threads
    ]


def proposed_places(proposal: SplitProposal) -> dict[str, int]:
    """Return the part of each message that would leave the thread, counted from 1."""
    return {
        message: number
        for number, part in enumerate(proposal.parts, 1)
        for message in part.messages
    }


def split_parts(titles: Mapping[int, str], places: Iterable[tuple[int, str]]) -> list[SplitPart]:
    """Return the parts that a person chose: titles and messages by the number of the part."""
    messages: dict[int, list[str]] = {}
    for number, message in places:
        messages.setdefault(number, []).append(message)
    return [
        SplitPart(titles.get(number, ""), tuple(messages[number])) for number in sorted(messages)
    ]


def even_moments(first: datetime, last: datetime, most: int = MAX_MOMENTS) -> list[datetime]:
    """Return moments at equal distances from the first to the last, both among them."""
    step = (last - first) / (most - 1)
    return [first + step * place for place in range(most - 1)] + [last]


def sampled_moments(moments: Sequence[datetime], most: int = MAX_MOMENTS) -> list[datetime]:
    """Return the moments of a thread, or evenly chosen ones of many; the last one is kept."""
    if len(moments) <= most:
        return list(moments)
    last = len(moments) - 1
    return [moments[place * last // (most - 1)] for place in range(most)]
