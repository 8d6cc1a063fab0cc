"""The memory says what could be done, and every suggestion can be carried out as it stands."""

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest

from ai_smartness import Message
from ai_smartness.model.bridge import Relation
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.suggestion import Suggestions
from ai_smartness.model.thread import Origin, SplitLock, Status
from ai_smartness.views.json import suggestions_json
from builders import NOON, a_memory
from suggesting import API, FLOW, LOGIN, SCHEMA, Desk


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk()
    yield desk
    desk.store.close()


def test_the_seeds_usage_example(desk: Desk) -> None:
    share = 6.5 / 12
    desk.lay("thread_auth_flow", *FLOW, title="Authentication flow", weight=share + 0.01)
    desk.lay("thread_login", *LOGIN, title="Login", weight=share - 0.01)
    desk.lay_others(9, weight=share)
    desk.lay("thread_jwt", title="Tokens", weight=share)
    desk.say("thread_jwt", "JWT tokens: working on authentication, JWT tokens expire", "s2")
    desk.say("thread_0", "subject0 once more", "s3")

    found = desk.memory.suggestions("working on authentication", session="s4")

    told = json.loads(json.dumps(suggestions_json(found)))
    (merge,) = told["merge_candidates"]
    assert (merge["thread_a"], merge["thread_b"]) == ("thread_auth_flow", "thread_login")
    assert merge["similarity"] > 0.85
    assert merge["reason"] == "Both about authentication flow"
    assert merge["command"] == "ai_merge('thread_auth_flow', 'thread_login')"
    hint = next(each for each in told["recall_hints"] if each["topic"] == "JWT tokens")
    assert hint["last_mentioned"] == "2 sessions ago"
    assert hint["thread_count"] == 1
    assert hint["command"] == "ai_recall('JWT tokens')"
    assert told["health"]["active_threads"] == 12
    assert told["health"]["context_pressure"] == 0.65
    assert told["health"]["recommendation"] == "Healthy state, no action needed"


def test_the_seeds_split_candidate(desk: Desk) -> None:
    desk.lay("thread_zzz", *API, *SCHEMA, title="API design")

    (split,) = desk.memory.suggestions().split_candidates

    assert split.thread_id == "thread_zzz"
    assert split.reason == "Thread drifted from 'API design' to 'database schema'"
    assert split.topics_to_split == ("database schema",)
    assert split.messages == (tuple(f"m{n}" for n in range(8, 14)),)


def test_only_what_is_in_use_presses(desk: Desk) -> None:
    desk.lay("thread_faded", "long ago", last_active=NOON - timedelta(days=400))
    desk.lay("thread_aside", "for later", status=Status.SUSPENDED)
    desk.lay("thread_now", "right now", weight=0.5)

    health = desk.memory.suggestions().health

    assert (health.active_threads, health.context_pressure) == (1, 0.05)


def test_a_thread_about_one_subject_is_not_to_be_split(desk: Desk) -> None:
    desk.lay("thread_api", *API, *API)

    assert desk.memory.suggestions().split_candidates == ()


def test_under_pressure_it_is_recommended_to_merge(desk: Desk) -> None:
    desk.lay("thread_auth_flow", *FLOW)
    desk.lay("thread_login", *LOGIN)
    desk.lay_others(6)

    health = desk.memory.suggestions().health

    assert health.context_pressure == 0.8
    assert health.recommendation == "Consider merging similar threads to reduce pressure"


@pytest.mark.parametrize(
    "known",
    [
        {"split_lock": SplitLock.AGENT_RELEASE},
        {"split_lock": SplitLock.FORCE},
        {"status": Status.ARCHIVED},
        {"status": Status.ARCHIVED, "tags": ("merged_into:thread_auth_flow",)},
    ],
)
def test_a_locked_or_archived_thread_is_not_suggested(desk: Desk, known: dict[str, object]) -> None:
    desk.lay("thread_auth_flow", *FLOW)
    desk.lay("thread_login", *LOGIN, **known)
    desk.lay("thread_zzz", *API, *SCHEMA, **known)
    desk.lay_others()

    found = desk.memory.suggestions()

    assert (found.merge_candidates, found.split_candidates) == ((), ())


def test_a_suspended_thread_can_be_merged_too(desk: Desk) -> None:
    desk.lay("thread_auth_flow", *FLOW)
    desk.lay("thread_login", *LOGIN, status=Status.SUSPENDED)
    desk.lay_others()

    assert len(desk.memory.suggestions().merge_candidates) == 1


def test_another_projects_threads_are_not_mixed_in(desk: Desk) -> None:
    desk.lay("thread_auth_flow", *FLOW)
    desk.lay("thread_login", *LOGIN, project="other")

    found = desk.memory.suggestions()

    assert found.merge_candidates == ()
    assert found.health.active_threads == 1


def test_what_the_session_speaks_of_or_was_shown_is_not_hinted_at(desk: Desk) -> None:
    desk.lay_others()
    desk.lay("thread_jwt", "the JWT tokens are rotated every week")
    memory = desk.memory
    other = memory.suggestions("JWT tokens", session="s2").recall_hints

    desk.say("thread_jwt", "rotate them daily", "s2")

    assert [hint.last_mentioned for hint in other] == ["1 session ago"]
    assert memory.suggestions("JWT tokens", session="s2").recall_hints == ()
    assert memory.inject("how are the JWT tokens rotated?", session="s3").text
    assert memory.suggestions("JWT tokens", session="s3").recall_hints == ()


def test_without_a_context_hints_are_for_what_the_session_was_last_asked(desk: Desk) -> None:
    desk.lay_others()
    desk.lay("thread_jwt", "the JWT tokens are rotated every week")
    desk.lay("thread_talk")
    desk.say("thread_talk", "when are the JWT tokens rotated?", "s2")
    desk.say("thread_talk", "ok", "s2")

    assert desk.memory.suggestions(session="s2").recall_hints != ()
    assert desk.memory.suggestions().recall_hints == ()
    assert desk.memory.suggestions(session="unheard of").recall_hints == ()


def test_an_archived_thread_is_not_hinted_at(desk: Desk) -> None:
    desk.lay("thread_jwt", "the JWT tokens are rotated every week", status=Status.ARCHIVED)

    assert desk.memory.suggestions("JWT tokens").recall_hints == ()


def test_a_fact_that_was_superseded_is_found_without_a_language_model() -> None:
    with a_memory(embedder=lambda: None) as memory:
        for n, text in enumerate(
            [
                "The upload limit for the thumbnail worker is 50 MB.",
                "The upload limit for the thumbnail worker is now 80 MB.",
            ]
        ):
            at = NOON + timedelta(days=n)
            memory.capture(Message(id=f"m{n}", session=f"s{n}", text=text, at=at))
        older, newer = (memory.message(f"m{n}").thread_id for n in range(2))

        (conflict,) = memory.suggestions().conflicts

        assert (conflict.older, conflict.newer) == (older, newer)
        assert conflict.relation is Relation.UPDATES
        assert conflict.reason.startswith('"50 MB" became "80 MB"')
        memory.archive(older)
        assert memory.suggestions().conflicts == ()


def test_a_pin_that_is_shown_again_and_again_and_never_of_use_is_forgotten(desk: Desk) -> None:
    desk.lay("thread_pin", "the office is closed on fridays", origin=Origin.PIN, weight=1.3)
    memory = desk.memory
    for n in range(12):
        assert "fridays" in memory.inject(f"question {n} on charts", session=f"t{n}").text

    found = memory.suggestions()

    (pin,) = found.forgotten_pins
    assert (pin.thread_id, pin.reason) == ("thread_pin", "Shown 12 times, never of use")
    assert found.health.hit_rate == 0.0
    assert 0 < found.health.tokens_injected < found.health.token_budget


def test_tokens_are_those_of_the_session_that_asks(desk: Desk) -> None:
    desk.lay("thread_jwt", "the JWT tokens are rotated every week")
    desk.lay_others()
    memory = desk.memory
    memory.inject("how are the JWT tokens rotated?", session="s2")
    memory.inject("zebra?", session="s3")

    assert memory.suggestions(session="s2").health.tokens_injected > 0
    assert memory.suggestions(session="s3").health.tokens_injected == 0
    assert memory.suggestions(session="s9").health.tokens_injected > 0


@pytest.mark.parametrize(
    "context", ["", " \n", "x" * 1_000_000, "\ud83e half", "\x00\x1b[2J", "';--", "%00", "🦀" * 500]
)
def test_a_context_may_be_anything_that_a_question_may_be(desk: Desk, context: str) -> None:
    desk.lay("thread_jwt", "the JWT tokens are rotated every week")

    found = desk.memory.suggestions(context)

    assert found.health.active_threads == 1


@pytest.mark.parametrize("context", [7, b"bytes", ["a"]])
def test_a_context_that_is_no_text_is_refused(desk: Desk, context: str) -> None:
    with pytest.raises(RefusedError, match="must be text"):
        desk.memory.suggestions(context)


@pytest.mark.parametrize("session", ["\ud83e", "x" * 100_000])
def test_a_session_that_cannot_be_is_refused(desk: Desk, session: str) -> None:
    with pytest.raises(RefusedError, match="cannot be a session's name"):
        desk.memory.suggestions(session=session)


def test_an_empty_memory_is_healthy_and_suggests_nothing(desk: Desk) -> None:
    found = desk.memory.suggestions("anything", session="s1")

    assert found.health.recommendation == "Healthy state, no action needed"
    assert found == Suggestions(
        merge_candidates=(),
        split_candidates=(),
        recall_hints=(),
        conflicts=(),
        forgotten_pins=(),
        health=found.health,
    )


def test_without_a_model_what_words_can_tell_is_still_said(desk: Desk) -> None:
    desk.model = None
    desk.lay("thread_auth_flow", *FLOW)
    desk.lay("thread_login", *LOGIN)
    desk.lay_others()

    found = desk.memory.suggestions("authentication flow")

    assert found.merge_candidates == ()
    assert found.recall_hints != ()


def test_nothing_is_changed_by_suggesting(desk: Desk) -> None:
    desk.lay("thread_auth_flow", *FLOW)
    desk.lay("thread_login", *LOGIN, status=Status.SUSPENDED)
    memory = desk.memory
    memory.tell()
    before = memory.threads()

    memory.suggestions("authentication flow")

    assert memory.threads() == before
    assert memory.log() == []
