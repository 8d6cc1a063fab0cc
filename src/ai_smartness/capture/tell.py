"""Tell what was captured: what each message names, what each thread is about and linked to.

A message is stored, placed and findable before this; a live one is told of at
once, a history when somebody looks. Told in the order of the messages, a block at
a time, it comes out the same whoever does it and however often it is interrupted.
"""

from ai_smartness.capture.almanac import Almanac, Written
from ai_smartness.capture.blocks import BLOCK_EVENTS, start_of
from ai_smartness.capture.description import redescribed
from ai_smartness.capture.note import Present, renoted
from ai_smartness.model.event import Event
from ai_smartness.model.note import Note
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.threads.bridges import BridgeRules
from ai_smartness.threads.outline import with_files

__all__ = ["Teller"]

UNIT_EVENTS = 200


class Teller:
    """Who tells of one project, with the almanac of its latest past in mind."""

    def __init__(self, project: str, rules: BridgeRules, block: int = BLOCK_EVENTS) -> None:
        self._project = project
        self._rules = rules
        self._size = block
        self._forget()

    def _forget(self) -> None:
        self._almanac = Almanac({}, self._rules)
        self._seq = -1
        self._events = 0
        self._moved = 0

    @property
    def is_cold(self) -> bool:
        """Tell whether the project's latest past would have to be read first."""
        return self._seq < 0

    def tell(self, store: ThreadStore, present: Present, progress: Progress) -> int:
        """Tell of every event that was not told of yet, and return how many."""
        done = 0
        while self._behind(store):
            # As in capturing: what takes long is read without a lock.
            self._catch_up(store, store.notes.told(self._project))
            try:
                with store.unit():
                    done += self._tell_some(store, present)
            except BaseException:
                self._forget()
                raise
            progress(done, max(done, done + self._left(store)))
        return done

    def _behind(self, store: ThreadStore) -> bool:
        return bool(store.events.since(self._project, store.notes.told(self._project), 1))

    def _left(self, store: ThreadStore) -> int:
        return store.events.count(self._project) - self._events

    def _tell_some(self, store: ThreadStore, present: Present) -> int:
        self._catch_up(store, store.notes.told(self._project))
        room = min(UNIT_EVENTS, self._size - self._events % self._size)
        events = store.events.since(self._project, self._seq, room)
        notes = store.notes.of(event.seq for event in events)
        threads: dict[str, Thread] = {}
        told = [renoted(event, notes.get(event.seq), present) for event in events]
        for event, note in zip(events, told, strict=True):
            self._tell_one(store, threads, event, note)
        store.notes.add(told)
        for thread in threads.values():
            store.threads.save(thread)
        store.notes.mark_told(self._project, self._seq)
        return len(events)

    def _tell_one(
        self, store: ThreadStore, threads: dict[str, Thread], event: Event, note: Note
    ) -> None:
        if held := self._almanac.held(event.session):
            self._almanac.reread(event.session, store.events.by_seq(held))
        for written in self._take(event, note):
            id_ = written.event.thread_id
            thread = with_files(threads.get(id_) or store.threads.get(id_), written.note)
            due = written.due
            threads[id_] = redescribed(store, self._almanac, thread) if due else thread

    def _take(self, event: Event, note: Note) -> list[Written]:
        self._seq = event.seq
        self._events += 1
        return self._almanac.take(event, note)

    def _catch_up(self, store: ThreadStore, told: int) -> None:
        """Bring to mind what was told already, by anyone, up to this event."""
        moved = store.journal.last_move(self._project)
        in_step = self._seq == told and self._moved == moved
        if in_step and (self._events % self._size or not self._events):
            return
        self._moved = moved
        events = store.events.number_of(self._project, told)
        threads = store.threads.all(self._project)
        titles = {thread.id: thread.title for thread in threads if thread.title}
        self._almanac = Almanac(titles, self._rules)
        self._events, self._seq = start_of(store, self._project, events, self._size)
        known = store.events.since(self._project, self._seq, events - self._events)
        notes = store.notes.of(event.seq for event in known)
        for event in known:
            self._take(event, notes[event.seq])
