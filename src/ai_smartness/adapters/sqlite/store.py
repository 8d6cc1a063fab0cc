"""A memory in one SQLite file: the parts of the store put together."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from copy import copy
from datetime import date
from pathlib import Path

from ai_smartness.adapters.sqlite.bulk_transfer import SqliteTransfer
from ai_smartness.adapters.sqlite.database import Database, ProjectIds, ProjectTables
from ai_smartness.adapters.sqlite.deletion import SqliteErasure
from ai_smartness.adapters.sqlite.event_tables import SqliteAnnotations, SqliteEvents
from ai_smartness.adapters.sqlite.full_text import SqliteWordIndex
from ai_smartness.adapters.sqlite.journal_table import SqliteJournal
from ai_smartness.adapters.sqlite.ledger_tables import SqliteLedger
from ai_smartness.adapters.sqlite.open_database import IN_MEMORY, open_database
from ai_smartness.adapters.sqlite.statement_tables import SqliteStatements
from ai_smartness.adapters.sqlite.thread_tables import SqliteBridges, SqliteFoci, SqliteThreads
from ai_smartness.adapters.sqlite.vector_tables import SqliteVectorIndex
from ai_smartness.ports import ProjectCount
from ai_smartness.ports.transfer import ImportMark

__all__ = ["SqliteStore"]


class SqliteStore:
    """Fulfils the port `ThreadStore`."""

    def __init__(self, database: Database, exact_limit: int) -> None:
        self._database = database
        self._projects = projects = ProjectIds(database)
        self.threads = SqliteThreads(database, projects)
        self.events = SqliteEvents(database, projects)
        self.annotations = SqliteAnnotations(database, projects)
        folder = None if database.name == IN_MEMORY else Path(f"{database.name}.vectors")
        self.statements = SqliteStatements(database, projects, folder)
        self.bridges = SqliteBridges(database, projects)
        self.foci = SqliteFoci(database, projects)
        self.journal = SqliteJournal(database, projects)
        self.ledger = SqliteLedger(database, projects)
        self.imports = SqliteImportMarks(database, projects)
        self.spending = SqliteSpending(database, projects)
        self.transfer = SqliteTransfer(database, projects, self.journal, self.ledger)
        self.word_index = SqliteWordIndex(database, projects)
        self.vector_index = SqliteVectorIndex(database, projects, folder, exact_limit)
        self.erasure = SqliteErasure(
            database, projects, self.events, self.journal, self._drop_vector_files
        )

    @classmethod
    def open(
        cls, path: Path | str, *, busy_timeout_ms: int = 30_000, exact_limit: int = 100_000
    ) -> "SqliteStore":
        """Open the file, creating or upgrading it as needed."""
        return cls(open_database(path, busy_timeout_ms), exact_limit)

    def limited_to(self, projects: Sequence[str]) -> "SqliteStore":
        view = copy(self)
        parts = self._database, self._projects, tuple(projects)
        view.threads, view.bridges = SqliteThreads(*parts), SqliteBridges(*parts)
        view.journal = SqliteJournal(*parts)
        return view

    def unit(self) -> AbstractContextManager[None]:
        return self._database.unit()

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


class SqliteImportMarks(ProjectTables):
    """Fulfils the port `ImportMarks`."""

    def marks_by_path(self) -> dict[str, ImportMark]:
        rows = self._database.all("SELECT path, offset, size, changed_ns, head, state FROM imports")
        return {row[0]: ImportMark(*row[1:]) for row in rows}

    def save(self, marks: Iterable[tuple[str, ImportMark]]) -> None:
        with self._database.unit():
            self._database.run_many(
                "INSERT OR REPLACE INTO imports (path, offset, size, changed_ns, head, state) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (path, mark.offset, mark.size, mark.changed_ns, mark.head, mark.state)
                    for path, mark in marks
                ),
            )


class SqliteSpending(ProjectTables):
    """Fulfils the port `Spending`."""

    def tokens_on(self, day: date) -> int:
        return self._database.first_number("SELECT tokens FROM spending WHERE day = ?", (str(day),))

    def add(self, day: date, tokens: int) -> None:
        self._database.run(
            "INSERT INTO spending (day, tokens) VALUES (?1, max(0, ?2)) "
            "ON CONFLICT (day) DO UPDATE SET tokens = max(0, tokens + ?2)",
            (str(day), tokens),
        )
