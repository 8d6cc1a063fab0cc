"""The connections to one server, shared by all memories of a process.

A memory of each project would otherwise have connections of its own, and a daemon has many
projects. The password comes from libpq (`.pgpass`, a service file, the environment), never from
our settings, and is in no message.
"""

import atexit
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ai_smartness.adapters.postgres.posting_cache import PostingCache
from ai_smartness.adapters.tables.sql_database import Row
from ai_smartness.model.errors import RefusedError

if TYPE_CHECKING:
    from ai_smartness.adapters.postgres.vector_cache import VectorCache

__all__ = ["SharedPool", "connection_name", "new_connection", "shared_pool"]

Connection: TypeAlias = psycopg.Connection[Row]

_MOST_CONNECTIONS = 8
_WAIT_SECONDS = 60.0
_DEFAULTS = {
    "connect_timeout": "3",
    "application_name": "ai_smartness",
    # A network that is gone without a word is noticed: the system would wait for a quarter of an
    # hour, and every prompt for its whole deadline.
    "tcp_user_timeout": "5000",
    "keepalives_idle": "10",
    "keepalives_interval": "3",
    "keepalives_count": "3",
}
_TRYING_SECONDS = 5.0  # longer than `connect_timeout`
_AWAY_SECONDS = 2.0  # for which a server that could not be reached is not asked again

_pools: dict[str, "SharedPool"] = {}
_pools_turn = threading.Lock()


class SharedPool:
    """A few open connections, closed when the last user of the pool releases it."""

    def __init__(self, conninfo: str, away_seconds: float = _AWAY_SECONDS) -> None:
        self.name = connection_name(conninfo)
        self._conninfo = conninfo
        self._away_seconds = away_seconds
        self._users = 0
        self._idle: list[Connection] = []
        self._places = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        self._away_until = 0.0
        self._away_reason = ""
        self._vectors: VectorCache | None = None
        self.postings = PostingCache()

    @property
    def vectors(self) -> "VectorCache":
        """The vectors that this process has loaded from the server."""
        if self._vectors is None:
            from ai_smartness.adapters.postgres.vector_cache import VectorCache

            with _pools_turn:
                self._vectors = self._vectors or VectorCache()
        return self._vectors

    def acquire(self) -> "SharedPool":
        """Count one more user."""
        self._users += 1
        return self

    def release(self) -> None:
        """Count one user less, and close the connections after the last one."""
        with _pools_turn:
            self._users -= 1
            if self._users == 0:
                _pools.pop(self._conninfo, None)
                self.close_idle()

    def close_idle(self) -> None:
        """Close the connections that nobody uses."""
        while self._idle:
            self._idle.pop().close()

    def borrow(self) -> Connection:
        """Return a connection, to be given back; a new one if none is idle."""
        if not self._places.acquire(timeout=_WAIT_SECONDS):
            msg = "all connections of this process are in use"
            raise psycopg.OperationalError(msg)
        try:
            return self._idle.pop() if self._idle else self._connect()
        except BaseException:
            self._places.release()
            raise

    def _connect(self) -> Connection:
        """Open a connection; nobody waits for a server that somebody has just waited for in vain.

        Otherwise a prompt would wait again for each of its questions.
        """
        if time.monotonic() < self._away_until:
            raise psycopg.OperationalError(self._away_reason)
        if self._away_reason:
            # While this one tries whether it is back, which may take seconds, nobody else waits.
            self._away_until = time.monotonic() + _TRYING_SECONDS
        try:
            connection = new_connection(self._conninfo)
        except psycopg.OperationalError as error:
            self._away_until = time.monotonic() + self._away_seconds
            self._away_reason = str(error)
            raise
        self._away_until, self._away_reason = 0.0, ""
        return connection

    def give_back(self, connection: Connection) -> None:
        """Return a connection to the others; a broken one is thrown away."""
        idle = psycopg.pq.TransactionStatus.IDLE
        if self._users and connection.info.transaction_status == idle:
            self._idle.append(connection)
        else:
            self._drop(connection)
        self._places.release()

    def replace_lost(self, connection: Connection) -> Connection:
        """Return a new connection for a borrowed one that was lost; it is given back once."""
        self._drop(connection)
        return self._connect()

    def _drop(self, connection: Connection) -> None:
        """Close a connection. A replica that was promoted may lack what the former server had."""
        connection.close()
        self.postings.clear()

    @contextmanager
    def lent_connection(self) -> Iterator[Connection]:
        """Yield a connection for one statement."""
        connection = self.borrow()
        try:
            yield connection
        finally:
            self.give_back(connection)

    @staticmethod
    def was_lost(connection: Connection) -> bool:
        """Say whether the server hung up."""
        return connection.broken or connection.closed


def new_connection(conninfo: str) -> Connection:
    """Connect; a server that does not answer is not waited for for long."""
    return psycopg.connect(
        make_conninfo(conninfo, **_missing_defaults(conninfo)),
        autocommit=True,
        prepare_threshold=None,
    )


def _missing_defaults(conninfo: str) -> dict[str, str]:
    named = conninfo_to_dict(conninfo)
    return {name: value for name, value in _DEFAULTS.items() if name not in named}


@atexit.register
def _close_idle_connections() -> None:
    """Close what a program has left open, without a warning for each."""
    for pool in _pools.values():
        pool.close_idle()


def shared_pool(url: str) -> SharedPool:
    """Return the pool of this process for an address, which counts one more user."""
    conninfo = _checked_conninfo(url)
    with _pools_turn:
        pool = _pools.get(conninfo) or SharedPool(conninfo)
        _pools[conninfo] = pool
        return pool.acquire()


def _checked_conninfo(url: str) -> str:
    try:
        parts: dict[str, Any] = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        msg = (
            f"this is no address of a PostgreSQL database: {str(error).strip()}. "
            "Write it like postgresql://host/database."
        )
        raise RefusedError(msg) from error
    if parts.get("password"):
        msg = (
            f"the address of {connection_name(url)} holds a password, which would stand in the "
            "settings for everybody to read. Leave it out and put it into ~/.pgpass."
        )
        raise RefusedError(msg)
    return make_conninfo(**parts)


def connection_name(url: str) -> str:
    """Return the host and the database, for messages."""
    parts = conninfo_to_dict(url)
    database = parts.get("dbname") or parts.get("service") or "(default database)"
    return f"{parts.get('host') or 'localhost'}/{database}"
