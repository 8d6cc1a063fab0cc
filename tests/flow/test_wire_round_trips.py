"""A verb waits for PostgreSQL a dozen times at most, counted on the wire by a proxy."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from dozen_sessions import MOST_ROUND_TRIPS, QUESTIONS, DozenSessions
from engines import POSTGRES, TEMPORARY
from postgres_proxy import ServerProxy, started_proxy


class Site(DozenSessions):
    """The memory behind a proxy that counts."""

    def __init__(self, proxy: ServerProxy, url: str) -> None:
        self.proxy = proxy
        super().__init__(PostgresStore.open(url))

    def round_trips(self, call: Callable[[], object]) -> int:
        """Return how often a verb waits."""
        before = self.proxy.round_trips
        call()
        return self.proxy.round_trips - before


@pytest.fixture
def site() -> Iterator[Site]:
    if missing := POSTGRES.missing():
        pytest.skip(f"no PostgreSQL: {missing}")
    with started_proxy(POSTGRES.socket) as proxy:
        site = Site(proxy, proxy.url(POSTGRES.url(TEMPORARY)))
        yield site
        site.memory.close()
    POSTGRES.end_test()


def test_a_search_waits_a_dozen_times_at_most(site: Site) -> None:
    for question in QUESTIONS:
        assert 0 < site.round_trips(partial(site.memory.search, question)) <= MOST_ROUND_TRIPS


def test_a_recall_waits_a_dozen_times_at_most(site: Site) -> None:
    for question in QUESTIONS:
        assert 0 < site.round_trips(partial(site.memory.recall, question)) <= MOST_ROUND_TRIPS


def test_a_prompt_waits_a_dozen_times_at_most(site: Site) -> None:
    for question in (*QUESTIONS, *QUESTIONS):
        inject = partial(site.memory.inject, question, session="new")
        assert 0 < site.round_trips(inject) <= MOST_ROUND_TRIPS


def test_a_live_message_waits_a_dozen_times_at_most(site: Site) -> None:
    for message in site.live_messages():
        assert 0 < site.round_trips(partial(site.memory.capture, message)) <= MOST_ROUND_TRIPS
