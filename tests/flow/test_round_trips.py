"""A verb asks its store a dozen times at most, however much it finds: a server may be far away."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from dozen_sessions import MOST_ROUND_TRIPS, QUESTIONS, WAKING_QUESTIONS, DozenSessions
from engines import open_store
from round_trips import CountedTrips, counted_store

pytestmark = pytest.mark.every_engine


class Site(DozenSessions):
    """The memory, whose round trips are counted at the port."""

    def __init__(self) -> None:
        self.trips = CountedTrips()
        super().__init__(counted_store(open_store(), self.trips))

    def round_trips(self, call: Callable[[], object]) -> list[str]:
        """Return the calls for which a verb would wait."""
        self.trips.names = []
        call()
        return self.trips.names


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.memory.close()


def assert_few(names: list[str]) -> None:
    assert 0 < len(names) <= MOST_ROUND_TRIPS, names


def test_a_search_asks_a_dozen_times_at_most(site: Site) -> None:
    for question in QUESTIONS:
        assert_few(site.round_trips(partial(site.memory.search, question)))


def test_a_recall_asks_a_dozen_times_at_most(site: Site) -> None:
    for question in QUESTIONS:
        assert_few(site.round_trips(partial(site.memory.recall, question)))


def test_a_prompt_asks_a_dozen_times_at_most_in_any_turn_of_its_session(site: Site) -> None:
    for question in (*QUESTIONS, *QUESTIONS):
        assert_few(site.round_trips(partial(site.memory.inject, question, session="new")))


def test_a_live_message_is_captured_with_a_dozen_questions_at_most(site: Site) -> None:
    for message in site.live_messages():
        assert_few(site.round_trips(partial(site.memory.capture, message)))


def test_a_recall_that_wakes_suspended_threads_asks_a_dozen_times_at_most(site: Site) -> None:
    site.put_away()
    for question in WAKING_QUESTIONS:
        assert_few(site.round_trips(partial(site.memory.recall, question)))

    assert site.woken_threads() == site.waking_threads


def test_no_verb_asks_more_in_a_session_that_uses_what_it_was_shown(site: Site) -> None:
    for question, message in site.working_session():
        assert_few(site.round_trips(partial(site.memory.inject, question, session="live")))
        assert_few(site.round_trips(partial(site.memory.capture, message)))

    assert site.memory.status().used


def test_no_verb_asks_more_where_threads_are_suspended_archived_or_in_focus(site: Site) -> None:
    site.put_away()
    for question in (*QUESTIONS, *WAKING_QUESTIONS):
        assert_few(site.round_trips(partial(site.memory.search, question)))
        assert_few(site.round_trips(partial(site.memory.inject, question, session="new")))
        assert_few(site.round_trips(partial(site.memory.recall, question)))
    for message in site.messages_of_old_sessions():
        assert_few(site.round_trips(partial(site.memory.capture, message)))
