"""A thread as it was at a moment.

From what it is now back through the journal: what changes put on it is taken
off, what they took is put back, and what was said later is left out.

The order in which the messages of a thread were said.

What one session said stays in the order it was captured, even if its clock was
set back. What comes from several sessions, or from several threads that were
merged, is interleaved by time.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import Change, JournalEntry
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.decay import decayed_thread
from ai_smartness.threads.redescribe import Redescriber

__all__ = [
    "PastThread",
    "full_thread_id",
    "in_conversation_order",
    "message_origins",
    "ordered_messages",
    "past_thread",
]


@dataclass(frozen=True, slots=True)
class PastThread:
    """A thread, its messages and its bridges at one moment."""

    thread: Thread
    events: tuple[Event, ...]
    bridges: tuple[Bridge, ...]


def ordered_messages(store: ThreadStore, thread_id: str) -> list[Event]:
    """Return a thread's messages in the order they were said, also those of merged threads."""
    events = store.events.of_thread(thread_id)
    return in_conversation_order(
        events,
        message_origins(thread_id, store.journal.entries_touching(thread_id)),
    )


def past_thread(
    store: ThreadStore,
    thread_id: str,
    at: datetime,
    half_life_days: float,
) -> PastThread:
    """Return a thread as it was at a moment; refuse one that was not there yet."""
    id_ = full_thread_id(store, thread_id)
    past = _ThreadRewind(store, id_)
    for entry in store.journal.entries_touching(id_):
        if entry.at > at:
            past.rewind_change(entry.change)
    there = store.events.by_seq(past.seqs).values()
    events = sorted(
        (event for event in there if event.type is not EventType.COMPACTION),
        key=lambda event: event.seq,
    )
    said = [event for event in events if event.at <= at]
    if past.thread is not None and past.thread.merged_into:
        msg = (
            f"{id_} was merged into {past.thread.merged_into} by then. Name that one, or a time "
            "before the merge."
        )
        raise NotFoundError(msg)
    if past.thread is None or not said:
        msg = f"there was no thread {id_} at {at:%Y-%m-%d %H:%M:%S} UTC. Name a later time."
        raise NotFoundError(msg)
    thread = past.thread
    if len(said) < len(events):
        thread = _younger_thread(store, thread, said)
    return PastThread(
        decayed_thread(thread, at, half_life_days),
        tuple(in_conversation_order(said)),
        tuple(past.bridges.values()),
    )


class _ThreadRewind:
    """A thread on its way back."""

    def __init__(self, store: ThreadStore, thread_id: str) -> None:
        self._id = thread_id
        there = store.threads.has(thread_id)
        self.thread = store.threads.get(thread_id) if there else None
        self.seqs = {event.seq for event in store.events.of_thread(thread_id)}
        self.bridges = {bridge.id: bridge for bridge in store.bridges.of(thread_id)}

    def rewind_change(self, change: Change) -> None:
        """Go back behind a change."""
        for edit in change.threads:
            if edit.id == self._id:
                self.thread = edit.before
        for move in change.moves:
            if move.target == self._id:
                self.seqs.difference_update(move.seqs)
            if move.source == self._id:
                self.seqs.update(move.seqs)
        for bridge in change.bridges:
            if self._id in bridge.thread_ids:
                self._restore_bridge(bridge.id, bridge.before)

    def _restore_bridge(self, id_: str, before: Bridge | None) -> None:
        self.bridges.pop(id_, None)
        if before is not None and not before.unwanted:
            self.bridges[id_] = before


def _younger_thread(store: ThreadStore, thread: Thread, said: Sequence[Event]) -> Thread:
    """Return a thread as it is described by its first messages alone."""
    outliner = Redescriber(store, thread.project)
    described = outliner.redescribed_thread(thread, in_conversation_order(said))
    last = max(event.at for event in said)
    return replace(outliner.with_files_of(described, said), last_active=last)


def full_thread_id(store: ThreadStore, thread_id: str) -> str:
    """Return the whole id; a thread that an undo took away is known by the journal alone."""
    try:
        return store.threads.get(thread_id).id
    except NotFoundError:
        if store.journal.entries_touching(thread_id):
            return thread_id
        raise


def in_conversation_order(
    events: Sequence[Event],
    origins: Mapping[int, str] | None = None,
) -> list[Event]:
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


def message_origins(thread_id: str, entries: Iterable[JournalEntry]) -> dict[int, str]:
    """Name for each message that a change in force put on a thread where it came from."""
    return {
        seq: move.source
        for entry in entries
        if entry.undone_by is None and entry.undoes is None
        for move in entry.change.moves
        if move.target == thread_id
        for seq in move.seqs
    }
