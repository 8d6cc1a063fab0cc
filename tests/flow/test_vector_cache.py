"""A process that keeps asking a server about a project compares its vectors itself."""

from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest

from ai_smartness.adapters.postgres.connections import shared_pool
from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from ai_smartness.model.event import Event
from ai_smartness.model.search import Chunk, NearestEvents, SearchScope
from ai_smartness.ports import ThreadStore
from builders import a_vector, stored
from engines import FILE_ENGINE, POSTGRES, TEMPORARY

DEMO = SearchScope(project="demo")
SPACE = "model@1"
MANY = 1_200
QUESTIONS = 4
"""After so many questions the vectors are loaded."""


@pytest.fixture
def url() -> Iterator[str]:
    if reason := POSTGRES.missing():
        pytest.skip(f"{POSTGRES.name} is needed and cannot be had: {reason}")
    yield POSTGRES.url(TEMPORARY)
    POSTGRES.end_test()


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    with closing(PostgresStore.open(url)) as opened:
        add_vectors(opened, stored(opened, *["text"] * MANY))
        pool = shared_pool(url)
        for number in range(QUESTIONS):
            nearest(opened, number)
        pool.vectors.wait_until_loaded()
        pool.release()
        yield opened


def add_vectors(store: ThreadStore, events: Sequence[Event]) -> None:
    chunks = [Chunk(event.seq, n, a_vector(event.seq + n)) for event in events for n in (0, 1)]
    store.vector_index.add("demo", SPACE, chunks, through=events[-1].seq)


def nearest(store: ThreadStore, seed: int, also: Sequence[int] = ()) -> NearestEvents:
    return store.vector_index.nearest(DEMO, SPACE, a_vector(seed), 20, also=also)


def test_loaded_vectors_give_the_answers_of_a_file(store: PostgresStore) -> None:
    with closing(FILE_ENGINE.open_store(TEMPORARY, exact_limit=100_000)) as file:
        add_vectors(file, stored(file, *["text"] * MANY))

        # The server rounds the numbers of a question, and this process does not.
        for seed in range(50, 60):
            assert nearest(store, seed, also=[3]) == nearest(file, seed, also=[3])


def test_what_another_process_adds_is_found(store: PostgresStore, url: str) -> None:
    with closing(PostgresStore.open(url)) as other:
        (late,) = stored(other, "later")
        other.vector_index.add("demo", SPACE, [Chunk(late.seq, 0, a_vector(99_999))], late.seq)

    assert nearest(store, 99_999).matches[0].seq == late.seq


def test_what_another_process_deletes_is_not_found(store: PostgresStore, url: str) -> None:
    gone = nearest(store, 700).matches[0].seq
    with closing(PostgresStore.open(url)) as other, other.erasure.deletion_allowed():
        other.erasure.remove_events([gone])

    assert gone not in [match.seq for match in nearest(store, 700).matches]


def test_vectors_that_were_replaced_are_compared_as_they_are_now(
    store: PostgresStore, url: str
) -> None:
    changed = nearest(store, 700).matches[0].seq
    with closing(PostgresStore.open(url)) as other, other.unit("demo"):
        other.vector_index.replace("demo", SPACE, [Chunk(changed, 0, a_vector(88_888))])

    assert nearest(store, 88_888).matches[0].seq == changed
