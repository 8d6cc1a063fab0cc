"""Several machines embed one backlog on a server: each message is embedded by one of them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest

from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from ai_smartness.capture.embed import embed
from ai_smartness.memory.base import ignore_progress
from ai_smartness.model.search import Chunk
from ai_smartness.testing import HashEmbedder
from builders import a_vector, stored
from engines import POSTGRES, TEMPORARY

SPACE = "m@1"


@pytest.fixture
def url() -> Iterator[str]:
    if reason := POSTGRES.missing():
        pytest.skip(f"{POSTGRES.name} is needed and cannot be had: {reason}")
    yield POSTGRES.url(TEMPORARY)
    POSTGRES.end_test()


@pytest.fixture
def stores(url: str) -> Iterator[tuple[PostgresStore, PostgresStore]]:
    """Open the memory as two machines do, with six messages in it."""
    with closing(PostgresStore.open(url)) as one, closing(PostgresStore.open(url)) as other:
        stored(one, "a", "b", "c", "d", "e", "f")
        yield one, other


def leased(store: PostgresStore, limit: int = 2) -> list[str]:
    return [event.text for event in store.vector_index.lease_events("demo", SPACE, limit)]


def test_two_machines_take_different_messages(stores: tuple[PostgresStore, PostgresStore]) -> None:
    one, other = stores

    assert [leased(one), leased(other)] == [["a", "b"], ["c", "d"]]
    assert leased(one) == ["a", "b"]


def test_a_lease_ends_with_the_vectors(stores: tuple[PostgresStore, PostgresStore]) -> None:
    one, other = stores
    first, second = one.vector_index.lease_events("demo", SPACE, 2)

    chunks = [Chunk(event.seq, 0, a_vector(event.seq)) for event in (first, second)]
    one.vector_index.add("demo", SPACE, chunks, through=second.seq)

    assert [leased(other), leased(one)] == [["c", "d"], ["e", "f"]]


def test_what_a_killed_process_has_leased_is_taken_after_a_minute(
    stores: tuple[PostgresStore, PostgresStore], url: str
) -> None:
    one, other = stores
    leased(one)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE embedding_leases SET until = until - interval '59 seconds'")
        assert leased(other, 1) == ["c"]
        connection.execute("UPDATE embedding_leases SET until = until - interval '1 second'")

    assert leased(other) == ["a", "b"]


def test_a_backlog_is_embedded_once_by_several_machines(url: str) -> None:
    with closing(PostgresStore.open(url)) as store:
        stored(store, *(f"message {number}" for number in range(1_000)))

    def embed_some(_number: int) -> int:
        with closing(PostgresStore.open(url)) as store:
            return embed(store, HashEmbedder(), "demo", ignore_progress)

    with ThreadPoolExecutor(4) as machines:
        done = list(machines.map(embed_some, range(4)))

    assert sum(done) == 1_000
    with closing(PostgresStore.open(url)) as store:
        assert store.vector_index.count_missing("demo", HashEmbedder().space) == 0
