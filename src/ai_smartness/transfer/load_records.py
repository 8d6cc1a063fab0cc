"""Store the records of an export: threads with their events, then the journal and the ledger."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from datetime import date, datetime
from typing import Any, NoReturn

from ai_smartness.capture.index import index_events
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import JournalEntry
from ai_smartness.model.thread import Thread
from ai_smartness.model.transfer import ExportHeader
from ai_smartness.ports import ThreadStore
from ai_smartness.ports.transfer import LastSeqs
from ai_smartness.threads.change_plan import mark_covered_events, surviving_thread
from ai_smartness.transfer.export_records import BadExportError, ExportRecord
from ai_smartness.transfer.renumber import (
    SeqMap,
    renumbered_event,
    renumbered_journal_entry,
    renumbered_ledger_entry,
    renumbered_thread,
)

__all__ = ["HistoryLoader", "LoadState", "ThreadLoader"]

JOURNAL_BATCH = 500

_RENUMBERED_FIELDS = frozenset({"seq", "thread_id"})


class LoadState:
    """What was in the store before, and the numbers that records have got in it."""

    def __init__(self, store: ThreadStore, header: ExportHeader) -> None:
        self.store = store
        self.keeps_seqs = store.transfer.is_empty()
        if self.keeps_seqs:
            store.transfer.reserve_seqs(LastSeqs(header.last_event, header.last_change))
        counts = [] if self.keeps_seqs else store.project_counts()
        self.projects_here = {project.project for project in counts}
        self.threads_here: set[str] = set()
        self.seqs: defaultdict[str, SeqMap] = defaultdict(SeqMap)
        self.new_seqs: defaultdict[str, SeqMap] = defaultdict(SeqMap)
        self.known, self.left_out = Counter[str](), Counter[str]()
        self._last_seqs = {
            name: store.events.seq_of_nth(name, store.events.count(name))
            for name in self.projects_here.intersection(header.projects)
        }

    def was_described(self, project: str) -> bool:
        """Say whether the events that a project had before the import were all described."""
        described = self.store.annotations.described_through(project)
        return described >= self._last_seqs.get(project, 0)

    def new_values(
        self, batch: Sequence[ExportRecord], is_known: Callable[[ExportRecord], bool]
    ) -> list[Any]:
        """Return the values of the records that are new, and count the others as known."""
        new = [record.value for record in batch if not is_known(record)]
        self.known[batch[0].kind] += len(batch) - len(new)
        return new


class ThreadLoader:
    """Stores threads, events, sessions, bridges, foci and reviews of statements."""

    def __init__(self, state: LoadState) -> None:
        self._state = state
        self._store = state.store
        self._incomplete = list[Thread]()
        self._condensed: set[str] = set()

    def load_threads(self, batch: Sequence[ExportRecord]) -> None:
        """Store the threads that are new."""
        for record in batch:
            thread = record.value
            if self._store.threads.has(thread.id):
                here = self._store.threads.get(thread.id)
                if here.project != thread.project:
                    _refuse_record(record, f"thread {here.id} belongs to {here.project} here")
                self._state.threads_here.add(thread.id)
                self._state.known["thread"] += 1
                continue
            is_orphan = thread.parent_id and not self._store.threads.has(thread.parent_id)
            if is_orphan or thread.set_aside:
                self._incomplete.append(thread)
            self._store.threads.save(replace(thread, parent_id=None) if is_orphan else thread)

    def complete_threads(self) -> None:
        """Set the fields that refer to threads and events which came later."""
        for thread in self._incomplete:
            renumbered = renumbered_thread(thread, self._state.seqs[thread.project])
            self._store.threads.save(thread if self._state.keeps_seqs else renumbered)
        self._incomplete.clear()
        for id_ in sorted(self._condensed):
            mark_covered_events(self._store, id_)
        self._condensed.clear()

    def load_events(self, batch: Sequence[ExportRecord]) -> None:
        """Store and index the events of one project that are new and were not forgotten here."""
        project, state = batch[0].project, self._state
        ids = [record.value.id for record in batch]
        here = {} if state.keeps_seqs else self._store.transfer.events_by_id(project, ids)
        forgotten = self._store.events.forgotten_ids(project, ids)
        new = list[ExportRecord]()
        for record in batch:
            known = here.get(record.value.id)
            if known is not None:
                _refuse_other_event(record, known)
                state.seqs[project].add(record.value.seq, known.seq)
                state.known["event"] += 1
            elif record.value.id in forgotten:
                state.left_out["event"] += 1
            else:
                new.append(self._store_event(record))
        self._store.annotations.add([record.note for record in new if record.note is not None])
        events = [record.value for record in new]
        index_events(
            self._store, [event for event in events if event.type is not EventType.COMPACTION]
        )

    def _store_event(self, record: ExportRecord) -> ExportRecord:
        """Store an event, and return its record with the number and thread it has here."""
        event, state = record.value, self._state
        if event.thread_id in state.threads_here:
            # Its thread may have been merged into another one here.
            thread = surviving_thread(self._store, self._store.threads.get(event.thread_id))
            event = replace(event, thread_id=thread.id)
        seqs = state.seqs[record.project]
        draft = event if state.keeps_seqs else renumbered_event(event, seqs)
        (stored,) = self._store.events.append([draft])
        seqs.add(event.seq, stored.seq)
        state.new_seqs[record.project].add(event.seq, stored.seq)
        if stored.type is EventType.COMPACTION:
            self._condensed.add(stored.thread_id)
        note = record.note and replace(record.note, seq=stored.seq)
        return replace(record, value=stored, note=note)

    def load_sessions(self, batch: Sequence[ExportRecord]) -> None:
        """Store the sessions that are new."""
        find_session = self._store.threads.find_session
        for session in self._state.new_values(
            batch, lambda record: find_session(record.project, record.value.id) is not None
        ):
            since = self._state.seqs[session.project].highest_seq(session.epoch_seq)
            renumbered = replace(session, epoch_seq=since)
            self._store.threads.save_session(session if self._state.keeps_seqs else renumbered)

    def load_bridges(self, batch: Sequence[ExportRecord]) -> None:
        """Store the bridges that are new."""
        self._store.bridges.save(self._state.new_values(batch, self._has_bridge))

    def _has_bridge(self, record: ExportRecord) -> bool:
        bridges = self._store.bridges.of(record.value.source, unwanted=True)
        return any(bridge.id == record.value.id for bridge in bridges)

    def load_foci(self, batch: Sequence[ExportRecord]) -> None:
        """Store the foci that are new."""
        project = batch[0].project
        known = {focus.key for focus in self._store.foci.all(project)}
        new = self._state.new_values(batch, lambda record: record.value.key in known)
        self._store.foci.save(project, new)

    def load_reviews(self, batch: Sequence[ExportRecord]) -> None:
        """Store the reviews that are new and whose message was not forgotten here."""
        project = batch[0].project
        known = {review.statement_id for review in self._store.statements.reviews(project)}
        new = self._state.new_values(batch, lambda record: record.value.statement_id in known)
        forgotten = self._store.events.forgotten_ids(project, {review.event_id for review in new})
        for review in new:
            if review.event_id in forgotten:
                self._state.left_out["review"] += 1
            else:
                self._store.statements.review(project, review, review.statement_id)


class HistoryLoader:
    """Stores the journal, the ledger, the spending and the marks."""

    def __init__(self, state: LoadState) -> None:
        self._state = state
        self._store = state.store
        self._changes: dict[int, int] = {}
        self._journals: dict[str, set[tuple[datetime, str]]] = {}
        self._ledgers: dict[tuple[str, str], bool] = {}

    def load_changes(self, batch: Sequence[ExportRecord]) -> None:
        """Write changes into the journal, without those of threads that were here before."""
        for record in batch:
            entry: JournalEntry = record.value
            if (entry.at, entry.verb) in self._known_changes(entry.project):
                self._state.known["change"] += 1
            elif self._is_about_existing(entry) or self._quotes_forgotten(entry):
                self._state.left_out["change"] += 1
            else:
                draft = entry
                if not self._state.keeps_seqs:
                    seqs = self._state.seqs[entry.project]
                    draft = renumbered_journal_entry(entry, seqs, self._changes)
                self._changes[entry.seq] = self._store.journal.write(draft).seq

    def _is_about_existing(self, entry: JournalEntry) -> bool:
        """Say whether a change is about threads that were here before: they did not change here."""
        if entry.undoes is not None and entry.undoes not in self._changes:
            return True
        if entry.project not in self._state.projects_here:
            return False
        touched = set(entry.change.touched_threads)
        return not touched or bool(touched & self._state.threads_here)

    def _quotes_forgotten(self, entry: JournalEntry) -> bool:
        """Say whether a change reviews a sentence of a message that was forgotten here."""
        edits = entry.change.reviews
        ids = {side.event_id for edit in edits for side in (edit.before, edit.after) if side}
        return bool(self._store.events.forgotten_ids(entry.project, ids))

    def _known_changes(self, project: str) -> set[tuple[datetime, str]]:
        """Return the time and verb of each change that was here before."""
        if project not in self._journals:
            known, after = set[tuple[datetime, str]](), 0
            while entries := self._store.transfer.journal_after(project, after, JOURNAL_BATCH):
                known.update((entry.at, entry.verb) for entry in entries)
                after = entries[-1].seq
            self._journals[project] = known
        return self._journals[project]

    def load_turns(self, batch: Sequence[ExportRecord]) -> None:
        """Store the ledger pages of sessions without a ledger here."""
        pages = self._state.new_values(batch, self._has_ledger)
        self._store.transfer.add_ledger_pages(pages)

    def load_shown(self, batch: Sequence[ExportRecord]) -> None:
        """Store the ledger entries of sessions without a ledger here."""
        project = batch[0].project
        entries = self._state.new_values(batch, self._has_ledger)
        if not self._state.keeps_seqs:
            seqs = self._state.seqs[project]
            entries = [renumbered_ledger_entry(entry, seqs) for entry in entries]
        self._store.transfer.add_ledger_entries(project, entries)

    def _has_ledger(self, record: ExportRecord) -> bool:
        """Say whether a session had a ledger here before."""
        key = (record.project, record.value.session)
        if key not in self._ledgers:
            ledger = self._store.ledger
            self._ledgers[key] = bool(ledger.latest_pages(*key, 1) or ledger.shown_entries(*key))
        return self._ledgers[key]

    def load_spending(self, batch: Sequence[ExportRecord]) -> None:
        """Store the spending of days without any here."""
        spending = self._store.spending
        for spent in self._state.new_values(
            batch, lambda record: bool(spending.tokens_on(date.fromisoformat(record.value.day)))
        ):
            spending.add(date.fromisoformat(spent.day), spent.tokens)

    def load_marks(self, batch: Sequence[ExportRecord]) -> None:
        """Store the import marks of files without one here."""
        known = self._store.imports.marks_by_path()
        new = [(record.path, record.value) for record in batch if record.path not in known]
        self._state.known["mark"] += len(batch) - len(new)
        self._store.imports.save(new)

    def load_forgotten(self, batch: Sequence[ExportRecord]) -> None:
        """Store the hashes of forgotten messages."""
        self._store.transfer.add_forgotten_hashes(record.value.mark for record in batch)


def _refuse_other_event(record: ExportRecord, here: Event) -> None:
    event: Event = record.value
    # The numbers in a compaction's payload differ.
    skipped = _RENUMBERED_FIELDS | (
        {"payload"} if event.type is EventType.COMPACTION else set[str]()
    )
    names = [field.name for field in fields(Event) if field.name not in skipped]
    other = [name for name in names if getattr(event, name) != getattr(here, name)]
    if other:
        _refuse_record(record, f"message {here.id} has a different {' and '.join(other)} here")
    if event.thread_id != here.thread_id:
        _refuse_record(
            record,
            f"message {here.id} is on {here.thread_id} here, and on {event.thread_id} in the file",
        )


def _refuse_record(record: ExportRecord, reason: str) -> NoReturn:
    msg = (
        f"{reason} (line {record.line}). The two memories have diverged. Import the file into a "
        "separate memory: `ais --home FOLDER import FILE`."
    )
    raise BadExportError(msg)
