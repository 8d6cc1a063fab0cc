"""A thread as it was at a moment.

From what it is now back through the journal: what changes put on it is taken
off, what they took is put back, and what was said later is left out.
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
from ai_smartness.threads.decay import decayed
from ai_smartness.threads.order import in_said_order, origins
from ai_smartness.threads.outline import Outliner

__all__ = ["Then", "as_it_was", "said_on", "whole_id"]


@dataclass(frozen=True, slots=True)
class Then:
    """A thread, its messages and its bridges at one moment."""

    thread: Thread
    events: tuple[Event, ...]
    bridges: tuple[Bridge, ...]


def said_on(store: ThreadStore, thread_id: str) -> list[Event]:
    """Return a thread's messages in the order they were said, also those of merged threads."""
    events = store.events.of_thread(thread_id)
    return in_said_order(events, origins(thread_id, store.journal.touching(thread_id)))


def as_it_was(store: ThreadStore, thread_id: str, at: datetime, half_life_days: float) -> Then:
    """Return a thread as it was at a moment; refuse one that was not there yet."""
    id_ = whole_id(store, thread_id)
    past = _Past(store, id_)
    for entry in store.journal.touching(id_):
        if entry.at > at:
            past.take_back(entry.change)
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
        thread = _younger(store, thread, said)
    return Then(
        decayed(thread, at, half_life_days),
        tuple(in_said_order(said)),
        tuple(past.bridges.values()),
    )


class _Past:
    """A thread on its way back."""

    def __init__(self, store: ThreadStore, thread_id: str) -> None:
        self._id = thread_id
        there = store.threads.has(thread_id)
        self.thread = store.threads.get(thread_id) if there else None
        self.seqs = {event.seq for event in store.events.of_thread(thread_id)}
        self.bridges = {bridge.id: bridge for bridge in store.bridges.of(thread_id)}

    def take_back(self, change: Change) -> None:
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
            if self._id in bridge.ends:
                self._put_back(bridge.id, bridge.before)

    def _put_back(self, id_: str, before: Bridge | None) -> None:
        self.bridges.pop(id_, None)
        if before is not None and not before.unwanted:
            self.bridges[id_] = before


def _younger(store: ThreadStore, thread: Thread, said: Sequence[Event]) -> Thread:
    """Return a thread as it is described by its first messages alone."""
    outliner = Outliner(store, thread.project)
    described = outliner.outlined(thread, in_said_order(said))
    last = max(event.at for event in said)
    return replace(outliner.with_files_of(described, said), last_active=last)


def whole_id(store: ThreadStore, thread_id: str) -> str:
    """Return the whole id; a thread that an undo took away is known by the journal alone."""
    try:
        return store.threads.get(thread_id).id
    except NotFoundError:
        if store.journal.touching(thread_id):
            return thread_id
        raise
