"""A memory in a PostgreSQL database: the parts of the store put together."""

import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from typing import Any

from ai_smartness.adapters.postgres.open_server import open_database
from ai_smartness.adapters.postgres.pgvector_tables import PostgresVectorIndex
from ai_smartness.adapters.postgres.postgres_database import PostgresDatabase
from ai_smartness.adapters.postgres.postgres_deletion import PostgresErasure
from ai_smartness.adapters.postgres.posting_search import PostgresWordIndex
from ai_smartness.adapters.postgres.team_tables import TeamTables
from ai_smartness.adapters.tables.bulk_transfer import TransferTables
from ai_smartness.adapters.tables.event_tables import AnnotationTable, EventTable
from ai_smartness.adapters.tables.import_and_spending_tables import ImportMarkTable, SpendingTable
from ai_smartness.adapters.tables.journal_table import JournalTable
from ai_smartness.adapters.tables.ledger_tables import LedgerTables
from ai_smartness.adapters.tables.pending_work import PendingWorkReader
from ai_smartness.adapters.tables.rows import EVENT_ROWS
from ai_smartness.adapters.tables.sql_database import ProjectIds, Value
from ai_smartness.adapters.tables.statement_tables import StatementTables
from ai_smartness.adapters.tables.thread_tables import BridgeTable, FocusTable, ThreadTable
from ai_smartness.model.event import Event
from ai_smartness.model.status import PendingWork
from ai_smartness.ports import ProjectCount
from ai_smartness.ports.transfer import LastSeqs

__all__ = ["PostgresStore"]

_INTEGRITY_CHECKS = {
    "the count of messages of a project is wrong": (
        "SELECT count(*) FROM projects p WHERE p.events <> (SELECT count(*) FROM events e "
        "WHERE e.project_id = p.id AND e.type <> 'COMPACTION')"
    ),
    "the count of indexed messages of a project is wrong": (
        "SELECT count(*) FROM projects p WHERE p.indexed <> (SELECT count(*) FROM event_words w "
        "JOIN events e ON e.seq = w.seq WHERE e.project_id = p.id)"
    ),
    "an index of the database is not valid": (
        "SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid "
        "WHERE c.relnamespace = current_schema()::regnamespace AND NOT i.indisvalid "
        "AND c.relname <> 'vectors'"
    ),
}


_MOST_NAMES = 20  # of projects whose ids are read together


class PostgresStore:
    """Fulfils the port `ThreadStore`."""

    def __init__(self, database: PostgresDatabase, exact_limit: int) -> None:
        self._database = database
        self._projects = projects = PostgresProjectIds(database)
        self.threads = ThreadTable(database, projects)
        self.events = PostgresEvents(database, projects)
        self.annotations = AnnotationTable(database, projects)
        self.statements = StatementTables(database, projects, None)
        self.bridges = BridgeTable(database, projects)
        self.foci = FocusTable(database, projects)
        self.journal = JournalTable(database, projects)
        self.ledger = LedgerTables(database, projects)
        self.imports = ImportMarkTable(database, projects)
        self.spending = SpendingTable(database, projects)
        self.transfer = PostgresTransfer(database, projects, self.journal, self.ledger)
        self.word_index = PostgresWordIndex(database, projects)
        self.vector_index = PostgresVectorIndex(database, projects, exact_limit)
        self.team = TeamTables(database, projects)
        self.erasure = PostgresErasure(
            database, projects, self.events, self.journal, self.word_index
        )

    @classmethod
    def open(
        cls, url: str, *, busy_timeout_ms: int = 30_000, exact_limit: int = 100_000
    ) -> "PostgresStore":
        """Open the database, creating or upgrading its layout as needed."""
        return cls(open_database(url, busy_timeout_ms), exact_limit)

    def limited_to(self, projects: Sequence[str]) -> "PostgresStore":
        view = copy(self)
        parts = self._database, self._projects, tuple(projects)
        view.threads, view.bridges = ThreadTable(*parts), BridgeTable(*parts)
        view.journal = JournalTable(*parts)
        return view

    def unit(self, *projects: str) -> AbstractContextManager[None]:
        return self._database.unit(projects)

    @property
    def stored_units(self) -> int:
        return self._database.stored_units

    def read_together(self, *reads: Callable[[], object]) -> list[Any]:
        return self._database.read_together(*reads)

    def pending_work(
        self, projects: Sequence[str], spaces: Sequence[str], judge: str | None
    ) -> dict[str, PendingWork]:
        reader = PendingWorkReader(self._database, self._projects, self.vector_index)
        return reader.pending_work(projects, spaces, judge)

    def project_counts(self) -> list[ProjectCount]:
        return self._projects.project_counts()

    def rename_project(self, project: str, name: str) -> None:
        with self._database.unit():
            self._database.run("UPDATE projects SET name = ? WHERE name = ?", (name, project))
            self._projects.clear_cache()

    def check(self) -> str:
        problems = [
            problem
            for problem, query in _INTEGRITY_CHECKS.items()
            if self._database.first_number(query)
        ]
        return "; ".join(problems)

    def close(self) -> None:
        self.word_index.close()
        self._database.close()


class PostgresProjectIds(ProjectIds):
    """The ids of projects; two processes may add the same one at once."""

    _database: PostgresDatabase

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(database)
        self._names: set[str] = set()

    def find_id(self, name: str) -> int | None:
        ids = self._database.project_ids
        if name not in ids:
            # Together with the others that a verb needs, so that it waits once for all.
            self._names = {name, *(self._names if len(self._names) < _MOST_NAMES else ())}
            rows = self._database.all_in(
                "SELECT name, id FROM projects WHERE name IN ({})", self._names
            )
            ids |= dict.fromkeys(self._names, 0) | dict(rows)
        return ids[name] or None

    def ensure_id(self, name: str) -> int:
        self._database.locked.refuse_other(name)
        if known := self.find_id(name):
            return known
        self._database.run("INSERT INTO projects (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
        self._database.forget_project_ids()
        return self.find_id(name) or 0

    def clear_cache(self) -> None:
        self._database.forget_project_ids()


class PostgresEvents(EventTable):
    """Fulfils the port `Events`: numbers are given out under the lock of the project."""

    _database: PostgresDatabase
    _engine_columns: Mapping[str, Value] = {"machine": platform.node()}

    def append(self, events: Sequence[Event]) -> list[Event]:
        if not events:
            return []
        with self._database.unit():
            for project in _projects_of(events):
                self._database.locked.refuse_other(project)
            self._database.lock_projects(_projects_of(events))
            fresh = [event for event in events if not event.seq]
            if len(fresh) < len(events):
                appended = super().append(events)
                self._database.reserve_numbers("events", max(event.seq for event in events))
                return appended
            return self._append_numbered(fresh)

    def _append_numbered(self, events: Sequence[Event]) -> list[Event]:
        """Insert all events with one statement, numbered in their order."""
        ids = {project: self._projects.ensure_id(project) for project in _projects_of(events)}
        rows = self._database.insert_rows(
            f"events (project_id, {', '.join((*EVENT_ROWS.names[1:], *self._engine_columns))})",
            ("integer", *("text",) * 7, "bigint", "text", "double precision", "text"),
            (
                (ids[event.project], *EVENT_ROWS.row(event)[1:], *self._engine_columns.values())
                for event in events
            ),
            "RETURNING seq",
        )
        return [replace(event, seq=row[0]) for event, row in zip(events, rows, strict=True)]


def _projects_of(events: Sequence[Event]) -> list[str]:
    return sorted({event.project for event in events})


class PostgresTransfer(TransferTables):
    """Fulfils the port `TransferStore`."""

    _database: PostgresDatabase

    def is_empty(self) -> bool:
        return not self._database.first_number(
            "SELECT (SELECT count(*) FROM threads) + (SELECT count(*) FROM sessions) "
            "+ (SELECT count(*) FROM journal) + (SELECT count(*) FROM events) "
            "+ (SELECT count(*) FROM ledger_pages) + (SELECT count(*) FROM forgotten)"
        )

    def reserve_seqs(self, lasts: LastSeqs) -> None:
        with self._database.unit():
            self._database.reserve_numbers("events", lasts.event)
            self._database.reserve_numbers("journal", lasts.change)
