"""The PostgreSQL server of the tests, for a benchmark; each has a data folder of its own.

A filled database can be kept for another run, which measures a copy of it.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from psycopg import OperationalError

from ai_smartness.ports import ThreadStore
from postgres_proxy import started_proxy
from postgres_server import MissingServerError, PostgresServer, started_server

__all__ = ["BenchedServer", "benched_server"]


class BenchedServer:
    """A server that commits durably."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self.url = server.url

    def open_store(self, url: str) -> ThreadStore:
        """Open the memory at an address."""
        from ai_smartness.adapters.postgres.postgres_store import PostgresStore

        return PostgresStore.open(url)

    def make_empty(self, database: str) -> str:
        """Make an empty database, in place of an older one; return its address."""
        self._server.drop_database(database)
        self._server.make_database(database)
        return self.url(database)

    def keep(self, database: str, kept: str) -> None:
        """Have the planner know the tables, as autovacuum would, and keep the database."""
        self._server.run_sql("VACUUM ANALYZE", database)
        self._server.run_sql(f"ALTER DATABASE {database} RENAME TO {kept}")

    def has(self, database: str) -> bool:
        """Say whether there is a database of this name."""
        try:
            self._server.run_sql("SELECT 1", database)
        except OperationalError:
            return False
        return True

    def copy(self, kept: str, database: str) -> str:
        """Make a copy of a kept database; return its address."""
        self._server.drop_database(database)
        self._server.make_database(database, kept)
        return self.url(database)

    @contextmanager
    def far_url(self, delay_ms: float, database: str) -> Iterator[str]:
        """Yield the address of a database by a proxy that adds so much to each round trip."""
        socket = self._server.folder / ".s.PGSQL.5432"
        with started_proxy(socket, delay_ms) as proxy:
            yield proxy.url(self.url(database))


@contextmanager
def benched_server(keep: Path | None = None) -> Iterator[BenchedServer]:
    """Start a server, perhaps in a folder to keep; stop the benchmark where it cannot be had."""
    try:
        with started_server(durable=True, keep=keep) as server:
            yield BenchedServer(server)
    except MissingServerError as error:
        sys.exit(f"PostgreSQL cannot be measured: {error}")
