"""What the tables need of an SQL database, and the ids of its projects.

A statement is written for SQLite and PostgreSQL alike, with `?` or `?1` for a value. Where the
two differ, the database has a member for it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, TypeAlias

from ai_smartness.adapters.tables.locked_projects import LockedProjects
from ai_smartness.ports import ProjectCount

__all__ = ["FEW_SEQS", "ProjectIds", "ProjectTables", "Row", "SqlDatabase", "Value"]

Value: TypeAlias = str | int | float | bytes | None
FEW_SEQS = "seq < 9223372036854775807"
"""Is always true. With it, PostgreSQL expects few events after a number that it does not know yet,
and reads them by their index. Otherwise it expects a third of the table and reads all of it."""

Row: TypeAlias = tuple[Any, ...]


class SqlDatabase(ABC):
    """An open database whose errors are `StoreError` and whose units are all or nothing."""

    ORDERED_JOIN: ClassVar[str]
    """Joins two tables and reads the first one first, where the engine can be told to."""

    POSITION: ClassVar[str]
    """The function for where a text has a part of it, letter for letter; 0 for nowhere."""

    locked: LockedProjects
    """The projects of the running unit."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Return the database's name, for messages."""

    @abstractmethod
    def all(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Return every row of a query."""

    @abstractmethod
    def all_in(self, sql: str, keys: Iterable[Value], values: Sequence[Value] = ()) -> list[Row]:
        """Return the rows of a query for many keys, which a last `IN ({})` stands for."""

    @abstractmethod
    def run(self, sql: str, values: Sequence[Value] = ()) -> None:
        """Execute one statement. A unit may send it with its next read."""

    @abstractmethod
    def run_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """Execute one statement for each row. A unit may send it with its next read."""

    @abstractmethod
    def insert(self, sql: str, values: Sequence[Value], key: str) -> int:
        """Insert one row and return its new number in the column `key`."""

    @abstractmethod
    def unit(self, projects: Collection[str] | None = None) -> AbstractContextManager[None]:
        """Execute everything inside or nothing; a unit inside a unit joins it.

        `projects` are locked, none of them stands for the whole store. Without the argument,
        a running unit is joined as it is: `locked` refuses what it does not cover.
        """

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[None]:
        """Read everything inside as of one moment; others go on writing meanwhile."""

    @abstractmethod
    def choose_events(self, seqs: Collection[int]) -> None:
        """Set the events that `chosen_seqs` stands for."""

    @property
    @abstractmethod
    def chosen_seqs(self) -> str:
        """Return a query for the events of the last call of `choose_events`."""

    @abstractmethod
    def index_hint(self, index: str) -> str:
        """Return what follows a table's name to have an index used."""

    @property
    @abstractmethod
    def project_ids(self) -> dict[str, int]:
        """Return the cached ids of projects, 0 for one that there is not."""

    def read_together(self, *reads: Callable[[], object]) -> list[Any]:
        """Carry out reads that do not need each other; a server is asked for all at once."""
        return [read() for read in reads]

    def first_row(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        """Return the first row of a query."""
        return next(iter(self.all(sql, values)), None)

    def first_number(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Return the number in the first row of a query; 0 without one."""
        row = self.first_row(sql, values)
        return int(row[0] or 0) if row else 0


class ProjectIds:
    """Project names to ids, which the database caches."""

    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    def find_id(self, name: str) -> int | None:
        """Return the project's id, if the store has one."""
        ids = self._database.project_ids
        if name not in ids:
            ids[name] = self._database.first_number(
                "SELECT id FROM projects WHERE name = ?", (name,)
            )
        return ids[name] or None

    def ensure_id(self, name: str) -> int:
        """Return the project's id, adding the project if needed; its unit must have locked it."""
        self._database.locked.refuse_other(name)
        if known := self.find_id(name):
            return known
        added = self._database.insert("INSERT INTO projects (name) VALUES (?)", (name,), "id")
        self._database.project_ids[name] = added
        return added

    def clear_cache(self) -> None:
        """Drop the cached ids, after the deletion of a project."""
        self._database.project_ids.clear()

    def project_counts(self) -> list[ProjectCount]:
        """Return every project with its number of threads and events."""
        rows = self._database.all(
            "SELECT name, (SELECT count(*) FROM threads WHERE project_id = projects.id), events "
            "FROM projects ORDER BY name"
        )
        return [ProjectCount(*row) for row in rows]


class ProjectTables:
    """The base of the classes that read and write tables.

    With a `scope`, ids of other projects than these lead nowhere.
    """

    def __init__(
        self, database: SqlDatabase, projects: ProjectIds, scope: Sequence[str] | None = None
    ) -> None:
        self._database = database
        self._projects = projects
        self._scope = scope

    def _in_scope(self, column: str) -> str:
        """Return the condition that a project's number is in scope."""
        if self._scope is None:
            return "TRUE"
        # Looked up each time: a project gets its number with its first message.
        numbers = [number for number in map(self._projects.find_id, self._scope) if number]
        if not numbers:
            return "FALSE"
        # The plus keeps SQLite from walking all rows of a project for the few with an id.
        return f"+{column} IN ({', '.join(map(str, numbers))})"

    @property
    def _here(self) -> str:
        return "" if self._scope is None else " in this project"
