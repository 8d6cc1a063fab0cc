"""One PostgreSQL database: transactions that nest, locked projects, errors in plain words.

A thread that is in a unit has a connection of its own; everybody else borrows one for a statement.
Nothing depends on the state of a session, so that a pooler may stand in between: statements are
not prepared, settings and locks are those of a transaction.
"""

import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import psycopg

from ai_smartness.adapters.postgres.postgres_errors import store_error
from ai_smartness.adapters.tables.locked_projects import LockedProjects
from ai_smartness.adapters.tables.sql_database import Row, SqlDatabase, Value
from ai_smartness.model.errors import AisError, RefusedError

if TYPE_CHECKING:
    from ai_smartness.adapters.postgres.connections import SharedPool

__all__ = ["PostgresDatabase"]

Connection: TypeAlias = psycopg.Connection[Row]
Parameter: TypeAlias = Value | list[Value]

_PLACEHOLDER = re.compile(r"\?(\d*)|%")
_BATCH_ROWS = 5_000
_ROUND_TRIPS = 5  # of which the shortest says how far away the server is
_ARRAYS = {"halfvec": "text"}  # the type that an array of these is sent as
_LARGEST = 1 << 63
_IDS_SECONDS = 1.0  # for which the numbers of projects are cached outside a unit

# PostgreSQL stores no U+0000. These three are no characters, and stand in no ordinary text.
_ESCAPE, _ESCAPED_NUL, _ESCAPED_ESCAPE = "\ufdd0", "\ufdd0\ufdd1", "\ufdd0\ufdd2"

_WHOLE_STORE = 0x41495331  # the advisory lock of a unit that names no project ("AIS1")


@dataclass(slots=True)
class _Transaction:
    """A transaction of one thread. What is `pending` is sent together with the next statement."""

    connection: Connection
    pending: list[str]
    is_sent: bool = False
    ids_are_fresh: bool = False
    savepoints: int = 0
    locked: set[str] = field(default_factory=set)
    locks_all: bool = False


class _LockedByThread(threading.local, LockedProjects):
    """The projects that the unit of each thread has locked."""


class PostgresDatabase(SqlDatabase):
    """A pool of connections whose errors are `StoreError` and whose units are all or nothing."""

    ORDERED_JOIN = "JOIN"
    HAS_PINNED_TAG = "strpos(tags, '\"pinned\"') > 0"

    def __init__(self, pool: "SharedPool", busy_timeout_ms: int) -> None:
        self._pool = pool
        self._busy_timeout_ms = busy_timeout_ms
        self._local = threading.local()
        self.locked = _LockedByThread()
        self._chosen: Collection[int] = ()
        self._ids_checked = 0.0
        self._roll_back_listeners: list[Callable[[], None]] = []

    @property
    def name(self) -> str:
        return self._pool.name

    def all(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        return self._fetch(sql, values)

    def all_in(self, sql: str, keys: Iterable[Value], values: Sequence[Value] = ()) -> list[Row]:
        wanted = list(keys)
        if not wanted:
            return []
        return self._fetch(sql.replace("IN ({})", "= ANY(?)"), (*values, wanted))

    def run(self, sql: str, values: Sequence[Value] = ()) -> None:
        self._send(sql, lambda cursor, query: cursor.execute(query, _parameters(sql, values)))

    def run_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> int:
        stored = [_parameters(sql, row) for row in rows]
        if not stored:
            return 0
        cursor = self._send(sql, lambda cursor, query: cursor.executemany(query, stored))
        return cursor.rowcount

    def insert_rows(
        self, table: str, types: Sequence[str], rows: Iterable[Sequence[Value]], tail: str = ""
    ) -> list[Row]:
        """Insert many rows with few statements, in their order; return what `tail` asks for.

        `table` names the columns too, `types` their types; `tail` ends with a RETURNING clause.
        """
        arrays = ", ".join(f"?::{_ARRAYS.get(kind, kind)}[]" for kind in types)
        columns = ", ".join(f"c{number}::{kind}" for number, kind in enumerate(types))
        names = ", ".join(f"c{number}" for number in range(len(types)))
        sql = (
            f"INSERT INTO {table} SELECT {columns} FROM unnest({arrays}) "
            f"WITH ORDINALITY AS given ({names}, place) ORDER BY place {tail}"
        )
        returned, left = list[Row](), iter(rows)
        while batch := list(islice(left, _BATCH_ROWS)):
            returned += self._fetch(sql, [list(column) for column in zip(*batch, strict=True)])
        return returned

    def reserve_numbers(self, table: str, last: int) -> None:
        """Let new rows of a table be numbered after this one."""
        if last:
            sequence = f"{table}_seq_seq"
            self.run(
                f"SELECT setval('{sequence}', greatest(last_value, ?)) FROM {sequence}", (last,)
            )

    def insert(self, sql: str, values: Sequence[Value], key: str) -> int:
        return int(self._fetch(f"{sql} RETURNING {key}", values)[0][0])

    def run_script(self, script: str) -> None:
        """Execute several statements in the current unit."""
        self.run("SELECT 1")  # sends the start of the unit, which a script cannot follow at once
        transaction = self._transaction
        assert transaction is not None  # noqa: S101 - the callers are in a unit
        with self._translated_errors():
            transaction.connection.execute(script)

    def run_outside(self, sql: str) -> None:
        """Execute a statement that cannot be in a transaction, such as VACUUM."""
        with self._translated_errors(), self._pool.lent_connection() as connection:
            connection.execute(sql)

    @contextmanager
    def unit(self, projects: Collection[str] | None = None) -> Iterator[None]:
        """Execute everything inside or nothing; after an error inside a unit the outer one goes on.

        Without `projects` nothing is locked but what is written.
        """
        if (transaction := self._transaction) is not None:
            if projects is not None:
                self.locked.join(projects)
                self.lock_projects(projects)
            with self._savepoint(transaction):
                yield
            return
        with self._begun("BEGIN ISOLATION LEVEL READ COMMITTED", projects or ()) as transaction:
            if projects is not None:
                self.lock_projects(projects)
            yield
            self._commit(transaction)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        if self._transaction is not None:
            yield
            return
        with self._begun("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as transaction:
            yield
            self._roll_back(transaction)

    def lock_projects(self, names: Collection[str]) -> None:
        """Wait until no other unit has these projects, or any if none is named; lock them.

        Numbers of events are given out under this lock: within a project they become visible in
        rising order. The rows are locked by their ids, so that two units cannot wait for each
        other.
        """
        transaction = self._transaction
        if transaction is None or transaction.locks_all:
            return
        wanted = sorted(set(names) - transaction.locked)
        if names and not wanted:
            return
        transaction.ids_are_fresh = False
        if not names:
            transaction.locks_all = True
            self.run("SELECT pg_advisory_xact_lock(?)", (_WHOLE_STORE,))
            self.all("SELECT id FROM projects ORDER BY id FOR NO KEY UPDATE")
            return
        if not transaction.locked:
            self.run("SELECT pg_advisory_xact_lock_shared(?)", (_WHOLE_STORE,))
        missing = set(wanted) - self._locked_rows(wanted)
        for name in sorted(missing):
            # It has no row yet: whoever adds it first has this lock.
            self.run("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", (f"project {name}",))
        if missing:
            self._locked_rows(sorted(missing))
        transaction.locked.update(wanted)

    def lock_project_row(self, project_id: int) -> None:
        """Lock one project whose number is known, until the end of the unit."""
        self.all("SELECT id FROM projects WHERE id = ? FOR NO KEY UPDATE", (project_id,))

    def _locked_rows(self, names: Sequence[str]) -> set[str]:
        rows = self.all_in(
            "SELECT name FROM projects WHERE name IN ({}) ORDER BY id FOR NO KEY UPDATE", names
        )
        return {row[0] for row in rows}

    @contextmanager
    def deferred_references(self) -> Iterator[None]:
        """Let each unit inside check the references between tables at its end only."""
        self._local.defers = True
        try:
            yield
        finally:
            self._local.defers = False

    def set_local(self, name: str, value: str) -> None:
        """Set a setting until the end of the transaction."""
        self.run("SELECT set_config(?, ?, true)", (name, value))

    def choose_events(self, seqs: Collection[int]) -> None:
        self._chosen = frozenset(seqs)

    @property
    def chosen_seqs(self) -> str:
        numbers = ",".join(map(str, sorted(self._chosen)))
        return f"(SELECT unnest('{{{numbers}}}'::bigint[]) AS seq)"

    def index_hint(self, index: str) -> str:  # noqa: ARG002 - PostgreSQL takes none
        return ""

    def changed_elsewhere(self) -> bool:
        transaction = self._transaction
        if transaction is not None:
            is_fresh, transaction.ids_are_fresh = transaction.ids_are_fresh, True
            return not is_fresh
        checked, now = self._ids_checked, time.monotonic()
        if now - checked < _IDS_SECONDS:
            return False
        self._ids_checked = now
        return True

    def on_roll_back(self, listener: Callable[[], None]) -> None:
        self._roll_back_listeners.append(listener)

    def round_trip_ms(self) -> float:
        """Return how long the server takes to answer."""
        times = []
        for _ in range(_ROUND_TRIPS):
            started = time.perf_counter()
            self.first_row("SELECT 1")
            times.append(time.perf_counter() - started)
        return min(times) * 1000

    def encryption(self) -> str:
        """Say how the connection is protected."""
        with self._translated_errors(), self._pool.lent_connection() as connection:
            if connection.pgconn.ssl_in_use:
                return "encrypted (TLS)"
            host = connection.info.host
            return "a socket of this machine" if host.startswith(("/", "@")) else "not encrypted"

    def close(self) -> None:
        """Return the pool; its connections are closed with its last user."""
        self._pool.release()

    @property
    def _transaction(self) -> _Transaction | None:
        return getattr(self._local, "transaction", None)

    @contextmanager
    def _begun(self, begin: str, projects: Collection[str] = ()) -> Iterator[_Transaction]:
        with self._translated_errors():
            connection = self._pool.borrow()
        pending = [begin, f"SET LOCAL lock_timeout = {self._busy_timeout_ms}"]
        if getattr(self._local, "defers", False):
            pending.append("SET CONSTRAINTS ALL DEFERRED")
        transaction = _Transaction(connection, pending)
        self._local.transaction = transaction
        self.locked.begin(projects)
        try:
            yield transaction
        except BaseException:
            self._roll_back(transaction)
            raise
        finally:
            self._local.transaction = None
            self.locked.end()
            self._pool.give_back(transaction.connection)

    def _commit(self, transaction: _Transaction) -> None:
        if transaction.is_sent:
            with self._translated_errors("commit"):
                transaction.connection.execute("COMMIT")

    def _roll_back(self, transaction: _Transaction) -> None:
        if transaction.is_sent:
            # A lost connection has rolled back by itself, which must not hide the first error.
            with suppress(psycopg.Error):
                transaction.connection.execute("ROLLBACK")
        for listener in self._roll_back_listeners:
            listener()

    @contextmanager
    def _savepoint(self, transaction: _Transaction) -> Iterator[None]:
        """Let an error inside take back only what was done inside.

        It costs no message of its own: it is sent together with the next statement.
        """
        transaction.savepoints += 1
        point = f"point_{transaction.savepoints}"
        transaction.pending.append(f"SAVEPOINT {point}")
        try:
            yield
        except BaseException:
            if f"SAVEPOINT {point}" in transaction.pending:
                del transaction.pending[transaction.pending.index(f"SAVEPOINT {point}") :]
            else:
                transaction.pending.clear()
                with suppress(psycopg.Error):
                    transaction.connection.execute(f"ROLLBACK TO SAVEPOINT {point}")
            for listener in self._roll_back_listeners:
                listener()
            raise
        if f"SAVEPOINT {point}" in transaction.pending:
            transaction.pending.remove(f"SAVEPOINT {point}")
        else:
            transaction.pending.append(f"RELEASE SAVEPOINT {point}")

    def _fetch(self, sql: str, values: Sequence[Parameter]) -> list[Row]:
        parameters = _parameters(sql, values)
        rows: list[Row] = []

        def fetch(cursor: psycopg.Cursor[Row], query: str) -> None:
            cursor.execute(query, parameters, binary=True)
            rows.extend(cursor.fetchall())

        self._send(sql, fetch)
        return [_restored_row(row) for row in rows]

    def _send(
        self, sql: str, work: Callable[[psycopg.Cursor[Row], str], object]
    ) -> psycopg.Cursor[Row]:
        """Execute a statement, again on another connection if this one was lost before it."""
        query = _translated(sql)
        with self._translated_errors():
            transaction = self._transaction
            if transaction is not None:
                return self._send_in_unit(transaction, query, work)
            while True:
                with self._pool.lent_connection() as connection:
                    cursor = connection.cursor()
                    try:
                        work(cursor, query)
                    except psycopg.OperationalError:
                        if not self._may_repeat(connection, sql):
                            raise
                    else:
                        return cursor

    def _send_in_unit(
        self,
        transaction: _Transaction,
        query: str,
        work: Callable[[psycopg.Cursor[Row], str], object],
    ) -> psycopg.Cursor[Row]:
        while True:
            connection, pending = transaction.connection, list(transaction.pending)
            cursor = connection.cursor()
            is_first = not transaction.is_sent
            transaction.is_sent, transaction.pending = True, []
            try:
                if not pending:
                    work(cursor, query)
                    return cursor
                with connection.pipeline():
                    for control in pending:
                        connection.execute(control)
                    work(cursor, query)
            except psycopg.OperationalError:
                # Nothing was done yet: begin again.
                if not is_first or not self._pool.was_lost(connection):
                    raise
                self._pool.give_back(connection)
                transaction.connection = self._pool.borrow()
                transaction.is_sent, transaction.pending = False, pending
            else:
                return cursor

    def _may_repeat(self, connection: Connection, sql: str) -> bool:
        return sql.startswith(("SELECT", "WITH")) and self._pool.was_lost(connection)

    @contextmanager
    def _translated_errors(self, during: str = "") -> Iterator[None]:
        try:
            yield
        except AisError:
            raise
        except psycopg.Error as error:
            raise store_error(error, self.name, during) from error
        except (UnicodeEncodeError, OverflowError) as error:
            # A lone surrogate, or a number of more than 64 bits: nothing is stored under it.
            msg = f"no id, name or number of a memory is like this: {error}. Give another one."
            raise RefusedError(msg) from error


@lru_cache(2_000)
def _translated(sql: str) -> str:
    """Return a statement with the placeholders of psycopg, and with its empty lists."""
    sql = sql.replace("NOT IN ()", "<> ALL('{}')").replace("IN ()", "= ANY('{}')")
    return _PLACEHOLDER.sub(
        lambda match: "%%" if match[0] == "%" else f"%(value{match[1]})s" if match[1] else "%s",
        sql,
    )


@lru_cache(2_000)
def _is_numbered(sql: str) -> bool:
    return re.search(r"\?\d", sql) is not None


def _parameters(
    sql: str, values: Sequence[Parameter]
) -> Sequence[Parameter] | dict[str, Parameter]:
    stored: list[Parameter] = [
        list(map(_stored, value)) if isinstance(value, list) else _stored(value) for value in values
    ]
    if not _is_numbered(sql):
        return stored
    return {f"value{number}": value for number, value in enumerate(stored, 1)}


def _stored(value: Value) -> Value:
    if isinstance(value, str) and ("\0" in value or _ESCAPE in value):
        return value.replace(_ESCAPE, _ESCAPED_ESCAPE).replace("\0", _ESCAPED_NUL)
    if isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
        msg = "it has more than 64 bits"
        raise OverflowError(msg)
    return value


def _restored_row(row: Row) -> Row:
    if any(isinstance(value, str) and _ESCAPE in value for value in row):
        return tuple(_restored(value) if isinstance(value, str) else value for value in row)
    return row


def _restored(text: str) -> str:
    return text.replace(_ESCAPED_NUL, "\0").replace(_ESCAPED_ESCAPE, _ESCAPE)
