"""Store drafts on their threads, one after the other, within one transaction."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import TYPE_CHECKING

from ai_smartness.capture.annotate import CaptureContext, make_annotation
from ai_smartness.capture.assign.assigner import ThreadAssigner
from ai_smartness.capture.assign.scoring import Placement
from ai_smartness.capture.index import index_events
from ai_smartness.capture.validate import MessageDraft
from ai_smartness.describe.kinds import is_rule
from ai_smartness.model.annotation import Annotation, RecordedPlacement
from ai_smartness.model.event import Event
from ai_smartness.model.thread import Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.ids import free_thread_id

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CaptureBatch", "grown_thread", "shrunk_thread"]


class CaptureBatch:
    """The drafts of one transaction, on their way to their threads."""

    def __init__(
        self,
        store: ThreadStore,
        assigner: ThreadAssigner,
        context: CaptureContext | None,
        texts_before: dict[str | None, str],
    ) -> None:
        self._store = store
        self._texts_before = texts_before
        self._assigner = assigner
        self._context = context
        self._threads: dict[str, Thread] = {}
        self._empty_threads: set[str] = set()
        self._annotations: list[Annotation] = []
        self.events: list[Event] = []

    def store_draft(self, draft: MessageDraft, vector: "NDArray[np.float32] | None") -> None:
        """Store one message on the thread where it belongs."""
        message = self._assigner.incoming_message(draft.event, vector, draft.thread)
        if not message.by_agent:
            message = replace(message, is_rule=is_rule(draft.event.text))
        placement = self._assigner.choose_thread(message)
        held = self._assigner.held_events(draft.event.session) if placement.takes_held else []
        thread, around_held = self._store.read_together(
            partial(self._chosen_thread, draft, placement), partial(self._thread_events, held)
        )
        if placement.takes_held:
            thread = self._move_held_messages(draft.event.session, thread, around_held)
        (event,) = self._store.events.append([replace(draft.event, thread_id=thread.id)])
        self._threads[thread.id] = grown_thread(thread, event)
        self._empty_threads.discard(thread.id)
        self._annotations.append(self._annotated(event, placement))
        self.events.append(event)
        self._assigner.record_event(event, message, held=placement.held, reason=placement.reason)

    def write_pending(self) -> None:
        """Save the threads and annotations so far."""
        for thread in self._threads.values():
            self._store.threads.save(thread)
        if self._annotations:
            self._store.annotations.add(self._annotations)
        self._annotations = []

    def finish_batch(self) -> list[Event]:
        """Save and index everything, and return the stored events."""
        self.write_pending()
        index_events(self._store, self.events, self._texts_before)
        return self.events

    def _annotated(self, event: Event, placement: Placement) -> Annotation:
        recorded = RecordedPlacement(
            placement.reason, placement.score, placement.margin, placement.evidence, placement.held
        )
        if self._context is None:
            return Annotation(seq=event.seq, placed=recorded)
        # A live message is annotated at once, while its files are as it describes them.
        return make_annotation(event, recorded, self._context)

    def _chosen_thread(self, draft: MessageDraft, placement: Placement) -> Thread:
        """Return the thread that a message is put on, which may be a new one."""
        if placement.thread is None:
            return self._open_thread(draft)
        return self._begun_thread(self._load_thread(placement.thread), draft.event)

    def _load_thread(self, id_: str) -> Thread:
        if id_ not in self._threads:
            thread, latest = self._store.read_together(
                partial(self._store.threads.get, id_),
                partial(self._store.events.latest_of_thread, id_, 1),
            )
            self._threads[id_] = thread
            if not latest:
                self._empty_threads.add(thread.id)
        return self._threads[id_]

    def _thread_events(self, held: Sequence[Event]) -> dict[str, list[Event]]:
        """Return all events of the threads that held messages are on."""
        ids = list(dict.fromkeys(event.thread_id for event in held))
        events = self._store.read_together(
            *(partial(self._store.events.of_thread, id_) for id_ in ids)
        )
        return dict(zip(ids, events, strict=True))

    def _begun_thread(self, thread: Thread, event: Event) -> Thread:
        """Return the thread; one without messages is as old as the first that it gets."""
        is_new = thread.created_at == thread.last_active and event.at != thread.created_at
        if is_new and thread.id in self._empty_threads:
            return replace(thread, created_at=event.at, last_active=event.at)
        return thread

    def _open_thread(self, draft: MessageDraft) -> Thread:
        first = draft.event
        thread = Thread(
            id=free_thread_id(self._store, first),
            project=first.project,
            title="",
            created_at=first.at,
            last_active=first.at,
            origin=draft.origin,
        )
        # Saved at once: events and bridges may only refer to a stored thread.
        self._store.threads.save(thread)
        return thread

    def _move_held_messages(
        self, session: str | None, home: Thread, around_held: dict[str, list[Event]]
    ) -> Thread:
        """Move the session's held messages to the thread they turned out to begin; return it.

        A message that was meanwhile split off into a thread of its own stays there.
        """
        held_events = self._assigner.held_events(session)
        seqs = {event.seq for event in held_events}
        staying = {
            id_: [event for event in events if event.seq not in seqs]
            for id_, events in around_held.items()
            if id_ != home.id
        }
        moving = [
            replace(event, thread_id=home.id) if staying.get(event.thread_id) else event
            for event in held_events
        ]
        moved = [event for event in moving if event.thread_id == home.id]
        self._store.events.move([event.seq for event in moved], home.id)
        self._assigner.replace_held(session, moving)
        by_seq = {event.seq: event for event in moving}
        self.events = [by_seq.get(event.seq, event) for event in self.events]
        for id_, left in staying.items():
            if left:
                self._threads[id_] = shrunk_thread(self._load_thread(id_), left)
        return reduce(grown_thread, moved, home)


def grown_thread(thread: Thread, event: Event) -> Thread:
    """Return the thread with one more event; a suspended or archived thread becomes active."""
    return replace(
        thread,
        status=Status.ACTIVE,
        created_at=min(thread.created_at, event.at),
        last_active=max(thread.last_active, event.at),
        revision=thread.revision + 1,
    )


def shrunk_thread(thread: Thread, staying: Sequence[Event]) -> Thread:
    """Return the thread with only these events left."""
    times = [event.at for event in staying]
    return replace(
        thread, created_at=min(times), last_active=max(times), revision=thread.revision + 1
    )
