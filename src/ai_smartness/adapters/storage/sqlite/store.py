"""A memory in one SQLite file."""

from contextlib import AbstractContextManager
from pathlib import Path

from ai_smartness.adapters.storage.sqlite.archive import SqliteArchive
from ai_smartness.adapters.storage.sqlite.bridges import SqliteBridges
from ai_smartness.adapters.storage.sqlite.database import Database
from ai_smartness.adapters.storage.sqlite.events import SqliteEvents
from ai_smartness.adapters.storage.sqlite.foci import SqliteFoci
from ai_smartness.adapters.storage.sqlite.forget import SqliteOblivion
from ai_smartness.adapters.storage.sqlite.imports import SqliteImports
from ai_smartness.adapters.storage.sqlite.journal import SqliteJournal
from ai_smartness.adapters.storage.sqlite.ledger import SqliteLedger
from ai_smartness.adapters.storage.sqlite.notes import SqliteNotes
from ai_smartness.adapters.storage.sqlite.opening import IN_MEMORY, open_database
from ai_smartness.adapters.storage.sqlite.projects import Projects
from ai_smartness.adapters.storage.sqlite.spending import SqliteSpending
from ai_smartness.adapters.storage.sqlite.threads import SqliteThreads
from ai_smartness.adapters.storage.sqlite.vectors import SqliteVectors
from ai_smartness.adapters.storage.sqlite.words import SqliteWords
from ai_smartness.ports import ProjectCount

__all__ = ["SqliteStore"]


class SqliteStore:
    """Fulfils the port `ThreadStore`."""

    def __init__(self, database: Database, exact_limit: int) -> None:
        self._database = database
        self._projects = Projects(database)
        self.threads = SqliteThreads(database, self._projects)
        self.events = SqliteEvents(database, self._projects)
        self.notes = SqliteNotes(database, self._projects)
        self.bridges = SqliteBridges(database)
        self.foci = SqliteFoci(database, self._projects)
        self.journal = SqliteJournal(database, self._projects)
        self.ledger = SqliteLedger(database, self._projects)
        self.imports = SqliteImports(database)
        self.spending = SqliteSpending(database)
        self.archive = SqliteArchive(database, self._projects, self.journal)
        self.words = SqliteWords(database, self._projects)
        graphs = None if database.name == IN_MEMORY else Path(f"{database.name}.vectors")
        self.vectors = SqliteVectors(database, self._projects, graphs, exact_limit)
        self.oblivion = SqliteOblivion(
            database, self._projects, self.events, self.journal, self.vectors.drop_outdated
        )

    @classmethod
    def open(
        cls, path: Path | str, *, busy_timeout_ms: int = 30_000, exact_limit: int = 100_000
    ) -> "SqliteStore":
        """Open the file, making or upgrading it as needed."""
        return cls(open_database(path, busy_timeout_ms), exact_limit)

    def unit(self) -> AbstractContextManager[None]:
        """Carry out all writes inside, or none of them."""
        return self._database.unit()

    def projects(self) -> list[ProjectCount]:
        """Return the projects the file knows."""
        return self._projects.counted()

    def check(self) -> str:
        """Say what is damaged; nothing if the file is whole."""
        said = [str(row[0]) for row in self._database.all("PRAGMA quick_check(5)")]
        return "" if said == ["ok"] else "; ".join(said)

    def close(self) -> None:
        """Close the file."""
        self.words.close()
        self._database.close()
