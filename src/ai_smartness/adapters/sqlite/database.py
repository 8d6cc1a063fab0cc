"""One open SQLite file.

Every statement of the store passes through `Database`, so that errors are
translated once, transactions nest, and threads take turns.
"""

import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from ai_smartness.adapters.sqlite.file_lock import FileLock
from ai_smartness.adapters.tables.locked_projects import LockedProjects
from ai_smartness.adapters.tables.sql_database import Row, SqlDatabase, Value
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.ports.give_way import give_way

__all__ = ["Database", "error_message"]

_BATCH_KEYS = 500
_BATCH_ROWS = 500  # read at once: a background thread gives way in between


class Database(SqlDatabase):
    """A connection whose errors are `StoreError` and whose units are all or nothing."""

    ORDERED_JOIN = "CROSS JOIN"
    POSITION = "instr"

    def __init__(
        self, connection: sqlite3.Connection, name: str, lock: FileLock | None = None
    ) -> None:
        self._connection = connection
        self._name = name
        self._lock = lock
        self._turn = threading.RLock()
        self._depth = 0
        self.locked = LockedProjects()
        self._project_ids: dict[str, int] = {}
        self._version = 0
        self._roll_backs = 0

    @property
    def name(self) -> str:
        """Return the file's name, for messages."""
        return self._name

    def all(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Return every row of a query."""
        rows = list[Row]()
        with self._turn, self._translated_errors():
            cursor = self._connection.execute(sql, _bound_values(sql, values))
            while batch := cursor.fetchmany(_BATCH_ROWS):
                rows += batch
                give_way()
        return rows

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
            row: Row | None = self._connection.execute(sql, _bound_values(sql, values)).fetchone()
            return row

    def run(self, sql: str, values: Sequence[Value] = ()) -> None:
        """Execute one statement."""
        with self._turn, self._translated_errors():
            self._connection.execute(sql, _bound_values(sql, values))

    def insert(self, sql: str, values: Sequence[Value], key: str) -> int:  # noqa: ARG002 - its row id
        """Insert one row and return its number."""
        with self._turn, self._translated_errors():
            return self._connection.execute(sql, _bound_values(sql, values)).lastrowid or 0

    def run_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """Execute one statement for each row."""
        self.changed_rows(sql, rows)

    def changed_rows(self, sql: str, rows: Iterable[Sequence[Value]]) -> int:
        """Execute one statement for each row and return how many rows it changed itself."""
        with self._turn, self._translated_errors():
            bound = (_bound_values(sql, row) for row in rows)
            return self._connection.executemany(sql, bound).rowcount

    @contextmanager
    def unit(self, projects: Collection[str] | None = None) -> Iterator[None]:
        """Execute everything inside or nothing; a unit inside a unit joins it.

        SQLite locks the whole file. `projects` are those that may be written, none of them
        stands for all; a part of the store that only joins what is running names nothing.
        """
        with self._turn:
            if self._depth == 0:
                self.run("BEGIN IMMEDIATE")
                self.locked.begin(projects or ())
            elif projects is not None:
                self.locked.join(projects)
            self._depth += 1
            try:
                yield
            except BaseException:
                self._depth -= 1
                if self._depth == 0:
                    self.locked.end()
                    self._roll_back()
                raise
            self._depth -= 1
            if self._depth == 0:
                self.locked.end()
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

    def choose_events(self, seqs: Collection[int]) -> None:
        """Set the events that `chosen_seqs` stands for, in a table of this connection."""
        self.run("CREATE TEMP TABLE IF NOT EXISTS chosen (seq INTEGER PRIMARY KEY)")
        self.run("DELETE FROM temp.chosen")
        self.run_many("INSERT OR IGNORE INTO temp.chosen VALUES (?)", ((seq,) for seq in seqs))

    @property
    def chosen_seqs(self) -> str:
        """Return a query for the chosen events."""
        return "(SELECT seq FROM temp.chosen)"

    def index_hint(self, index: str) -> str:
        """Return what follows a table's name to have an index used."""
        return f" INDEXED BY {index}"

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Let no other thread execute a statement while inside."""
        with self._turn:
            yield

    def write_counts(self) -> tuple[int, ...]:
        """Return numbers of which one has changed whenever something was written or rolled back."""
        version = self.first_number("PRAGMA data_version")
        return version, self._connection.total_changes, self._roll_backs

    @property
    def project_ids(self) -> dict[str, int]:
        """Return the ids that were read since another process has written; it may delete one."""
        version, self._version = self._version, self.first_number("PRAGMA data_version")
        if version != self._version:
            self._project_ids.clear()
        return self._project_ids

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
        self._project_ids.clear()
        self._roll_backs += 1

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


def _bound_values(sql: str, values: Sequence[Value]) -> Sequence[Value] | Mapping[str, Value]:
    """Return the values as Python wants them: by name, if the statement numbers them.

    Python 3.12.0 to 3.12.3 warn about a sequence for `?1`, whose name is `1`.
    """
    if "?1" not in sql:
        return values
    return {str(number): value for number, value in enumerate(values, 1)}
