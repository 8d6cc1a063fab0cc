"""The PostgreSQL server of the tests, for a benchmark; each has a data folder of its own."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from ai_smartness.ports import ThreadStore
from postgres_proxy import started_proxy
from postgres_server import MissingServerError, PostgresServer, started_server

__all__ = ["BenchedServer", "benched_server"]


class BenchedServer:
    """A server with an empty database, which commits durably."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self.url = server.url

    def open_store(self, url: str) -> ThreadStore:
        """Open the memory at an address."""
        from ai_smartness.adapters.postgres.postgres_store import PostgresStore

        return PostgresStore.open(url)

    def analyze(self) -> None:
        """Have the planner know the tables, as autovacuum would."""
        self._server.run_sql("VACUUM ANALYZE", "bench")

    @contextmanager
    def far_url(self, delay_ms: float) -> Iterator[str]:
        """Yield the address of a proxy that adds so much to each round trip."""
        socket = self._server.folder / ".s.PGSQL.5432"
        with started_proxy(socket, delay_ms) as proxy:
            yield proxy.url(self.url("bench"))


@contextmanager
def benched_server() -> Iterator[BenchedServer]:
    """Start a server; stop the benchmark where it cannot be had."""
    try:
        with started_server(durable=True) as server:
            server.run_sql("CREATE DATABASE bench")
            yield BenchedServer(server)
    except MissingServerError as error:
        sys.exit(f"PostgreSQL cannot be measured: {error}")
