"""Take in threads with what was said on them: events, sessions, bridges, foci.

Take in what was done and shown: the journal, the ledger, and what is counted beside them.

A memory that is being taken in: what was here before, and what became of what came.

Refuse to take in what says otherwise than what is here under the same id.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import date, datetime
from typing import NoReturn

from ai_smartness.capture.index import index_events
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import JournalEntry
from ai_smartness.model.thread import Thread
from ai_smartness.model.transfer import ExportHeader
from ai_smartness.ports import ThreadStore
from ai_smartness.ports.transfer import LastSeqs
from ai_smartness.threads.change_plan import mark_covered_events, surviving_thread
from ai_smartness.transfer.export_records import ExportRecord
from ai_smartness.transfer.renumber import (
    SeqMap,
    renumbered_event,
    renumbered_journal_entry,
    renumbered_ledger_entry,
    renumbered_thread,
)

__all__ = ["HistoryLoader", "LoadState", "ThreadLoader", "refuse_contradictions"]


class LoadState:
    """What all that take something in have to know."""

    def __init__(self, store: ThreadStore, header: ExportHeader) -> None:
        self.store = store
        self.keeps_numbers = store.transfer.is_empty()
        if self.keeps_numbers:
            store.transfer.reserve_seqs(LastSeqs(header.last_event, header.last_change))
        names = [] if self.keeps_numbers else [each.project for each in store.project_counts()]
        self.projects_here = set(names)
        self.threads_here: set[str] = set()
        self.numbers: defaultdict[str, SeqMap] = defaultdict(SeqMap)
        self.new_numbers: defaultdict[str, SeqMap] = defaultdict(SeqMap)
        self.known, self.left_out = Counter[str](), Counter[str]()
        self._last_event_seqs = {
            name: store.events.seq_of_nth(name, store.events.count(name))
            for name in self.projects_here.intersection(header.projects)
        }

    def was_described(self, project: str) -> bool:
        """Say whether all that was here before of a project was described."""
        return self.store.annotations.described_through(project) >= self._last_event_seqs.get(
            project, 0
        )

    def count_known(self, kind: str, given: int, new: Sequence[object]) -> None:
        """Take note that all but the new ones were known."""
        self.known[kind] += given - len(new)


class ThreadLoader:
    """Stores threads and all that is on them."""

    def __init__(self, arrival: LoadState) -> None:
        self._state = arrival
        self._store = arrival.store
        self._incomplete: list[Thread] = []
        self._condensed: set[str] = set()

    def load_threads(self, batch: Sequence[ExportRecord]) -> None:
        """Store threads; one that is here stays as it is."""
        for record in batch:
            if self._store.threads.has(record.value.id):
                refuse_contradictions(record, self._store.threads.get(record.value.id))
                self._state.threads_here.add(record.value.id)
                self._state.known["thread"] += 1
            else:
                self._add_thread(record.value)

    def _add_thread(self, thread: Thread) -> None:
        orphan = thread.parent_id and not self._store.threads.has(thread.parent_id)
        if orphan or thread.set_aside:
            self._incomplete.append(thread)
        self._store.threads.save(replace(thread, parent_id=None) if orphan else thread)

    def complete_threads(self) -> None:
        """Give threads what could not be said before all of them and their events were there."""
        for thread in self._incomplete:
            numbered = renumbered_thread(thread, self._state.numbers[thread.project])
            self._store.threads.save(thread if self._state.keeps_numbers else numbered)
        self._incomplete.clear()
        for id_ in sorted(self._condensed):
            mark_covered_events(self._store, id_)
        self._condensed.clear()

    def load_events(self, batch: Sequence[ExportRecord]) -> None:
        """Store events of one project, and make them findable; what was forgotten stays so."""
        project, arrival = batch[0].project, self._state
        ids = [record.value.id for record in batch]
        here = {} if arrival.keeps_numbers else self._store.transfer.events_by_id(project, ids)
        gone = self._store.events.forgotten_ids(project, ids)
        new = list[ExportRecord]()
        for record in batch:
            known = here.get(record.value.id)
            if known is not None:
                refuse_contradictions(record, known)
                arrival.numbers[project].add(record.value.seq, known.seq)
                arrival.known["event"] += 1
            elif record.value.id in gone:
                arrival.left_out["event"] += 1
            else:
                new.append(self._store_event(record))
        self._store.annotations.add([record.note for record in new if record.note is not None])
        index_events(
            self._store, [r.value for r in new if r.value.type is not EventType.COMPACTION]
        )

    def _store_event(self, record: ExportRecord) -> ExportRecord:
        """Store an event, and return it as it is here."""
        event, arrival = record.value, self._state
        if event.thread_id in arrival.threads_here:
            # It may have been merged into another one here.
            home = surviving_thread(self._store, self._store.threads.get(event.thread_id))
            event = replace(event, thread_id=home.id)
        numbers = arrival.numbers[record.project]
        given = event if arrival.keeps_numbers else renumbered_event(event, numbers)
        (stored,) = self._store.events.append([given])
        numbers.add(event.seq, stored.seq)
        arrival.new_numbers[record.project].add(event.seq, stored.seq)
        if stored.type is EventType.COMPACTION:
            self._condensed.add(stored.thread_id)
        note = record.note and replace(record.note, seq=stored.seq)
        return replace(record, value=stored, note=note)

    def load_sessions(self, batch: Sequence[ExportRecord]) -> None:
        """Store sessions; one that is here stays as it is."""
        new = [
            record.value
            for record in batch
            if self._store.threads.find_session(record.project, record.value.id) is None
        ]
        self._state.count_known("session", len(batch), new)
        for session in new:
            since = self._state.numbers[session.project].highest_seq(session.epoch_seq)
            kept = session if self._state.keeps_numbers else replace(session, epoch_seq=since)
            self._store.threads.save_session(kept)

    def load_bridges(self, batch: Sequence[ExportRecord]) -> None:
        """Store bridges; one that is here stays as it is."""
        new = [record.value for record in batch if not self._has_bridge(record)]
        self._state.count_known("bridge", len(batch), new)
        self._store.bridges.save(new)

    def _has_bridge(self, record: ExportRecord) -> bool:
        known = self._store.bridges.of(record.value.source, unwanted=True)
        return any(each.id == record.value.id for each in known)

    def load_foci(self, batch: Sequence[ExportRecord]) -> None:
        """Store foci; one that is here stays as it is."""
        project = batch[0].project
        known = {each.key for each in self._store.foci.all(project)}
        new = [record.value for record in batch if record.value.key not in known]
        self._state.count_known("focus", len(batch), new)
        self._store.foci.save(project, new)


JOURNAL_BATCH = 500


class HistoryLoader:
    """Stores what tells of the past."""

    def __init__(self, arrival: LoadState) -> None:
        self._state = arrival
        self._store = arrival.store
        self._changes: dict[int, int] = {}
        self._journals: dict[str, set[tuple[datetime, str]]] = {}
        self._ledgers: dict[tuple[str, str], bool] = {}

    def load_changes(self, batch: Sequence[ExportRecord]) -> None:
        """Write changes into the journal; those of threads that were here before are left out."""
        for record in batch:
            entry: JournalEntry = record.value
            if (entry.at, entry.verb) in self._known_changes(entry.project):
                self._state.known["change"] += 1
            elif self._is_about_existing(entry):
                self._state.left_out["change"] += 1
            else:
                self._changes[entry.seq] = self._store.journal.write(
                    self._renumbered_change(entry)
                ).seq

    def _renumbered_change(self, entry: JournalEntry) -> JournalEntry:
        if self._state.keeps_numbers:
            return entry
        return renumbered_journal_entry(entry, self._state.numbers[entry.project], self._changes)

    def _is_about_existing(self, entry: JournalEntry) -> bool:
        """Say whether a change is about what was here before: that was not changed by it."""
        if entry.undoes is not None and entry.undoes not in self._changes:
            return True
        if entry.project not in self._state.projects_here:
            return False
        touched = set(entry.change.touched_threads)
        return not touched or bool(touched & self._state.threads_here)

    def _known_changes(self, project: str) -> set[tuple[datetime, str]]:
        """Return what tells the changes that were here before."""
        if project not in self._journals:
            found, after = set[tuple[datetime, str]](), 0
            while entries := self._store.transfer.journal_after(project, after, JOURNAL_BATCH):
                found.update((each.at, each.verb) for each in entries)
                after = entries[-1].seq
            self._journals[project] = found
        return self._journals[project]

    def load_turns(self, batch: Sequence[ExportRecord]) -> None:
        """Store turns of sessions that nothing is known of."""
        new = [record.value for record in batch if not self._has_ledger(record)]
        self._state.count_known("turn", len(batch), new)
        self._store.transfer.add_ledger_pages(new)

    def load_shown(self, batch: Sequence[ExportRecord]) -> None:
        """Store what was shown to sessions that nothing is known of."""
        project = batch[0].project
        new = [record.value for record in batch if not self._has_ledger(record)]
        self._state.count_known("shown", len(batch), new)
        if not self._state.keeps_numbers:
            new = [renumbered_ledger_entry(each, self._state.numbers[project]) for each in new]
        self._store.transfer.add_ledger_entries(project, new)

    def _has_ledger(self, record: ExportRecord) -> bool:
        """Say whether something shown to the session was here before."""
        key = (record.project, record.value.session)
        if key not in self._ledgers:
            ledger = self._store.ledger
            self._ledgers[key] = bool(ledger.latest_pages(*key, 1) or ledger.shown_entries(*key))
        return self._ledgers[key]

    def load_spending(self, batch: Sequence[ExportRecord]) -> None:
        """Store what was spent on days that nothing is known of."""
        days = [(date.fromisoformat(each.value.day), each.value.tokens) for each in batch]
        new = [(day, tokens) for day, tokens in days if not self._store.spending.tokens_on(day)]
        self._state.count_known("spent", len(batch), new)
        for day, tokens in new:
            self._store.spending.add(day, tokens)

    def load_marks(self, batch: Sequence[ExportRecord]) -> None:
        """Store how far files were read that nothing is known of."""
        known = self._store.imports.marks_by_path()
        new = [(record.path, record.value) for record in batch if record.path not in known]
        self._state.count_known("mark", len(batch), new)
        self._store.imports.save(new)

    def load_forgotten(self, batch: Sequence[ExportRecord]) -> None:
        """Store what is not to be brought back."""
        self._store.transfer.add_forgotten_hashes(record.value.mark for record in batch)


_RENUMBERED_FIELDS = frozenset({"seq", "thread_id"})


def refuse_contradictions(record: ExportRecord, here: Thread | Event) -> None:
    """Refuse a record that has the id of something else here."""
    match here:
        case Thread():
            if here.project != record.value.project:
                _refuse_record(record, f"thread {here.id} is of project {here.project} here")
        case Event():
            _refuse_event(record, here)


def _refuse_event(record: ExportRecord, here: Event) -> None:
    given: Event = record.value
    # What a compaction holds is numbered otherwise here.
    left = _RENUMBERED_FIELDS | ({"payload"} if given.type is EventType.COMPACTION else set[str]())
    names = [each.name for each in fields(Event) if each.name not in left]
    other = [name for name in names if getattr(given, name) != getattr(here, name)]
    if other:
        _refuse_record(record, f"message {here.id} has another {' and '.join(other)} here")
    if given.thread_id != here.thread_id:
        _refuse_record(
            record,
            f"message {here.id} is on {here.thread_id} here, and on {given.thread_id} in the file",
        )


def _refuse_record(record: ExportRecord, because: str) -> NoReturn:
    msg = (
        f"cannot import it: {because} (line {record.line}). The two memories have gone separate "
        "ways, and nothing of it was stored. Import it into a memory of its own: "
        "`ais --home FOLDER import FILE`."
    )
    raise RefusedError(msg)
