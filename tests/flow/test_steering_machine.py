"""Focus, pin and rate among all other verbs, in any order: all of it can be taken back.

The machine of `tidying_machine` with more rules. A pin that is taken back is put
away, and its words are still there; what was of use in between stays of use.
"""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.journal import Outcome
from ai_smartness.model.statement import PIN_KINDS
from ai_smartness.model.thread import Origin, Status
from ai_smartness.threads.decay import is_pinned
from ai_smartness.threads.rate import rated_thread, relevance_of, usage_rating
from tidying_machine import SAID, SESSIONS, TITLES, Step, Tidying, one_of, some

TOPICS = ("JWT", " jwt ", "basket", "postgres", "nothing at all", "")
PINNED = (SAID[0], SAID[3], "We deploy on Tuesdays", "  We deploy on Tuesdays\n")

session = st.none() | st.sampled_from(SESSIONS)


class Steering(Tidying):
    """A memory that is talked to, tidied and steered."""

    @rule(
        topic=st.sampled_from(TOPICS) | some,
        weight=st.sampled_from([0.0, 0.5, 0.8, 1.0, 1.5]),
        session=session,
        hours=st.none() | st.integers(-1, 300),
    )
    def focus(
        self,
        topic: str | int,
        weight: float,
        session: str | None,
        hours: int | None,
    ) -> None:
        named = topic if isinstance(topic, str) else self.thread(topic)
        until = None if hours is None else self.clock() + timedelta(hours=hours)
        self.do(lambda: self.memory.focus(named, weight, session=session, until=until))

    @rule(topic=st.none() | st.sampled_from(TOPICS) | some, session=session)
    def unfocus(self, topic: str | int | None, session: str | None) -> None:
        if isinstance(topic, int):
            topic = one_of([each.topic for each in self.memory.foci(session)] or [""], topic)
        self.do(lambda: self.memory.unfocus(topic, session=session))

    @rule(which=some, useful=st.booleans(), of_a_message=st.booleans())
    def rate(self, which: int, *, useful: bool, of_a_message: bool) -> None:
        named = one_of(self.given, which) if of_a_message else self.thread(which)
        before = self.memory.thread(named).relevance if not of_a_message else 1.0
        done = self.do(lambda: self.memory.rate(named, useful=useful))
        assert done
        assert done.said.startswith(f"Rated {done.threads[0].id} as ")
        assert 0.0 < done.threads[0].relevance <= 1.0 >= before

    @rule(which=some)
    def was_of_use(self, which: int) -> None:
        thread = self.store.threads.get(self.thread(which))
        self.store.threads.save(rated_thread(thread, usage_rating(self.clock.advance(seconds=1))))
        self.now = self.dumped()

    @rule(
        text=st.sampled_from(PINNED),
        title=st.none() | st.sampled_from(TITLES),
        topics=st.lists(st.sampled_from(["ui", "JWT"]), unique=True),
        kind=st.none() | st.sampled_from(PIN_KINDS),
        session=session,
    )
    def pin(
        self,
        text: str,
        title: str | None,
        topics: list[str],
        kind: str | None,
        session: str | None,
    ) -> None:
        done = self.memory.pin(text, title=title, topics=topics, kind=kind, session=session)
        (thread,) = done.threads
        assert is_pinned(thread)
        assert thread.status is Status.ACTIVE
        if done.said.startswith("Already"):
            self.took_effect(done)
            return
        (event,) = self.store.events.of_thread(thread.id)
        assert event.text == text
        self.given.append(event.id)
        self.is_put_away_and_brought_back(done)

    def is_put_away_and_brought_back(self, done: Outcome) -> None:
        """Take a new pin back and bring it back: only then is there something before it."""
        pinned = self.dumped()
        self.clock.advance(seconds=1)
        undone = self.memory.undo(done.number)
        away = self.dumped()
        assert undone.threads[0].status is Status.ARCHIVED
        self.clock.advance(seconds=1)
        back = self.memory.undo(undone.number)
        self.now = self.dumped()
        assert self.now == pinned
        for number, step in ((done.number, (away, pinned)), (back.number, (away, pinned))):
            self.steps[number or 0] = Step(number or 0, *step)
        self.steps[undone.number or 0] = Step(undone.number or 0, pinned, away)
        self.stack.append(self.steps[done.number or 0])
        self.clock.advance(seconds=1)

    @invariant()
    def what_is_rated_is_what_the_ratings_say(self) -> None:
        for thread in self.threads():
            if thread.origin is not Origin.SPLIT:
                assert thread.relevance == pytest.approx(relevance_of(thread.ratings))

    @invariant()
    def one_focus_on_a_topic_in_a_session_and_none_on_what_was_merged(self) -> None:
        keys = [each.key for each in self.store.foci.all("demo")]
        assert len(keys) == len(set(keys))
        merged = {thread.id for thread in self.threads() if thread.merged_into}
        for each in SESSIONS:
            assert not {focus.topic for focus in self.memory.foci(each)} & merged

    @precondition(lambda self: self.memory.foci("s1"))
    @rule()
    def inject_with_focus(self) -> None:
        found = self.memory.inject("the checkout basket total", lasting=False)
        assert len({entry.thread.id for entry in found.entries}) == len(found.entries)

    def do(self, verb: Callable[[], Outcome]) -> Outcome | None:
        """Do what cannot be tried out first; what is refused changes nothing."""
        try:
            done = verb()
        except (RefusedError, NotFoundError) as refused:
            assert self.dumped() == self.now
            self.refusal = str(refused)
            return None
        self.took_effect(done)
        return done

    def undo_everything(self) -> None:
        """Take back all that is in force: but for pins and use, the first state is there again."""
        by_number, stack = not self.in_order, list(reversed(self.stack))
        done = all(self.take_back(step.number, by_number=by_number) for step in stack)
        assert done or self.talks or by_number, self.refusal
        if done and not self.talks:
            assert but_for_pins_and_use(self.now) == but_for_pins_and_use(self.first)


def but_for_pins_and_use(dumped: str) -> dict[str, list[dict[str, Any]]]:
    """Leave out the pins that were put away, and what use leaves on a thread."""
    there = json.loads(dumped)
    pins = {thread["id"] for thread in there["threads"] if thread["origin"] == "pin"}
    there["threads"] = [_unused(each) for each in there["threads"] if each["id"] not in pins]
    there["events"] = [each for each in there["events"] if each["thread_id"] not in pins]
    there["bridges"] = [
        each for each in there["bridges"] if not {each["source"], each["target"]} & pins
    ]
    return dict(there)


def _unused(thread: dict[str, Any]) -> dict[str, Any]:
    ratings = [each for each in thread["ratings"] if each["strength"] == 1]
    return {**thread, "ratings": ratings, "relevance": None}


TestSteering = Steering.TestCase
TestSteering.settings = settings(
    max_examples=40,
    stateful_step_count=30,
    suppress_health_check=[HealthCheck.too_slow],
)
