"""A memory in one SQLite file: the parts of the store put together."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from copy import copy
from pathlib import Path
from typing import Any

from ai_smartness.adapters.sqlite.database import Database
from ai_smartness.adapters.sqlite.full_text import SqliteWordIndex
from ai_smartness.adapters.sqlite.open_database import IN_MEMORY, open_database
from ai_smartness.adapters.sqlite.purge import SqliteErasure
from ai_smartness.adapters.sqlite.small_projects import SMALL_PROJECT
from ai_smartness.adapters.sqlite.vector_tables import SqliteVectorIndex
from ai_smartness.adapters.tables.bulk_transfer import TransferTables
from ai_smartness.adapters.tables.event_tables import AnnotationTable, EventTable
from ai_smartness.adapters.tables.import_and_spending_tables import ImportMarkTable, SpendingTable
from ai_smartness.adapters.tables.journal_table import JournalTable
from ai_smartness.adapters.tables.ledger_tables import LedgerTables
from ai_smartness.adapters.tables.pending_work import PendingWorkReader
from ai_smartness.adapters.tables.sql_database import ProjectIds
from ai_smartness.adapters.tables.statement_tables import StatementTables
from ai_smartness.adapters.tables.thread_tables import BridgeTable, FocusTable, ThreadTable
from ai_smartness.model.status import PendingWork
from ai_smartness.ports import ProjectCount
from ai_smartness.ports.transfer import LastSeqs

__all__ = ["SqliteStore"]


class SqliteStore:
    """Fulfils the port `ThreadStore`."""

    team = None  # a file belongs to one person

    def __init__(
        self, database: Database, exact_limit: int, small_project: int = SMALL_PROJECT
    ) -> None:
        self._database = database
        self._projects = projects = ProjectIds(database)
        self.threads = ThreadTable(database, projects)
        self.events = EventTable(database, projects)
        self.annotations = AnnotationTable(database, projects)
        folder = None if database.name == IN_MEMORY else Path(f"{database.name}.vectors")
        self.statements = StatementTables(database, projects, folder)
        self.bridges = BridgeTable(database, projects)
        self.foci = FocusTable(database, projects)
        self.journal = JournalTable(database, projects)
        self.ledger = LedgerTables(database, projects)
        self.imports = ImportMarkTable(database, projects)
        self.spending = SpendingTable(database, projects)
        self.transfer = SqliteTransfer(database, projects, self.journal, self.ledger)
        self.word_index = SqliteWordIndex(database, projects, small_project)
        self.vector_index = SqliteVectorIndex(database, projects, folder, exact_limit)
        self.erasure = SqliteErasure(
            database, projects, self.events, self.journal, self._drop_vector_files
        )

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        busy_timeout_ms: int = 30_000,
        exact_limit: int = 100_000,
        small_project: int = SMALL_PROJECT,
    ) -> "SqliteStore":
        """Open the file, creating or upgrading it as needed."""
        return cls(open_database(path, busy_timeout_ms), exact_limit, small_project)

    def limited_to(self, projects: Sequence[str]) -> "SqliteStore":
        view = copy(self)
        parts = self._database, self._projects, tuple(projects)
        view.threads, view.bridges = ThreadTable(*parts), BridgeTable(*parts)
        view.journal = JournalTable(*parts)
        return view

    def unit(self, *projects: str) -> AbstractContextManager[None]:
        return self._database.unit(projects)

    @property
    def stored_units(self) -> int:
        return 0  # no unit fails by chance: whoever writes waits for the file

    def read_together(self, *reads: Callable[[], object]) -> list[Any]:
        return self._database.read_together(*reads)  # one after the other: a file does not wait

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
        lines = [row[0] for row in self._database.all("PRAGMA quick_check(5)")]
        return "" if lines == ["ok"] else "; ".join(lines)

    def _drop_vector_files(self) -> None:
        self.vector_index.drop_outdated_graphs()
        self.statements.drop_vector_files()

    def close(self) -> None:
        self.word_index.close()
        self._database.close()


class SqliteTransfer(TransferTables):
    """Fulfils the port `TransferStore`."""

    def is_empty(self) -> bool:
        # The sequence too: a number that was used once is not used again.
        return not self._database.first_number(
            "SELECT (SELECT count(*) FROM threads) + (SELECT count(*) FROM sessions) "
            "+ coalesce((SELECT sum(seq) FROM sqlite_sequence), 0)"
        )

    def reserve_seqs(self, lasts: LastSeqs) -> None:
        with self._database.unit():
            for table, last in (("events", lasts.event), ("journal", lasts.change)):
                # Until something was numbered, the table has no row to update.
                self._database.run(
                    "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0 "
                    "WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
                    (table,),
                )
                self._database.run(
                    "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (last, table)
                )
