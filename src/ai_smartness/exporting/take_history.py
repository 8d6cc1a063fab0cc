"""Take in what was done and shown: the journal, the ledger, and what is counted beside them."""

from collections.abc import Sequence
from datetime import date, datetime

from ai_smartness.exporting.arrival import Arrival
from ai_smartness.exporting.numbers import entry_here, shown_here
from ai_smartness.exporting.records import Record
from ai_smartness.model.journal import JournalEntry

__all__ = ["TakeHistory"]

BATCH = 500


class TakeHistory:
    """Stores what tells of the past."""

    def __init__(self, arrival: Arrival) -> None:
        self._arrival = arrival
        self._store = arrival.store
        self._changes: dict[int, int] = {}
        self._journals: dict[str, set[tuple[datetime, str]]] = {}
        self._ledgers: dict[tuple[str, str], bool] = {}

    def changes(self, batch: Sequence[Record]) -> None:
        """Write changes into the journal; those of threads that were here before are left out."""
        for record in batch:
            entry: JournalEntry = record.value
            if (entry.at, entry.verb) in self._journal(entry.project):
                self._arrival.known["change"] += 1
            elif self._is_of_here(entry):
                self._arrival.left_out["change"] += 1
            else:
                self._changes[entry.seq] = self._store.journal.write(self._here(entry)).seq

    def _here(self, entry: JournalEntry) -> JournalEntry:
        if self._arrival.keeps_numbers:
            return entry
        return entry_here(entry, self._arrival.numbers[entry.project], self._changes)

    def _is_of_here(self, entry: JournalEntry) -> bool:
        """Say whether a change is about what was here before: that was not changed by it."""
        if entry.undoes is not None and entry.undoes not in self._changes:
            return True
        if entry.project not in self._arrival.projects_here:
            return False
        touched = set(entry.change.touched)
        return not touched or bool(touched & self._arrival.threads_here)

    def _journal(self, project: str) -> set[tuple[datetime, str]]:
        """Return what tells the changes that were here before."""
        if project not in self._journals:
            found, after = set[tuple[datetime, str]](), 0
            while entries := self._store.archive.changes(project, after, BATCH):
                found.update((each.at, each.verb) for each in entries)
                after = entries[-1].seq
            self._journals[project] = found
        return self._journals[project]

    def turns(self, batch: Sequence[Record]) -> None:
        """Store turns of sessions that nothing is known of."""
        new = [record.value for record in batch if not self._has_ledger(record)]
        self._arrival.new("turn", len(batch), new)
        self._store.archive.put_turns(new)

    def shown(self, batch: Sequence[Record]) -> None:
        """Store what was shown to sessions that nothing is known of."""
        project = batch[0].project
        new = [record.value for record in batch if not self._has_ledger(record)]
        self._arrival.new("shown", len(batch), new)
        if not self._arrival.keeps_numbers:
            new = [shown_here(each, self._arrival.numbers[project]) for each in new]
        self._store.archive.put_shown(project, new)

    def _has_ledger(self, record: Record) -> bool:
        """Say whether something shown to the session was here before."""
        key = (record.project, record.value.session)
        if key not in self._ledgers:
            ledger = self._store.ledger
            self._ledgers[key] = bool(ledger.pages(*key, 1) or ledger.shown(*key))
        return self._ledgers[key]

    def spent(self, batch: Sequence[Record]) -> None:
        """Store what was spent on days that nothing is known of."""
        days = [(date.fromisoformat(each.value.day), each.value.tokens) for each in batch]
        new = [(day, tokens) for day, tokens in days if not self._store.spending.on(day)]
        self._arrival.new("spent", len(batch), new)
        for day, tokens in new:
            self._store.spending.add(day, tokens)

    def marks(self, batch: Sequence[Record]) -> None:
        """Store how far files were read that nothing is known of."""
        known = self._store.imports.marks()
        new = [(record.path, record.value) for record in batch if record.path not in known]
        self._arrival.new("mark", len(batch), new)
        self._store.imports.save(new)

    def forgotten(self, batch: Sequence[Record]) -> None:
        """Store what is not to be brought back."""
        self._store.archive.put_forgotten(record.value.mark for record in batch)
