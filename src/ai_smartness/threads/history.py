"""A thread as it was at an earlier moment.

Starts from the present thread and walks back through the journal: what later changes added
is removed, what they removed is put back, and later messages are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import Change
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.decay import decayed_thread
from ai_smartness.threads.message_order import in_conversation_order
from ai_smartness.threads.redescribe import Redescriber

__all__ = ["PastThread", "full_thread_id", "past_thread"]


@dataclass(frozen=True, slots=True)
class PastThread:
    """A thread, its messages and its bridges at one moment."""

    thread: Thread
    events: tuple[Event, ...]
    bridges: tuple[Bridge, ...]


def past_thread(
    store: ThreadStore, thread_id: str, at: datetime, half_life_days: float
) -> PastThread:
    """Return a thread as it was at a moment; refuse one that did not exist yet."""
    id_ = full_thread_id(store, thread_id)
    past = _ThreadRewind(store, id_)
    for entry in store.journal.entries_touching(id_):
        if entry.at > at:
            past.rewind_change(entry.change)
    stored = sorted(store.events.by_seq(past.seqs).values(), key=lambda event: event.seq)
    events = [event for event in stored if event.type is not EventType.COMPACTION]
    earlier = [event for event in events if event.at <= at]
    thread = past.thread
    if thread is not None and thread.merged_into:
        msg = (
            f"{id_} was merged into {thread.merged_into} by then. Name that one, or a time "
            "before the merge."
        )
        raise NotFoundError(msg)
    if thread is None or not earlier:
        msg = f"there was no thread {id_} at {at:%Y-%m-%d %H:%M:%S} UTC. Name a later time."
        raise NotFoundError(msg)
    if len(earlier) < len(events):
        thread = _younger_thread(store, thread, earlier)
    return PastThread(
        decayed_thread(thread, at, half_life_days),
        tuple(in_conversation_order(earlier)),
        tuple(past.bridges.values()),
    )


def full_thread_id(store: ThreadStore, thread_id: str) -> str:
    """Return the full id; a thread that an undo removed is known only to the journal."""
    try:
        return store.threads.get(thread_id).id
    except NotFoundError:
        if store.journal.entries_touching(thread_id):
            return thread_id
        raise


class _ThreadRewind:
    """A thread, its message numbers and its bridges, while changes are being reversed."""

    def __init__(self, store: ThreadStore, thread_id: str) -> None:
        self._id = thread_id
        self.thread = store.threads.get(thread_id) if store.threads.has(thread_id) else None
        self.seqs = {event.seq for event in store.events.of_thread(thread_id)}
        self.bridges = {bridge.id: bridge for bridge in store.bridges.of(thread_id)}

    def rewind_change(self, change: Change) -> None:
        """Restore the state before a change."""
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


def _younger_thread(store: ThreadStore, thread: Thread, events: Sequence[Event]) -> Thread:
    """Return a thread described by its first messages alone."""
    described = Redescriber(store, thread.project).redescribed_with_files(thread, events)
    return replace(described, last_active=max(event.at for event in events))
