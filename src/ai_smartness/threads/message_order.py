"""The order in which the messages of a thread were said.

The messages of one session stay in the order they were captured, even if its clock was
set back. Several sessions, or several merged threads, are interleaved by time.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from ai_smartness.model.event import Event
from ai_smartness.model.journal import JournalEntry
from ai_smartness.ports import ThreadStore

__all__ = ["in_conversation_order", "message_origins", "ordered_messages"]


def ordered_messages(store: ThreadStore, thread_id: str) -> list[Event]:
    """Return a thread's messages in conversation order, including those of merged threads."""
    origins = message_origins(thread_id, store.journal.entries_touching(thread_id))
    return in_conversation_order(store.events.of_thread(thread_id), origins)


def in_conversation_order(
    events: Sequence[Event], origins: Mapping[int, str] | None = None
) -> list[Event]:
    """Sort events, given in the order of `seq`, into conversation order.

    `origins` names the original thread of each message that came from another one.
    """
    latest: dict[tuple[str | None, str | None], datetime] = {}
    keyed: list[tuple[datetime, int, Event]] = []
    for event in events:
        source = (event.session, (origins or {}).get(event.seq))
        at = latest[source] = max(event.at, latest.get(source, event.at))
        keyed.append((at, event.seq, event))
    keyed.sort(key=lambda item: item[:2])
    return [event for _, _, event in keyed]


def message_origins(thread_id: str, entries: Iterable[JournalEntry]) -> dict[int, str]:
    """Name the original thread of each message that a change in force moved to this thread."""
    return {
        seq: move.source
        for entry in entries
        if entry.undone_by is None and entry.undoes is None
        for move in entry.change.moves
        if move.target == thread_id
        for seq in move.seqs
    }
