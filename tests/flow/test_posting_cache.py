"""A process that caches posting blocks finds what it would find without, whoever changes them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import count
from uuid import uuid4

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from ai_smartness.adapters.postgres.connections import shared_pool
from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from ai_smartness.adapters.postgres.posting_blocks import Postings, event_blocks
from ai_smartness.adapters.postgres.posting_cache import PostingCache
from ai_smartness.adapters.words.bm25 import EventTokens
from ai_smartness.model.event import Event
from ai_smartness.model.search import IndexedWords, SearchMatch, SearchScope
from ai_smartness.ports import ThreadStore
from builders import a_thread, an_event
from engines import FILE_ENGINE, POSTGRES, TEMPORARY

DEMO = SearchScope(project="demo")
TEXTS = ("alpha", "beta gamma alpha", "alpha beta", "beta alpha delta", "gamma beta")
QUERIES = (["alpha"], ["alpha beta", "gamma"], ["beta alpha"], ["delta", "beta gamma alpha"])
MANY = 70
"""Messages after which a process joins blocks, which are large enough to be cached."""

Change = Callable[[ThreadStore], None]


class Undone(Exception):  # noqa: N818 - no error
    """Ends a unit that shall leave nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    with a_database() as made:
        yield made


@contextmanager
def a_database() -> Iterator[str]:
    """Yield the address of an empty database."""
    if reason := POSTGRES.missing():
        pytest.skip(f"{POSTGRES.name} is needed and cannot be had: {reason}")
    yield POSTGRES.url(TEMPORARY)
    POSTGRES.end_test()


def another_process(url: str) -> PostgresStore:
    """Open the database with a cache of its own, as another process would."""
    return PostgresStore.open(f"{url}&application_name={uuid4().hex}")


def found_by(store: ThreadStore) -> list[list[SearchMatch]]:
    return [store.word_index.match(DEMO, terms, 500) for terms in QUERIES]


def add(store: ThreadStore, first: int = 0, many: int = MANY) -> None:
    thread, texts = a_thread(), (TEXTS[(first + number) % len(TEXTS)] for number in range(many))
    with store.unit("demo"):
        store.threads.save(thread)
        events = [an_event(uuid4().hex, thread, text) for text in texts]
        index(store, store.events.append(events))


def index(store: ThreadStore, events: Sequence[Event], context: str = "") -> None:
    words = [IndexedWords(event.seq, event.text, "", context) for event in events]
    store.word_index.add("demo", words)


def join(store: ThreadStore) -> None:
    store.word_index.refresh_index("demo")


def events_of(store: ThreadStore) -> list[Event]:
    return store.events.after_seq("demo", 0, 1_000)


def remove(store: ThreadStore, step: int) -> None:
    """Delete every so many messages."""
    with store.unit("demo"), store.erasure.deletion_allowed():
        store.erasure.remove_events([event.seq for event in events_of(store)[::step]])


def index_again(store: ThreadStore, step: int) -> None:
    """Index messages anew with another context, as a deletion does with those that follow."""
    with store.unit("demo"):
        events = events_of(store)[1::step]
        store.erasure.remove_words([event.seq for event in events])
        index(store, events, context="delta alpha")


def rebuild(store: ThreadStore) -> None:
    with store.unit("demo"):
        store.word_index.clear("demo")
        index(store, events_of(store))


def undo(store: ThreadStore) -> None:
    """Add messages, join their blocks and search, and take it all back."""
    with suppress(Undone), store.unit("demo"):
        add(store, first=3)
        join(store)
        found_by(store)
        raise Undone


STEPS = st.integers(2, 40)
CHANGES = st.one_of(
    st.builds(lambda first: lambda store: add(store, first), st.integers(0, 4)),
    st.builds(lambda many: lambda store: add(store, 0, many), st.integers(1, 5)),
    st.builds(lambda step: lambda store: remove(store, step), STEPS),
    st.builds(lambda step: lambda store: index_again(store, step), STEPS),
    st.sampled_from([join, rebuild, undo]),
)


@given(changes=st.lists(st.tuples(CHANGES, st.sampled_from([0, 1])), min_size=2, max_size=7))
@settings(max_examples=8, phases=[Phase.explicit, Phase.generate])  # shrinking takes minutes
def test_whatever_two_processes_change_both_find_what_a_third_and_a_file_find(
    changes: Sequence[tuple[Change, int]],
) -> None:
    with (
        a_database() as url,
        closing(another_process(url)) as one,
        closing(another_process(url)) as other,
        closing(FILE_ENGINE.open_store(TEMPORARY, exact_limit=100_000)) as file,
    ):
        for change, number in [(add, 0), (join, 0), *changes]:
            for store in ((one, other)[number], file):
                change(store)
            with closing(another_process(url)) as uncached:
                expected = found_by(uncached)
            assert found_by(one) == found_by(other) == expected
            assert ranks(one, expected) == ranks(file, found_by(file))


def ranks(
    store: ThreadStore, found: Sequence[Sequence[SearchMatch]]
) -> list[list[tuple[int, float]]]:
    """Return the places of the messages, as a server does not use a number again, with scores."""
    places = {event.seq: place for place, event in enumerate(events_of(store))}
    return [
        sorted((places[match.seq], round(match.score, 9)) for match in matches) for matches in found
    ]


def test_blocks_of_frequent_words_are_cached_and_no_others(url: str) -> None:
    with closing(PostgresStore.open(url)) as store:
        add(store)
        join(store)
        pool = shared_pool(url)

        store.word_index.match(DEMO, ["alpha", "nowhere"], 10)

        project = store._projects.find_id("demo") or 0  # noqa: SLF001 # the key of the cache
        assert pool.postings.find(project, ["alpha", "nowhere"]).blocks
        assert not pool.postings.find(project, ["beta"]).blocks
        pool.release()


def test_a_lost_connection_empties_the_cache(url: str) -> None:
    with closing(PostgresStore.open(url)) as store, closing(another_process(url)) as other:
        add(store)
        join(store)
        pool = shared_pool(url)
        found = found_by(store)
        assert pool.postings.used_bytes

        other._database.all(  # noqa: SLF001 # as a server that goes down
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        store.events.count("demo")

        assert not pool.postings.used_bytes
        assert found_by(store) == found
        pool.release()


def postings(events: int) -> Postings:
    """Return the postings of messages that have a word once each."""
    numbers = range(1, events + 1)
    blocks = [block for seq in numbers for block in event_blocks(seq, EventTokens(["alpha"]))]
    return Postings.of_block(
        b"".join(packed for _, packed, _ in blocks), b"".join(places for _, _, places in blocks)
    )


@given(sizes=st.lists(st.tuples(st.integers(1, 6), st.integers(1, 15)), max_size=30))
def test_a_cache_stays_within_its_bytes_and_keeps_what_was_used_last(
    sizes: Sequence[tuple[int, int]],
) -> None:
    cache = PostingCache(most_bytes=1_000)
    numbers = count(1)

    for word, size in sizes:
        key = (f"word{word}", next(numbers), 100)
        cache.replace(1, "first", {key[0]: {key: postings(size)}})

        assert cache.used_bytes <= 1_000
        assert list(cache.find(1, [f"word{word}"]).blocks) == [key]


def test_a_new_generation_drops_the_words_of_the_former_one_in_its_project_alone() -> None:
    cache = PostingCache()
    for project in (1, 2):
        cache.replace(project, "first", {"alpha": {("alpha", 1, 100): postings(1)}})

    cache.replace(1, "second", {"beta": {("beta", 1, 100): postings(1)}})

    assert not cache.find(1, ["alpha"]).blocks
    assert cache.find(1, ["beta"]).generation == "second"
    assert cache.find(2, ["alpha"]).blocks
