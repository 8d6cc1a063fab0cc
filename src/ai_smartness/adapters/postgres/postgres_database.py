"""One PostgreSQL database: transactions that nest, locked projects, errors in plain words.

A thread that is in a unit has a connection of its own; everybody else borrows one for a statement.
Nothing depends on the state of a session, so that a pooler may stand in between: statements are
not prepared, settings and locks are those of a transaction.

A round trip to the server is what takes time. Reads that are asked for together are sent together,
and what a unit writes is sent with its next read or with its end.
"""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.errors import DeadlockDetected, SerializationFailure

from ai_smartness.adapters.postgres.batched_reads import (
    Answers,
    answers_together,
    reading_alone,
    results_together,
)
from ai_smartness.adapters.postgres.postgres_errors import lost_project_error, store_error
from ai_smartness.adapters.postgres.query import (
    Connection,
    Parameter,
    Query,
    column_batches,
    control_query,
    query_of,
    rows_of_arrays,
    sent_together,
)
from ai_smartness.adapters.tables.locked_projects import LockedProjects
from ai_smartness.adapters.tables.sql_database import Row, SqlDatabase, Value
from ai_smartness.model.errors import AisError, RefusedError, StoreError

if TYPE_CHECKING:
    from ai_smartness.adapters.postgres.connections import SharedPool
    from ai_smartness.adapters.postgres.posting_cache import PostingCache
    from ai_smartness.adapters.postgres.vector_cache import VectorCache

__all__ = ["PostgresDatabase"]

_ROUND_TRIPS = 5  # of which the shortest says how far away the server is
_MOST_PENDING = 500  # writes of a unit that wait for its next read
_IDS_SECONDS = 3.0  # for which the ids of projects are cached outside a unit
_FRESH_SECONDS = 0.3  # after which they are read again along with other queries

_IDS = "SELECT name, id FROM projects WHERE name = ANY(?)"
_LOCK_IDS = "SELECT id FROM projects WHERE id = ANY(?) ORDER BY id FOR NO KEY UPDATE"
_LOCK_ROWS = "SELECT name, id FROM projects WHERE name = ANY(?) ORDER BY id FOR NO KEY UPDATE"
# The advisory locks of a schema: people who share a database do not wait for each other.
_WHOLE_STORE = "hashtextextended(current_schema() || ' as a whole', 0)"
_ONE_PROJECT = "hashtextextended(current_schema() || ' project ' || ?, 0)"


@dataclass(slots=True)
class _Transaction:
    """A transaction of one thread. What is `pending` is sent together with the next statement."""

    connection: Connection
    pending: list[Query]
    project_ids: dict[str, int]
    is_sent: bool = False
    changes_projects: bool = False
    savepoints: int = 0
    locked: set[str] = field(default_factory=set)
    locks_all: bool = False
    lock: Query | None = None

    def lock_later(self, known: dict[str, int]) -> None:
        """Send the lock of projects whose ids are known with the next statement."""
        self.project_ids |= known
        self.locked |= known.keys()
        self.lock = replace(query_of(_LOCK_IDS, [list(known.values())]), is_control=True)
        self.pending.append(self.lock)

    def has_missed(self, sent: Sequence[Query], answers: Answers) -> bool:
        """Say whether a project has gone whose lock was just sent."""
        if self.lock is None or self.lock not in sent:
            return False
        rows, ids = answers[sent.index(self.lock)], self.lock.parameters[0]
        self.lock = None
        return len(rows) < len(ids)


class _LockedByThread(threading.local, LockedProjects):
    """The projects that the unit of each thread has locked."""


class PostgresDatabase(SqlDatabase):
    """A pool of connections whose errors are `StoreError` and whose units are all or nothing."""

    ORDERED_JOIN = "JOIN"
    POSITION = "strpos"

    def __init__(self, pool: "SharedPool", busy_timeout_ms: int) -> None:
        self._pool = pool
        self._busy_timeout_ms = busy_timeout_ms
        self._local = threading.local()
        self.locked = _LockedByThread()
        self._chosen: Collection[int] = ()
        self._project_ids: dict[str, int] = {}
        self._ids_read = 0.0

    @property
    def name(self) -> str:
        return self._pool.name

    @property
    def vector_cache(self) -> "VectorCache":
        """The vectors that this process has loaded, for all its memories on this server."""
        return self._pool.vectors

    @property
    def posting_cache(self) -> "PostingCache":
        """The posting blocks that this process has read, for all its memories on this server."""
        return self._pool.postings

    @property
    def is_in_unit(self) -> bool:
        """Say whether this thread is in a unit or a snapshot."""
        return self._transaction is not None

    def all(self, sql: str, values: Sequence[Parameter] = ()) -> list[Row]:
        return self._fetch(sql, values)

    def all_in(
        self, sql: str, keys: Iterable[Value], values: Sequence[Parameter] = ()
    ) -> list[Row]:
        wanted = list(keys)
        if not wanted:
            return []
        return self._fetch(sql.replace("IN ({})", "= ANY(?)"), (*values, wanted))

    def run(self, sql: str, values: Sequence[Parameter] = ()) -> None:
        self.run_many(sql, [values])

    def run_many(self, sql: str, rows: Iterable[Sequence[Parameter]]) -> None:
        with self._translated_errors():
            queries = (query_of(sql, row) for row in rows)
            while batch := list(islice(queries, _MOST_PENDING)):
                self._write(batch)

    def insert_rows(
        self, table: str, types: Sequence[str], rows: Iterable[Sequence[Value]], tail: str
    ) -> list[Row]:
        """Insert many rows with few statements, in their order; return what `tail` asks for.

        `table` names the columns too, `types` their types; `tail` is a RETURNING clause.
        """
        sql, returned = f"INSERT INTO {table} {rows_of_arrays(types)} {tail}", list[Row]()
        for columns in column_batches(rows):
            returned += self._fetch(sql, columns)
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
        self.all("SELECT 1")  # sends the start of the unit, which a script cannot follow at once
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
        with reading_alone():
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
        begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        with reading_alone(), self._begun(begin) as transaction:
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
        if not names:
            transaction.project_ids.clear()
            transaction.locks_all = True
            self.run(f"SELECT pg_advisory_xact_lock({_WHOLE_STORE})")
            rows = self.all("SELECT name, id FROM projects ORDER BY id FOR NO KEY UPDATE")
            transaction.project_ids |= dict(rows)
            return
        if not transaction.locked:
            self.run(f"SELECT pg_advisory_xact_lock_shared({_WHOLE_STORE})")
        known = {name: id_ for name in wanted if (id_ := self._project_ids.get(name))}
        if len(known) == len(wanted):
            transaction.lock_later(known)
            return
        transaction.project_ids |= self._locked_rows(wanted)
        missing = sorted(set(wanted) - transaction.project_ids.keys())
        for name in missing:
            # It has no row yet: whoever adds it first has this lock.
            self.run(f"SELECT pg_advisory_xact_lock({_ONE_PROJECT})", (name,))
        if missing:
            transaction.project_ids |= dict.fromkeys(missing, 0) | self._locked_rows(missing)
        transaction.locked.update(wanted)

    def lock_project_row(self, project_id: int) -> None:
        """Lock one project whose number is known, until the end of the unit."""
        self.run("SELECT id FROM projects WHERE id = ? FOR NO KEY UPDATE", (project_id,))

    def _locked_rows(self, names: Sequence[str]) -> dict[str, int]:
        return dict(self._fetch(_LOCK_ROWS, [list(names)]))

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

    @property
    def project_ids(self) -> dict[str, int]:
        """Return the ids of projects that were read in this unit or a moment ago; 0 is none.

        A unit has read those of the projects that it has locked.
        """
        if (transaction := self._transaction) is not None:
            return transaction.project_ids
        now = time.monotonic()
        if now - self._ids_read >= _IDS_SECONDS:
            self._project_ids, self._ids_read = {}, now
        return self._project_ids

    def forget_project_ids(self) -> None:
        """Read the ids of projects again, as one was added, renamed or removed."""
        self._project_ids = {}
        if (transaction := self._transaction) is not None:
            transaction.project_ids.clear()
            transaction.changes_projects = True

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

    @property
    def stored_units(self) -> int:
        """Return how many units this thread has stored, or may have stored."""
        return getattr(self._local, "stored_units", 0)

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
        begins, ids = [control_query(sql) for sql in pending], dict(self._project_ids)
        transaction = _Transaction(connection, begins, ids)
        self._local.transaction = transaction
        self.locked.begin(projects)
        try:
            yield transaction
        except BaseException as error:
            self._roll_back(transaction)
            if isinstance(error, StoreError):
                error.may_repeat = self._was_by_chance(error, transaction)
            raise
        finally:
            self._local.transaction = None
            self.locked.end()
            self._pool.give_back(transaction.connection)

    def _commit(self, transaction: _Transaction) -> None:
        if not transaction.is_sent:
            if all(query.is_control for query in transaction.pending):
                return
            # By itself: if the connection was lost before, another one can begin again.
            self._answers([])
        ending = [*transaction.pending, control_query("COMMIT")]
        self._local.stored_units = self.stored_units + 1
        with self._translated_errors("commit"):
            sent_together(transaction.connection, ending)
        if transaction.changes_projects:
            self._project_ids = {}
        else:
            # Of projects that it only looked for, so that the next unit does not look again.
            ids = transaction.project_ids.items()
            self._project_ids |= {name: id_ for name, id_ in ids if name not in transaction.locked}

    def _was_by_chance(self, error: StoreError, transaction: _Transaction) -> bool:
        """Say whether a unit failed by a deadlock, or by a connection that was lost before its end.

        Of one that was lost at its end nobody knows whether it was stored: it counts as stored.
        """
        if isinstance(error.__cause__, (DeadlockDetected, SerializationFailure)):
            return True
        return self._pool.was_lost(transaction.connection)

    def _roll_back(self, transaction: _Transaction) -> None:
        if transaction.is_sent:
            # A lost connection has rolled back by itself, which must not hide the first error.
            with suppress(psycopg.Error):
                transaction.connection.execute("ROLLBACK")

    @contextmanager
    def _savepoint(self, transaction: _Transaction) -> Iterator[None]:
        """Let an error inside take back only what was done inside.

        It costs no message of its own: it is sent together with the next statement.
        """
        transaction.savepoints += 1
        name = f"point_{transaction.savepoints}"
        point = control_query(f"SAVEPOINT {name}")
        transaction.pending.append(point)
        try:
            yield
        except BaseException:
            if point in transaction.pending:
                del transaction.pending[transaction.pending.index(point) :]
            else:
                transaction.pending.clear()
                with suppress(psycopg.Error):
                    transaction.connection.execute(f"ROLLBACK TO SAVEPOINT {name}")
            transaction.project_ids.clear()
            raise
        if point in transaction.pending:
            transaction.pending.remove(point)
        else:
            transaction.pending.append(control_query(f"RELEASE SAVEPOINT {name}"))

    def read_together(self, *reads: Callable[[], object]) -> list[Any]:
        """Carry out reads that do not need each other, whose queries are sent together."""
        return results_together(reads, self._answers)

    def _fetch(self, sql: str, values: Sequence[Parameter]) -> list[Row]:
        with self._translated_errors():
            query = query_of(sql, values)
        return self._answers([query])[0]

    def _answers(self, queries: Sequence[Query]) -> Answers:
        return answers_together(queries, self._sent)

    def _sent(self, queries: Sequence[Query]) -> Answers:
        with self._translated_errors():
            transaction = self._transaction
            if transaction is not None:
                return self._sent_in_unit(transaction, queries)
            return self._sent_alone(queries)

    def _sent_alone(self, queries: Sequence[Query]) -> Answers:
        """Send queries outside a unit; the cached ids of projects are read again with them."""
        now, names = time.monotonic(), list(self._project_ids)
        if not names or now - self._ids_read < _FRESH_SECONDS:
            return self._sent_to_any(queries)
        *answers, ids = self._sent_to_any([*queries, query_of(_IDS, [list[Value](names)])])
        self._project_ids |= dict.fromkeys(names, 0) | dict(ids)
        self._ids_read = now
        return answers

    def _sent_to_any(self, queries: Sequence[Query]) -> Answers:
        """Send queries on any connection; reads again on another if this one was lost."""
        while True:
            with self._pool.lent_connection() as connection:
                try:
                    return sent_together(connection, queries)
                except psycopg.OperationalError:
                    may_repeat = all(query.only_reads for query in queries)
                    if not may_repeat or not self._pool.was_lost(connection):
                        raise

    def _sent_in_unit(self, transaction: _Transaction, queries: Sequence[Query]) -> Answers:
        """Send queries after what the unit has written since its last read."""
        while True:
            connection, pending = transaction.connection, transaction.pending
            is_first = not transaction.is_sent
            transaction.is_sent, transaction.pending = True, []
            try:
                answers = sent_together(connection, [*pending, *queries])
            except psycopg.OperationalError:
                # Nothing was done yet: begin again.
                if not is_first or not self._pool.was_lost(connection):
                    raise
                transaction.connection = self._pool.replace_lost(connection)
                transaction.is_sent, transaction.pending = False, pending
            else:
                if transaction.has_missed(pending, answers):
                    self._project_ids = {}
                    raise lost_project_error(self.name)
                return answers[len(pending) :]

    def _write(self, queries: Sequence[Query]) -> None:
        transaction = self._transaction
        if transaction is None:
            self._sent_alone(queries)
            return
        transaction.pending += queries
        if len(transaction.pending) > _MOST_PENDING:
            self._sent_in_unit(transaction, [])

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
