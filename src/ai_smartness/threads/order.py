"""The order in which the messages of a thread were said.

What one session said stays in the order it was captured, even if its clock was
set back. What comes from several sessions, or from several threads that were
merged, is interleaved by time.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from ai_smartness.model.event import Event
from ai_smartness.model.journal import JournalEntry

__all__ = ["in_said_order", "origins"]


def in_said_order(events: Sequence[Event], origins: Mapping[int, str] | None = None) -> list[Event]:
    """Return events, given in the order of `seq`, in the order they were said.

    `origins` names for the messages that came from other threads which one it was.
    """
    latest: dict[tuple[str | None, str | None], datetime] = {}
    keyed: list[tuple[datetime, int, Event]] = []
    for event in events:
        source = (event.session, (origins or {}).get(event.seq))
        at = latest[source] = max(event.at, latest.get(source, event.at))
        keyed.append((at, event.seq, event))
    keyed.sort(key=lambda each: each[:2])
    return [event for _, _, event in keyed]


def origins(thread_id: str, entries: Iterable[JournalEntry]) -> dict[int, str]:
    """Name for each message that a change in force put on a thread where it came from."""
    return {
        seq: move.source
        for entry in entries
        if entry.undone_by is None and entry.undoes is None
        for move in entry.change.moves
        if move.target == thread_id
        for seq in move.seqs
    }
