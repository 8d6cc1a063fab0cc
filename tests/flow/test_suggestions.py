"""The memory says what could be done, and every suggestion can be carried out as it stands."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from ai_smartness import Memory, Message
from ai_smartness.model.bridge import Relation
from ai_smartness.model.compaction import MergeStep
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.suggestion import Suggestions
from ai_smartness.model.thread import Origin, SplitLock, Status
from ai_smartness.views.json import suggestions_json
from builders import NOON, a_memory
from suggesting import API, FLOW, LOGIN, SCHEMA, Site

pytestmark = pytest.mark.every_engine


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.store.close()


def test_the_seeds_usage_example(site: Site) -> None:
    share = 6.5 / 12
    site.lay("thread_auth_flow", *FLOW, title="Authentication flow", weight=share + 0.01)
    site.lay("thread_login", *LOGIN, title="Login", weight=share - 0.01)
    site.lay_others(9, weight=share)
    site.lay("thread_jwt", title="Tokens", weight=share)
    site.say("thread_jwt", "JWT tokens: working on authentication, JWT tokens expire", "s2")
    site.say("thread_0", "subject0 once more", "s3")

    found = site.memory.suggestions("working on authentication", session="s4")

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


def test_the_seeds_split_candidate(site: Site) -> None:
    site.lay("thread_zzz", *API, *SCHEMA, title="API design")

    (split,) = site.memory.suggestions().split_candidates

    assert split.thread_id == "thread_zzz"
    assert split.reason == "Thread drifted from 'API design' to 'database schema'"
    assert split.topics_to_split == ("database schema",)
    assert split.messages == (tuple(f"m{n}" for n in range(8, 14)),)


def test_only_what_is_in_use_presses(site: Site) -> None:
    site.lay("thread_faded", "long ago", last_active=NOON - timedelta(days=400))
    site.lay("thread_aside", "for later", status=Status.SUSPENDED)
    site.lay("thread_now", "right now", weight=0.5)

    health = site.memory.suggestions().health

    assert (health.active_threads, health.context_pressure) == (1, 0.05)


def test_a_thread_about_one_subject_is_not_to_be_split(site: Site) -> None:
    site.lay("thread_api", *API, *API)

    assert site.memory.suggestions().split_candidates == ()


def test_a_thread_that_is_kept_whole_is_not_to_be_split_until_that_is_undone(site: Site) -> None:
    site.lay("thread_api", *API, *SCHEMA)
    memory = site.memory
    assert len(memory.suggestions().split_candidates) == 1

    outcome = memory.keep_whole("thread_api")

    assert memory.suggestions().split_candidates == ()
    with pytest.raises(RefusedError, match="kept whole already"):
        memory.keep_whole("thread_api")
    memory.undo(outcome.number)
    assert len(memory.suggestions().split_candidates) == 1


def test_under_pressure_it_is_recommended_to_merge(site: Site) -> None:
    site.lay("thread_auth_flow", *FLOW)
    site.lay("thread_login", *LOGIN)
    site.lay_others(6)

    health = site.memory.suggestions().health

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
def test_a_locked_or_archived_thread_is_not_suggested(site: Site, known: dict[str, object]) -> None:
    site.lay("thread_auth_flow", *FLOW)
    site.lay("thread_login", *LOGIN, **known)
    site.lay("thread_zzz", *API, *SCHEMA, **known)
    site.lay_others()

    found = site.memory.suggestions()

    assert (found.merge_candidates, found.split_candidates) == ((), ())


@pytest.mark.parametrize(
    "known",
    [
        {},
        {"status": Status.SUSPENDED},
        {"last_active": NOON - timedelta(days=400)},
        {"origin": Origin.PIN},
    ],
)
def test_it_offers_the_merges_that_a_compaction_would_make(
    site: Site, known: dict[str, object]
) -> None:
    site.lay("thread_auth_flow", *FLOW)
    site.lay("thread_login", *LOGIN, **known)
    site.lay_others()

    offered = site.memory.suggestions().merge_candidates
    steps = site.memory.compact(dry_run=True).steps

    merged = [step.threads for step in steps if isinstance(step, MergeStep)]
    assert [(merge.thread_a, merge.thread_b) for merge in offered] == merged
    assert bool(merged) is (not known)


def test_another_projects_threads_are_not_mixed_in(site: Site) -> None:
    site.lay("thread_auth_flow", *FLOW)
    site.lay("thread_login", *LOGIN, project="other")

    found = site.memory.suggestions()

    assert found.merge_candidates == ()
    assert found.health.active_threads == 1


def test_what_the_session_speaks_of_or_was_shown_is_not_hinted_at(site: Site) -> None:
    site.lay_others()
    site.lay("thread_jwt", "the JWT tokens are rotated every week")
    memory = site.memory
    other = memory.suggestions("JWT tokens", session="s2").recall_hints

    site.say("thread_jwt", "rotate them daily", "s2")

    assert [hint.last_mentioned for hint in other] == ["1 session ago"]
    assert memory.suggestions("JWT tokens", session="s2").recall_hints == ()
    assert memory.inject("how are the JWT tokens rotated?", session="s3").text
    assert memory.suggestions("JWT tokens", session="s3").recall_hints == ()


def test_without_a_context_hints_are_for_what_the_session_was_last_asked(
    site: Site,
) -> None:
    site.lay_others()
    site.lay("thread_jwt", "the JWT tokens are rotated every week")
    site.lay("thread_talk")
    site.say("thread_talk", "when are the JWT tokens rotated?", "s2")
    site.say("thread_talk", "ok", "s2")

    assert site.memory.suggestions(session="s2").recall_hints != ()
    assert site.memory.suggestions().recall_hints == ()
    assert site.memory.suggestions(session="unheard of").recall_hints == ()


def test_an_archived_thread_is_not_hinted_at(site: Site) -> None:
    site.lay("thread_jwt", "the JWT tokens are rotated every week", status=Status.ARCHIVED)

    assert site.memory.suggestions("JWT tokens").recall_hints == ()


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


def test_a_pin_that_is_shown_again_and_again_and_never_of_use_is_forgotten(
    site: Site,
) -> None:
    site.lay("thread_pin", "the office is closed on fridays", origin=Origin.PIN, weight=1.3)
    memory = site.memory
    for n in range(12):
        assert "fridays" in memory.inject(f"question {n} on charts", session=f"t{n}").text

    found = memory.suggestions()

    (pin,) = found.forgotten_pins
    assert (pin.thread_id, pin.reason) == ("thread_pin", "Shown 12 times, never of use")
    assert found.health.hit_rate == 0.0
    assert 0 < found.health.tokens_injected < found.health.token_budget


def test_tokens_are_those_of_the_session_that_asks(site: Site) -> None:
    site.lay("thread_jwt", "the JWT tokens are rotated every week")
    site.lay_others()
    memory = site.memory
    memory.inject("how are the JWT tokens rotated?", session="s2")
    memory.inject("zebra?", session="s3")

    assert memory.suggestions(session="s2").health.tokens_injected > 0
    assert memory.suggestions(session="s3").health.tokens_injected == 0
    assert memory.suggestions(session="s9").health.tokens_injected > 0


@pytest.mark.parametrize(
    "context", ["", " \n", "x" * 1_000_000, "\ud83e half", "\x00\x1b[2J", "';--", "%00", "🦀" * 500]
)
def test_a_context_may_be_anything_that_a_question_may_be(site: Site, context: str) -> None:
    site.lay("thread_jwt", "the JWT tokens are rotated every week")

    found = site.memory.suggestions(context)

    assert found.health.active_threads == 1


@pytest.mark.parametrize("context", [7, b"bytes", ["a"]])
def test_a_context_that_is_no_text_is_refused(site: Site, context: str) -> None:
    with pytest.raises(RefusedError, match="must be text"):
        site.memory.suggestions(context)


@pytest.mark.parametrize("session", ["\ud83e", "x" * 100_000])
def test_a_session_that_cannot_be_is_refused(site: Site, session: str) -> None:
    with pytest.raises(RefusedError, match="cannot be a session's name"):
        site.memory.suggestions(session=session)


def test_an_empty_memory_is_healthy_and_suggests_nothing(site: Site) -> None:
    found = site.memory.suggestions("anything", session="s1")

    assert found.health.recommendation == "Healthy state, no action needed"
    assert found == Suggestions(
        merge_candidates=(),
        split_candidates=(),
        recall_hints=(),
        conflicts=(),
        forgotten_pins=(),
        health=found.health,
    )


def test_without_a_model_what_words_can_tell_is_still_said(site: Site) -> None:
    site.model = None
    site.lay("thread_auth_flow", *FLOW)
    site.lay("thread_login", *LOGIN)
    site.lay_others()

    found = site.memory.suggestions("authentication flow")

    assert found.merge_candidates == ()
    assert found.recall_hints != ()


def test_nothing_is_changed_by_suggesting(site: Site) -> None:
    site.lay("thread_auth_flow", *FLOW)
    site.lay("thread_login", *LOGIN, status=Status.SUSPENDED)
    memory = site.memory
    memory.tell()
    before = memory.threads()

    memory.suggestions("authentication flow")

    assert memory.threads() == before
    assert memory.log() == []


@pytest.mark.file_store
def test_a_file_that_was_deleted_is_not_hinted_at(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    old = tmp_path / "validator_setup.py"
    old.write_text("port = 8899")
    with Memory.open(project=tmp_path, home=tmp_path / "home") as memory:
        memory.capture([Message(text="validator_setup.py starts the validator", session="old")])
        there = memory.suggestions("validator_setup.py", session="new").recall_hints
        old.unlink()

        gone = memory.suggestions("validator_setup.py", session="new").recall_hints

    assert [hint.topic for hint in there] == ["validator_setup.py"]
    assert not [hint for hint in gone if "validator_setup.py" in hint.topic]


def test_threads_that_are_kept_apart_are_neither_suggested_nor_compacted_until_that_is_undone(
    site: Site,
) -> None:
    site.lay("thread_auth_flow", *FLOW)
    site.lay("thread_login", *LOGIN)
    site.lay_others()
    memory = site.memory
    assert len(memory.suggestions().merge_candidates) == 1

    outcome = memory.keep_apart("thread_login", "thread_auth_flow")

    assert memory.suggestions().merge_candidates == ()
    assert [s for s in memory.compact(dry_run=True).steps if isinstance(s, MergeStep)] == []
    with pytest.raises(RefusedError, match="kept apart already"):
        memory.keep_apart("thread_auth_flow", "thread_login")
    memory.undo(outcome.number)
    assert len(memory.suggestions().merge_candidates) == 1
