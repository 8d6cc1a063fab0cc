"""One open SQLite file.

Every statement of the store passes through here, so that errors are
translated once, transactions nest, and threads take turns.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TypeAlias

from ai_smartness.model.errors import RefusedError, StoreError

__all__ = ["Database", "Row", "Value"]

Value: TypeAlias = str | int | float | bytes | None
Row: TypeAlias = tuple[Value, ...]


class Database:
    """A connection that speaks in `StoreError` and whose units are all or nothing."""

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        self._connection = connection
        self._name = name
        self._turn = threading.RLock()
        self._depth = 0
        self._rolled_back: list[Callable[[], None]] = []

    @property
    def name(self) -> str:
        """Name the file for messages."""
        return self._name

    def all(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Return every row of a query."""
        with self._turn, self._translated():
            return self._connection.execute(sql, values).fetchall()

    def one(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        """Return the first row of a query."""
        with self._turn, self._translated():
            row: Row | None = self._connection.execute(sql, values).fetchone()
            return row

    def number(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Return the one number a query asks for; no row counts as 0."""
        row = self.one(sql, values)
        return int(row[0]) if row and row[0] is not None else 0

    def run(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Carry out one statement and return the number of the row it added last."""
        with self._turn, self._translated():
            return self._connection.execute(sql, values).lastrowid or 0

    def many(self, sql: str, rows: Iterable[Sequence[Value]]) -> int:
        """Carry out one statement for each row and return how many rows it changed itself."""
        with self._turn, self._translated():
            return self._connection.executemany(sql, rows).rowcount

    @contextmanager
    def unit(self) -> Iterator[None]:
        """Carry out everything inside or nothing; a unit inside a unit joins it."""
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
                self._commit()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """See everything inside as it was at one moment; others go on writing meanwhile."""
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
        with self._turn, self._translated():
            copy = sqlite3.connect(target)
            try:
                self._connection.backup(copy)
            finally:
                copy.close()

    def close(self) -> None:
        """Close the connection; a unit that is still open is rolled back."""
        with self._turn, self._translated():
            self._connection.close()

    def _commit(self) -> None:
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
        for forget in self._rolled_back:
            forget()

    def when_rolled_back(self, forget: Callable[[], None]) -> None:
        """Call this after each roll-back: what was read inside the unit is no longer so."""
        self._rolled_back.append(forget)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(said(error, self._name)) from error
        except (UnicodeEncodeError, OverflowError) as error:
            # Half of a character, or a number of more than 64 bits: nothing is stored under it.
            msg = f"no id, name or number of a memory is like this: {error}. Give another one."
            raise RefusedError(msg) from error


def said(error: sqlite3.Error, name: str) -> str:
    """Say what an SQLite error means for the person whose memory it is."""
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    return _MEANINGS.get(code, _UNNAMED).format(name=name, error=error)


_UNNAMED = "the memory {name} did not carry out a statement: {error}."
_BUSY = (
    "the memory {name} is busy: another process has been writing to it all this time. "
    "Nothing was changed; try again, or raise `store.busy_timeout_ms`."
)
_READ_ONLY = (
    "the memory {name} cannot be written: the file or its folder is read-only. "
    "Nothing was changed; change the permissions, or choose another place with --home."
)
_MEANINGS = {
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
