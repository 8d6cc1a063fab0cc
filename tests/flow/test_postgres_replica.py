"""The primary is killed while sixteen writers write, and its replica takes over.

With synchronous replication, nothing that was acknowledged is lost or stored twice.
"""

from contextlib import closing

import pytest

from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from killed_writers import Reader, Writers, assert_all_is_there, save_threads
from postgres_server import USER, MissingServerError, started_replica, started_server

CLIENTS = 4
ACKNOWLEDGED = 200  # events before and after the primary is killed


def test_a_promoted_replica_has_all_that_was_acknowledged() -> None:
    try:
        with started_server(durable=True) as primary, started_replica(primary) as replica:
            primary.run_sql("CREATE DATABASE memory")
            hosts = f"{primary.folder},{replica.folder}"
            url = f"postgresql://{USER}@/memory?host={hosts}&target_session_attrs=read-write"
            with closing(PostgresStore.open(url)) as store:
                save_threads(store)
                writers, reader = Writers(url), Reader(store)
                for _ in range(CLIENTS):
                    writers.start()
                writers.read_acks(ACKNOWLEDGED)
                reader.read_on()

                primary.kill()
                replica.run_sql("SELECT pg_promote()")
                writers.read_acks(ACKNOWLEDGED)
                writers.end()
                reader.read_on()

                assert_all_is_there(store, writers, reader)
    except MissingServerError as error:
        pytest.skip(f"postgres is needed and cannot be had: {error}")
