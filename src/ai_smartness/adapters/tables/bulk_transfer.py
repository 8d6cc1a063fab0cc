"""Whole memories for export and import: read in order, and put back unchanged."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager

from ai_smartness.adapters.tables.journal_table import JournalTable
from ai_smartness.adapters.tables.ledger_tables import LedgerTables
from ai_smartness.adapters.tables.rows import EVENT_ROWS
from ai_smartness.adapters.tables.sql_database import ProjectIds, SqlDatabase
from ai_smartness.model.event import Event
from ai_smartness.model.journal import JournalEntry
from ai_smartness.model.session import LedgerEntry, LedgerPage
from ai_smartness.ports.transfer import LastSeqs

__all__ = ["TransferTables"]

_COUNTED_TABLES = {
    "session": "sessions",
    "event": "events",
    "change": "journal",
    "turn": "ledger_pages",
    "shown": "ledger",
}


class TransferTables:
    """Fulfils the port `TransferStore`, all but how an engine numbers its rows."""

    def __init__(
        self,
        database: SqlDatabase,
        projects: ProjectIds,
        journal: JournalTable,
        ledger: LedgerTables,
    ) -> None:
        self._database = database
        self._projects = projects
        self._journal = journal
        self._ledger = ledger

    def snapshot(self) -> AbstractContextManager[None]:
        return self._database.snapshot()

    def record_counts(self, projects: Collection[str]) -> Mapping[str, int]:
        return {
            kind: sum(self._of_projects(f"SELECT count(*) FROM {table}", projects))
            for kind, table in _COUNTED_TABLES.items()
        }

    def last_seqs(self, projects: Collection[str]) -> LastSeqs:
        events, changes = (
            max(self._of_projects(f"SELECT max(seq) FROM {table}", projects), default=0)
            for table in ("events", "journal")
        )
        return LastSeqs(events, changes)

    def _of_projects(self, query: str, projects: Collection[str]) -> list[int]:
        return [
            self._database.first_number(
                f"{query} WHERE project_id = ?", (self._projects.find_id(project),)
            )
            for project in projects
        ]

    def session_ids(self, project: str) -> list[str]:
        rows = self._database.all(
            "SELECT id FROM sessions WHERE project_id = ? ORDER BY id",
            (self._projects.find_id(project),),
        )
        return [row[0] for row in rows]

    def events_after(self, project: str, after: int, limit: int) -> list[Event]:
        rows = self._database.all(
            f"SELECT {EVENT_ROWS.columns} FROM events WHERE project_id = ? AND seq > ? "
            "ORDER BY seq LIMIT ?",
            (self._projects.find_id(project), after, limit),
        )
        return [EVENT_ROWS.value(row, project=project) for row in rows]

    def events_by_id(self, project: str, ids: Iterable[str]) -> dict[str, Event]:
        rows = self._database.all_in(
            f"SELECT {EVENT_ROWS.columns} FROM events WHERE project_id = ? AND id IN ({{}})",
            ids,
            (self._projects.find_id(project),),
        )
        events = (EVENT_ROWS.value(row, project=project) for row in rows)
        return {event.id: event for event in events}

    def journal_after(self, project: str, after: int, limit: int) -> list[JournalEntry]:
        rows = self._database.all(
            "SELECT seq FROM journal WHERE project_id = ? AND seq > ? ORDER BY seq LIMIT ?",
            (self._projects.find_id(project), after, limit),
        )
        return [self._journal.get(row[0]) for row in rows]

    def ledger_pages(self, project: str) -> list[LedgerPage]:
        return self._ledger.select_pages(project, "ORDER BY number")

    def ledger_entries(self, project: str) -> list[LedgerEntry]:
        return self._ledger.select_entries(project, "ORDER BY number")

    def spent_tokens(self) -> dict[str, int]:
        rows = self._database.all("SELECT day, tokens FROM spending ORDER BY day")
        return dict(rows)

    def forgotten_hashes(self) -> list[str]:
        rows = self._database.all("SELECT mark FROM forgotten ORDER BY mark")
        return [row[0].hex() for row in rows]

    def add_ledger_pages(self, turns: Sequence[LedgerPage]) -> None:
        with self._database.unit():
            self._ledger.insert_pages(turns)

    def add_ledger_entries(self, project: str, entries: Sequence[LedgerEntry]) -> None:
        with self._database.unit():
            self._ledger.insert_entries(project, entries)

    def set_usage_counts(self, project: str, injected: int, used: int) -> None:
        with self._database.unit():
            self._database.run(
                "UPDATE projects SET injected = ?, used = ? WHERE id = ?",
                (injected, used, self._projects.ensure_id(project)),
            )

    def add_forgotten_hashes(self, marks: Iterable[str]) -> None:
        with self._database.unit():
            self._database.run_many(
                "INSERT INTO forgotten (mark) VALUES (?) ON CONFLICT DO NOTHING",
                ((bytes.fromhex(mark),) for mark in marks),
            )
