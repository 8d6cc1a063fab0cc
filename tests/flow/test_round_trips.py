"""A verb asks its store a dozen times at most, however much it finds: a server may be far away."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial

import pytest

from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.event import Message
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder, SetClock
from builders import NOON
from crowd import SUBJECTS
from engines import open_store
from round_trips import CountedTrips, counted_store

pytestmark = pytest.mark.every_engine

MOST_ROUND_TRIPS = 12
SESSIONS = 12
QUESTIONS = (
    "where are the tokens documented, in src/auth/x3.py?",
    "What did we decide about the invoices? And who sends the mails of the shop?",
    "how do we send mail from src/mail/x2.py",
    "zebra",
)


class Site:
    """A memory of a dozen sessions, whose round trips are counted."""

    def __init__(self) -> None:
        self.trips, self.clock, self.model = CountedTrips(), SetClock(NOON), HashEmbedder(128)
        self.store = counted_store(open_store(), self.trips)
        parts = MemoryParts(store=self.store, embedder=lambda: self.model, clock=self.clock)
        self.memory = Memory(parts, "demo", Settings())
        for number in range(SESSIONS):
            self.clock.advance(hours=3)
            self.memory.capture(list(self._messages(number)))
        self.memory.pin("Never deploy on a Friday")
        self.memory.focus("tokens")
        self.memory.embed()

    def _messages(self, session: int) -> Iterator[Message]:
        subject = SUBJECTS[session % len(SUBJECTS)]
        for number in range(6):
            role = "assistant" if number % 2 else "user"
            file = f"src/{('auth', 'pay', 'mail')[number % 3]}/x{session}.py"
            asks = "do we keep it?" if number == 2 else "we decided to keep it."
            text = f"{subject} in {file}: {asks}"
            at = self.clock() + timedelta(minutes=number)
            yield Message(
                id=f"m{session}-{number}", session=f"s{session}", role=role, text=text, at=at
            )

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
    site.memory.capture(Message(id="before", session="live", text="good morning"))

    for number in range(6):
        site.clock.advance(minutes=3)
        role = "assistant" if number % 2 else "user"
        text = f"rotate the tokens of src/auth/x{number}.py, we decided on 30 minutes"
        message = Message(id=f"live{number}", session="live", role=role, text=text, at=site.clock())
        assert_few(site.round_trips(partial(site.memory.capture, message)))
