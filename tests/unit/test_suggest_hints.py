"""What is known of a context and has been out of mind."""

from dataclasses import replace
from datetime import timedelta

import pytest

from ai_smartness.model.thread import Thread
from ai_smartness.suggest.recall_hints import (
    FittingThread,
    SessionTimeline,
    recall_hints,
    sessions_since,
)
from builders import NOON, a_thread, an_event


def about(*topics: str, id_: str = "thread_1", title: str = "A title") -> Thread:
    return replace(a_thread(id_), topics=topics, title=title)


def mention(thread: Thread, seq: int = 1, session: str | None = "s1") -> FittingThread:
    return FittingThread(thread, replace(an_event("m1", thread, session=session), seq=seq))


def now(session: str | None = None, *, days: float = 0, **ends: int) -> SessionTimeline:
    return SessionTimeline(at=NOON + timedelta(days=days), session=session, ends=ends)


def test_the_seeds_example_is_said_in_its_words() -> None:
    mentions = [mention(about("solana", f"aside {n}", id_=f"t{n}"), seq=n) for n in range(1, 6)]

    (hint,) = recall_hints(mentions, now("s4", s1=5, s2=6, s3=7), most=5)

    assert hint.topic == "solana"
    assert hint.last_mentioned == "3 sessions ago"
    assert hint.thread_count == 5


@pytest.mark.parametrize(
    ("present", "said"),
    [
        (now("s3", s1=1, s2=2, s3=3), "2 sessions ago"),
        (now("s3", s1=1, s2=2), "2 sessions ago"),
        (now("s2", s1=9), "1 session ago"),
        (now(None, s1=1, s2=2), "1 session ago"),
        (now(None, s1=1), "today"),
        (now(None, days=1, s1=1), "1 day ago"),
        (now("s1", days=12, s1=1), "12 days ago"),
    ],
)
def test_sessions_are_counted_from_the_one_that_spoke_of_it_last(
    present: SessionTimeline, said: str
) -> None:
    (hint,) = recall_hints([mention(about("jwt"))], present, most=5)

    assert hint.last_mentioned == said


def test_what_was_said_in_no_session_is_counted_in_days() -> None:
    present = now("s9", days=3, s8=8, s9=9)

    (hint,) = recall_hints([mention(about("jwt"), session=None)], present, most=5)

    assert hint.last_mentioned == "3 days ago"


def test_a_session_that_went_on_about_something_else_is_not_a_later_one() -> None:
    last = replace(an_event("m1", a_thread(), session="s1"), seq=5)

    assert sessions_since(last, now("s2", s0=2, s1=8, s2=9)) == 1


def test_threads_are_grouped_by_the_topic_they_share_and_the_best_comes_first() -> None:
    mentions = [
        mention(about("cookies", "JWT tokens", id_="t1"), seq=1),
        mention(about("charts", id_="t2"), seq=2),
        mention(about("jwt tokens", "cron", id_="t3"), seq=3),
    ]

    hints = recall_hints(mentions, now(), most=5)

    assert [(hint.topic, hint.thread_count) for hint in hints] == [("JWT tokens", 2), ("charts", 1)]


def test_of_a_thread_about_much_the_topic_that_fits_is_named() -> None:
    thread = about("charts", "jwt tokens")

    (hint,) = recall_hints([FittingThread(thread, None, "Sign the JWT tokens anew")], now(), most=5)

    assert hint.topic == "jwt tokens"


def test_a_thread_without_topics_is_named_by_its_title() -> None:
    (hint,) = recall_hints([FittingThread(about(title="The\nkeys"), None)], now(days=2), most=5)

    assert (hint.topic, hint.last_mentioned) == ("The keys", "2 days ago")


def test_a_topic_that_would_be_taken_for_a_thread_is_not_named() -> None:
    assert recall_hints([mention(about(title="thread_20260302"))], now(), most=5) == ()


def test_only_so_many_are_named() -> None:
    mentions = [mention(about(f"topic {n}", id_=f"t{n}")) for n in range(9)]

    assert len(recall_hints(mentions, now(), most=4)) == 4


@pytest.mark.parametrize("word", ["cannot", "Never", "would", "can't"])
def test_a_word_that_names_no_subject_is_no_hint(word: str) -> None:
    (hint,) = recall_hints([mention(about(word, "solana"))], now("s4", s1=5), most=5)

    assert hint.topic == "solana"


def test_a_thread_without_a_topic_that_names_a_subject_is_hinted_at_by_its_title() -> None:
    (hint,) = recall_hints([mention(about("cannot", title="Solana devnet"))], now("s4"), most=5)

    assert hint.topic == "Solana devnet"
    assert recall_hints([mention(about("cannot", title="Cannot"))], now("s4"), most=5) == ()


@pytest.mark.parametrize("topic", ["src/old_auth.py", "old_auth.py"])
def test_a_file_that_is_gone_is_no_hint(topic: str) -> None:
    thread = replace(about(topic, "login"), files=("src/old_auth.py", "src/auth.py"))
    gone = replace(mention(thread), gone_files=("src/old_auth.py",))

    assert [hint.topic for hint in recall_hints([mention(thread)], now("s4"), 5)] == [topic]
    assert [hint.topic for hint in recall_hints([gone], now("s4"), 5)] == ["login"]


def test_a_title_that_names_a_file_that_is_gone_is_no_hint() -> None:
    thread = replace(about("old_auth.py", title="Split old_auth.py"), files=("src/old_auth.py",))
    gone = replace(mention(thread), gone_files=("src/old_auth.py",))

    assert recall_hints([gone], now("s4"), 5) == ()
