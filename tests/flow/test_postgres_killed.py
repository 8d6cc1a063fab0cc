"""Clients and server are killed while sixteen writers write: nothing acknowledged is lost."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from killed_writers import Reader, Writers, assert_all_is_there, save_threads
from postgres_server import MissingServerError, PostgresServer, started_server

CLIENTS = 4
ACKNOWLEDGED = 40  # events between two kills


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """Start a server that loses nothing when it is killed."""
    try:
        with started_server(durable=True) as started:
            yield started
    except MissingServerError as error:
        pytest.skip(f"postgres is needed and cannot be had: {error}")


def test_nothing_acknowledged_is_lost_or_doubled_and_a_reader_misses_nothing(
    server: PostgresServer, request: pytest.FixtureRequest
) -> None:
    server.run_sql("CREATE DATABASE memory")
    url = server.url("memory")
    with closing(PostgresStore.open(url)) as store:
        save_threads(store)
        writers, reader = Writers(url), Reader(store)
        for _ in range(CLIENTS):
            writers.start()
        for _ in range(request.config.getoption("--kill-rounds")):
            writers.read_acks(ACKNOWLEDGED)
            reader.read_on()
            writers.kill_one()
            writers.start()
            writers.read_acks(ACKNOWLEDGED)
            reader.read_on()
            server.kill()
            server.start()
        writers.read_acks(ACKNOWLEDGED)
        writers.end()
        reader.read_on()

        assert_all_is_there(store, writers, reader)
