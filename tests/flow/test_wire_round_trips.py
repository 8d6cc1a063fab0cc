"""A verb waits for PostgreSQL a dozen times at most, counted on the wire by a proxy."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from dozen_sessions import MOST_ROUND_TRIPS, QUESTIONS, WAKING_QUESTIONS, DozenSessions
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


def assert_few(round_trips: int) -> None:
    assert 0 < round_trips <= MOST_ROUND_TRIPS


def test_a_search_waits_a_dozen_times_at_most(site: Site) -> None:
    for question in QUESTIONS:
        assert_few(site.round_trips(partial(site.memory.search, question)))


def test_a_recall_waits_a_dozen_times_at_most(site: Site) -> None:
    for question in QUESTIONS:
        assert_few(site.round_trips(partial(site.memory.recall, question)))


def test_a_recall_that_wakes_suspended_threads_waits_a_dozen_times_at_most(site: Site) -> None:
    site.put_away()
    for question in WAKING_QUESTIONS:
        assert_few(site.round_trips(partial(site.memory.recall, question)))

    assert site.woken_threads() == site.waking_threads


def test_a_prompt_waits_a_dozen_times_at_most(site: Site) -> None:
    for question in (*QUESTIONS, *QUESTIONS):
        assert_few(site.round_trips(partial(site.memory.inject, question, session="new")))


def test_no_verb_waits_more_in_a_session_that_uses_what_it_was_shown(site: Site) -> None:
    for question, message in site.working_session():
        assert_few(site.round_trips(partial(site.memory.inject, question, session="live")))
        assert_few(site.round_trips(partial(site.memory.capture, message)))

    assert site.memory.status().used


def test_no_verb_waits_more_where_threads_are_suspended_archived_or_in_focus(site: Site) -> None:
    site.put_away()
    for question in (*QUESTIONS, *WAKING_QUESTIONS):
        assert_few(site.round_trips(partial(site.memory.search, question)))
        assert_few(site.round_trips(partial(site.memory.inject, question, session="new")))
        assert_few(site.round_trips(partial(site.memory.recall, question)))
    for message in site.messages_of_old_sessions():
        assert_few(site.round_trips(partial(site.memory.capture, message)))


def test_a_live_message_waits_a_dozen_times_at_most(site: Site) -> None:
    for message in site.live_messages():
        assert_few(site.round_trips(partial(site.memory.capture, message)))
