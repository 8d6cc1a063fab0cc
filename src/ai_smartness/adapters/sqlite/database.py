"""One open SQLite file, and the ids of its projects.

Every statement of the store passes through `Database`, so that errors are
translated once, transactions nest, and threads take turns.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

from ai_smartness.adapters.sqlite.file_lock import FileLock
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.ports import ProjectCount

__all__ = ["Database", "ProjectIds", "ProjectTables", "Row", "Value", "error_message"]

Value: TypeAlias = str | int | float | bytes | None
Row: TypeAlias = tuple[Any, ...]

_BATCH_KEYS = 500


class Database:
    """A connection whose errors are `StoreError` and whose units are all or nothing."""

    def __init__(
        self, connection: sqlite3.Connection, name: str, lock: FileLock | None = None
    ) -> None:
        self._connection = connection
        self._name = name
        self._lock = lock
        self._turn = threading.RLock()
        self._depth = 0
        self._roll_back_listeners: list[Callable[[], None]] = []

    @property
    def name(self) -> str:
        """Return the file's name, for messages."""
        return self._name

    def all(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Return every row of a query."""
        with self._turn, self._translated_errors():
            return self._connection.execute(sql, values).fetchall()

    def all_in(self, sql: str, keys: Iterable[Value], values: Sequence[Value] = ()) -> list[Row]:
        """Return the rows of a query for many keys, which `IN ({})` stands for, in batches."""
        rows, left = list[Row](), list(keys)
        for start in range(0, len(left), _BATCH_KEYS):
            batch = left[start : start + _BATCH_KEYS]
            rows += self.all(sql.format(", ".join("?" * len(batch))), (*values, *batch))
        return rows

    def first_row(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        """Return the first row of a query."""
        with self._turn, self._translated_errors():
            row: Row | None = self._connection.execute(sql, values).fetchone()
            return row

    def first_number(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Return the number in the first row of a query; 0 without one."""
        row = self.first_row(sql, values)
        return int(row[0] or 0) if row else 0

    def run(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Execute one statement and return the id of the row it inserted last."""
        with self._turn, self._translated_errors():
            return self._connection.execute(sql, values).lastrowid or 0

    def run_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> int:
        """Execute one statement for each row and return how many rows it changed itself."""
        with self._turn, self._translated_errors():
            return self._connection.executemany(sql, rows).rowcount

    @contextmanager
    def unit(self) -> Iterator[None]:
        """Execute everything inside or nothing; a unit inside a unit joins it."""
        with self._turn:
            if self._depth == 0:
                self.run("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
            except BaseException:
                self._depth -= 1
                if self._depth == 0:
                    self._roll_back()
                raise
            self._depth -= 1
            if self._depth == 0:
                self._commit_unit()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read everything inside as of one moment; others go on writing meanwhile."""
        with self._turn:
            if self._depth:
                yield
                return
            self.run("BEGIN")
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                self._roll_back()

    def copy_to(self, target: str) -> None:
        """Write a consistent copy of the whole file."""
        with self._turn, self._translated_errors():
            copy = sqlite3.connect(target)
            try:
                self._connection.backup(copy)
            finally:
                copy.close()

    def close(self) -> None:
        """Close the connection; a unit that is still open is rolled back."""
        with self._turn, self._translated_errors():
            self._connection.close()
            if self._lock is not None:
                self._lock.release()

    def on_roll_back(self, listener: Callable[[], None]) -> None:
        """Call a function after each roll-back, to drop values read inside the unit."""
        self._roll_back_listeners.append(listener)

    def _commit_unit(self) -> None:
        try:
            self.run("COMMIT")
        except StoreError:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        # A full disk or an I/O error makes SQLite roll back by itself; the second attempt then
        # says that there is no transaction, which must not hide the first error.
        with suppress(StoreError):
            self.run("ROLLBACK")
        for listener in self._roll_back_listeners:
            listener()

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(error_message(error, self._name)) from error
        except (UnicodeEncodeError, OverflowError) as error:
            # A lone surrogate, or a number of more than 64 bits: nothing is stored under it.
            msg = f"no id, name or number of a memory is like this: {error}. Give another one."
            raise RefusedError(msg) from error


def error_message(error: sqlite3.Error, name: str) -> str:
    """Explain an SQLite error to the user."""
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    return _ERROR_MESSAGES.get(code, _OTHER_ERROR).format(name=name, error=error)


_OTHER_ERROR = "the memory {name} did not carry out a statement: {error}."
_BUSY = (
    "the memory {name} is busy: another process has been writing to it all this time. "
    "Nothing was changed; try again, or raise `store.busy_timeout_ms`."
)
_READ_ONLY = (
    "the memory {name} cannot be written: the file or its folder is read-only. "
    "Nothing was changed; change the permissions, or choose another place with --home."
)
_ERROR_MESSAGES = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_FULL: (
        "the memory {name} cannot be written: the disk is full. "
        "Nothing was changed; make room and try again."
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "the memory {name} cannot be opened: its folder is read-only or out of reach. "
        "Check the path and its permissions, or choose another place with --home."
    ),
    sqlite3.SQLITE_CORRUPT: (
        "the memory {name} is damaged ({error}). Nothing was changed; keep the file. "
        "`ais restore latest` sets it aside and puts the newest good backup in its place; then "
        "`ais import` brings in what was said since. What is captured meanwhile waits in the "
        "inbox."
    ),
    sqlite3.SQLITE_NOTADB: (
        "{name} is not a memory: it is not an SQLite file. "
        "Nothing was changed; name another file, or move this one away. If it was a memory, "
        "`ais restore latest` sets it aside and puts the newest good backup in its place."
    ),
    sqlite3.SQLITE_IOERR: (
        "the memory {name} cannot be read or written: the disk answered with an error ({error}). "
        "Nothing was changed; check the disk and its free space."
    ),
}


class ProjectIds:
    """Project names to ids. An id is cached until another process writes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ids: dict[str, int] = {}
        self._version = 0
        database.on_roll_back(self._ids.clear)

    def find_id(self, name: str) -> int | None:
        """Return the project's id, if the file has one."""
        version = self._database.first_number("PRAGMA data_version")
        if version != self._version:
            # Another process has written: it may have deleted a project.
            self._version = version
            self._ids.clear()
        if name not in self._ids:
            project_id = self._database.first_number(
                "SELECT id FROM projects WHERE name = ?", (name,)
            )
            if not project_id:
                return None
            self._ids[name] = project_id
        return self._ids[name]

    def ensure_id(self, name: str) -> int:
        """Return the project's id, adding the project if needed."""
        return self.find_id(name) or self._database.run(
            "INSERT INTO projects (name) VALUES (?)", (name,)
        )

    def clear_cache(self) -> None:
        """Drop the cached ids, after the deletion of a project."""
        self._ids.clear()

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
        self, database: Database, projects: ProjectIds, scope: Sequence[str] | None = None
    ) -> None:
        self._database = database
        self._projects = projects
        self._scope = scope

    def _in_scope(self, column: str) -> str:
        """Return the condition that a project's number is in scope."""
        if self._scope is None:
            return "TRUE"
        # Looked up each time: a project gets its number with its first message.
        numbers = map(self._projects.find_id, self._scope)
        # The plus keeps SQLite from walking all rows of a project for the few with an id.
        return f"+{column} IN ({', '.join(str(number) for number in numbers if number)})"

    @property
    def _here(self) -> str:
        return "" if self._scope is None else " in this project"
