"""Take in threads with what was said on them: events, sessions, bridges, foci."""

from collections.abc import Sequence
from dataclasses import replace

from ai_smartness.capture.index import index
from ai_smartness.exporting.apart import refuse_contradictions
from ai_smartness.exporting.arrival import Arrival
from ai_smartness.exporting.numbers import event_here, thread_here
from ai_smartness.exporting.records import Record
from ai_smartness.model.event import EventType
from ai_smartness.model.thread import Thread
from ai_smartness.threads.covering import cover
from ai_smartness.threads.plan import followed

__all__ = ["TakeThreads"]


class TakeThreads:
    """Stores threads and all that is on them."""

    def __init__(self, arrival: Arrival) -> None:
        self._arrival = arrival
        self._store = arrival.store
        self._incomplete: list[Thread] = []
        self._condensed: set[str] = set()

    def threads(self, batch: Sequence[Record]) -> None:
        """Store threads; one that is here stays as it is."""
        for record in batch:
            if self._store.threads.has(record.value.id):
                refuse_contradictions(record, self._store.threads.get(record.value.id))
                self._arrival.threads_here.add(record.value.id)
                self._arrival.known["thread"] += 1
            else:
                self._add(record.value)

    def _add(self, thread: Thread) -> None:
        orphan = thread.parent_id and not self._store.threads.has(thread.parent_id)
        if orphan or thread.set_aside:
            self._incomplete.append(thread)
        self._store.threads.save(replace(thread, parent_id=None) if orphan else thread)

    def complete(self) -> None:
        """Give threads what could not be said before all of them and their events were there."""
        for thread in self._incomplete:
            numbered = thread_here(thread, self._arrival.numbers[thread.project])
            self._store.threads.save(thread if self._arrival.keeps_numbers else numbered)
        self._incomplete.clear()
        for id_ in sorted(self._condensed):
            cover(self._store, id_)
        self._condensed.clear()

    def events(self, batch: Sequence[Record]) -> None:
        """Store events of one project, and make them findable; what was forgotten stays so."""
        project, arrival = batch[0].project, self._arrival
        ids = [record.value.id for record in batch]
        here = {} if arrival.keeps_numbers else self._store.archive.by_id(project, ids)
        gone = self._store.events.forgotten(project, ids)
        new = list[Record]()
        for record in batch:
            known = here.get(record.value.id)
            if known is not None:
                refuse_contradictions(record, known)
                arrival.numbers[project].add(record.value.seq, known.seq)
                arrival.known["event"] += 1
            elif record.value.id in gone:
                arrival.left_out["event"] += 1
            else:
                new.append(self._stored(record))
        self._store.notes.add([record.note for record in new if record.note is not None])
        index(self._store, [r.value for r in new if r.value.type is not EventType.COMPACTION])

    def _stored(self, record: Record) -> Record:
        """Store an event, and return it as it is here."""
        event, arrival = record.value, self._arrival
        if event.thread_id in arrival.threads_here:
            # It may have been merged into another one here.
            home = followed(self._store, self._store.threads.get(event.thread_id))
            event = replace(event, thread_id=home.id)
        numbers = arrival.numbers[record.project]
        given = event if arrival.keeps_numbers else event_here(event, numbers)
        (stored,) = self._store.events.append([given])
        numbers.add(event.seq, stored.seq)
        arrival.new_numbers[record.project].add(event.seq, stored.seq)
        if stored.type is EventType.COMPACTION:
            self._condensed.add(stored.thread_id)
        note = record.note and replace(record.note, seq=stored.seq)
        return replace(record, value=stored, note=note)

    def sessions(self, batch: Sequence[Record]) -> None:
        """Store sessions; one that is here stays as it is."""
        new = [
            record.value
            for record in batch
            if self._store.threads.session(record.project, record.value.id) is None
        ]
        self._arrival.new("session", len(batch), new)
        for session in new:
            since = self._arrival.numbers[session.project].up_to(session.epoch_seq)
            kept = session if self._arrival.keeps_numbers else replace(session, epoch_seq=since)
            self._store.threads.save_session(kept)

    def bridges(self, batch: Sequence[Record]) -> None:
        """Store bridges; one that is here stays as it is."""
        new = [record.value for record in batch if not self._has_bridge(record)]
        self._arrival.new("bridge", len(batch), new)
        self._store.bridges.save(new)

    def _has_bridge(self, record: Record) -> bool:
        known = self._store.bridges.of(record.value.source, unwanted=True)
        return any(each.id == record.value.id for each in known)

    def foci(self, batch: Sequence[Record]) -> None:
        """Store foci; one that is here stays as it is."""
        project = batch[0].project
        known = {each.key for each in self._store.foci.all(project)}
        new = [record.value for record in batch if record.value.key not in known]
        self._arrival.new("focus", len(batch), new)
        self._store.foci.save(project, new)
