"""What fails on PostgreSQL by chance is repeated by us, not by the caller."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.event import Message
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import SetClock
from builders import NOON
from engines import POSTGRES, TEMPORARY

_WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND wait_event_type = 'Lock'"
)


@pytest.fixture
def url() -> Iterator[str]:
    if missing := POSTGRES.missing():
        pytest.skip(f"no PostgreSQL: {missing}")
    yield POSTGRES.url(TEMPORARY)
    POSTGRES.end_test()


@pytest.fixture
def memory(url: str) -> Iterator[Memory]:
    parts = MemoryParts(store=PostgresStore.open(url), embedder=lambda: None, clock=SetClock(NOON))
    memory = Memory(parts, "demo", Settings())
    memory.capture(Message(id="first", session="s", text="we use postgres"))
    yield memory
    memory.close()


def wait_for_a_waiting_one(url: str) -> None:
    """Return as soon as a connection waits for a lock."""
    with psycopg.connect(url, autocommit=True) as watcher:
        while watcher.execute(_WAITING).fetchone() != (1,):
            threading.Event().wait(0.01)


def lock_project(connection: psycopg.Connection, name: str) -> None:
    connection.execute("SELECT id FROM projects WHERE name = %s FOR NO KEY UPDATE", (name,))


def test_a_deadlock_is_repeated_by_the_verb(memory: Memory, url: str) -> None:
    with psycopg.connect(url) as other, ThreadPoolExecutor(1) as pool:
        other.execute("INSERT INTO projects (name) VALUES ('*')")
        other.commit()
        # Only the verb looks for a deadlock, so that it is the one to be undone.
        other.execute("SET deadlock_timeout = '1h'")
        lock_project(other, "*")
        focused = pool.submit(memory.focus, "postgres")
        wait_for_a_waiting_one(url)

        lock_project(other, "demo")
        other.commit()

        focused.result()
    assert [focus.topic for focus in memory.foci()] == ["postgres"]


def test_a_connection_lost_while_it_waits_is_made_up_for(memory: Memory, url: str) -> None:
    with psycopg.connect(url) as other, ThreadPoolExecutor(1) as pool:
        lock_project(other, "demo")
        captured = pool.submit(memory.capture, [Message(id="second", session="s", text="no")])
        wait_for_a_waiting_one(url)

        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        other.commit()

        assert captured.result().stored == 1
    assert memory.status().events == 2
