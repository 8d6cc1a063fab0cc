"""Put messages on their threads, one after the other, within one transaction."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from ai_smartness.capture.annotate import CaptureContext, make_note
from ai_smartness.capture.assign.assigner import ThreadAssigner
from ai_smartness.capture.index import index_events
from ai_smartness.capture.validate import MessageDraft
from ai_smartness.model.annotation import Annotation, RecordedPlacement
from ai_smartness.model.event import Event
from ai_smartness.model.thread import Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.ids import new_thread_id

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CaptureBatch", "grown_thread", "shrunk_thread"]


class CaptureBatch:
    """One unit's worth of messages on their way to their threads."""

    def __init__(
        self,
        store: ThreadStore,
        desk: ThreadAssigner,
        present: CaptureContext | None,
    ) -> None:
        self._store = store
        self._assigner = desk
        self._context = present
        self._threads: dict[str, Thread] = {}
        self._notes: list[Annotation] = []
        self.events: list[Event] = []

    def store_draft(self, draft: MessageDraft, vector: "NDArray[np.float32] | None") -> None:
        """Store one message on the thread where it belongs."""
        said = draft.event
        message = self._assigner.incoming_message(said, vector, draft.thread)
        choice = self._assigner.choose_thread(message)
        home = (
            self._open_thread(draft) if choice.thread is None else self._load_thread(choice.thread)
        )
        if choice.takes_held:
            home = self._move_held_messages(said.session, home)
        (event,) = self._store.events.append([replace(said, thread_id=home.id)])
        placed = RecordedPlacement(
            choice.reason,
            choice.score,
            choice.margin,
            choice.evidence,
            choice.held,
        )
        self._threads[home.id] = grown_thread(home, event)
        self._notes.append(self._make_note(event, placed))
        self.events.append(event)
        self._assigner.record_event(event, message, held=choice.held)

    def write_pending(self) -> None:
        """Write down what was worked out so far."""
        for thread in self._threads.values():
            self._store.threads.save(thread)
        self._store.annotations.add(self._notes)
        self._notes = []

    def finish_batch(self) -> list[Event]:
        """Write everything down, make it findable, and return the stored events."""
        self.write_pending()
        index_events(self._store, self.events)
        return self.events

    def _make_note(self, event: Event, placed: RecordedPlacement) -> Annotation:
        """Note what a live message names, while the files are as it was said of them."""
        live = self._context
        return (
            Annotation(seq=event.seq, placed=placed)
            if live is None
            else make_note(event, placed, live)
        )

    def _load_thread(self, id_: str) -> Thread:
        if id_ not in self._threads:
            self._threads[id_] = self._store.threads.get(id_)
        return self._threads[id_]

    def _open_thread(self, draft: MessageDraft) -> Thread:
        first, attempt = draft.event, 0
        while self._store.threads.has(new_thread_id(first, attempt)):
            attempt += 1
        thread = Thread(
            id=new_thread_id(first, attempt),
            project=first.project,
            title="",
            created_at=first.at,
            last_active=first.at,
            origin=draft.origin,
        )
        # Saved at once: events and bridges may only name a thread that is there.
        self._store.threads.save(thread)
        return thread

    def _move_held_messages(self, session: str | None, home: Thread) -> Thread:
        """Put what the session held back on the thread it turned out to begin, and return it.

        What somebody has meanwhile given a thread of its own has found its place.
        """
        held = self._assigner.held_events(session)
        seqs = {event.seq for event in held}
        staying = {
            id_: [event for event in self._store.events.of_thread(id_) if event.seq not in seqs]
            for id_ in {event.thread_id: None for event in held if event.thread_id != home.id}
        }
        moved = [
            replace(event, thread_id=home.id) if staying.get(event.thread_id) else event
            for event in held
        ]
        gone = [event for event in moved if event.thread_id == home.id]
        self._store.events.move([event.seq for event in gone], home.id)
        self._assigner.replace_held(session, moved)
        by_seq = {event.seq: event for event in moved}
        self.events = [by_seq.get(event.seq, event) for event in self.events]
        for id_, left in staying.items():
            if left:
                self._threads[id_] = shrunk_thread(self._load_thread(id_), left)
        return reduce(grown_thread, gone, home)


def grown_thread(thread: Thread, event: Event) -> Thread:
    """Return the thread as it is with one more event on it: one that was put away is back."""
    return replace(
        thread,
        status=Status.ACTIVE,
        created_at=min(thread.created_at, event.at),
        last_active=max(thread.last_active, event.at),
        revision=thread.revision + 1,
    )


def shrunk_thread(thread: Thread, staying: Sequence[Event]) -> Thread:
    """Return the thread as it is with these events left."""
    times = [event.at for event in staying]
    return replace(
        thread,
        created_at=min(times),
        last_active=max(times),
        revision=thread.revision + 1,
    )
