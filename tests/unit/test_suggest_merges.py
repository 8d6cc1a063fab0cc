"""Which threads could be merged, and what is said of them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.thread import Origin, SplitLock, Status, Thread
from ai_smartness.suggest.merge_candidates import merge_candidates, shared_subject
from ai_smartness.threads.merge_groups import mergeable_threads
from ai_smartness.threads.similar_threads import ThreadPair
from builders import a_thread


def test_the_seeds_example_is_said_in_its_words() -> None:
    topics = ("authentication flow", "password")
    xxx = replace(a_thread("thread_xxx"), topics=topics, weight=1.2)
    yyy = replace(a_thread("thread_yyy"), topics=("cookie", "Authentication flow"))

    (found,), more = merge_candidates(
        [xxx, yyy], (), [ThreadPair("thread_xxx", "thread_yyy", 0.92)], most=10
    )

    assert (found.thread_a, found.thread_b) == ("thread_xxx", "thread_yyy")
    assert found.similarity == 0.92
    assert found.reason == "Both about authentication flow"
    assert more == 0


@pytest.mark.parametrize(
    ("mine", "theirs", "kept"),
    [
        ({"weight": 0.4}, {"weight": 0.6}, "b"),
        ({"weight": 0.6}, {"weight": 0.4}, "a"),
        ({}, {"created_at": a_thread(minute=-5).created_at}, "b"),
        ({}, {}, "a"),
    ],
)
def test_the_one_to_keep_comes_first_the_heavier_then_the_older(
    mine: dict[str, object], theirs: dict[str, object], kept: str
) -> None:
    one, other = replace(a_thread("a"), **mine), replace(a_thread("b"), **theirs)  # type: ignore[arg-type]

    mergeable = mergeable_threads([one, other])
    (found,), _ = merge_candidates(mergeable, (), [ThreadPair("a", "b", 0.9)], most=10)

    assert found.thread_a == kept


def test_the_most_alike_are_listed_and_the_others_counted() -> None:
    threads = [a_thread(f"t{n}") for n in range(6)]
    pairs = [ThreadPair("t0", f"t{n}", 0.85 + n / 100) for n in range(1, 6)]

    found, more = merge_candidates(threads, (), pairs, most=2)

    assert [each.thread_b for each in found] == ["t5", "t4"]
    assert more == 3


@pytest.mark.parametrize(
    ("mine", "theirs", "said"),
    [
        ({"topics": ("keys", "cron")}, {"topics": ("cron", "keys")}, "Both about keys and cron"),
        ({"files": ("src/a.py", "b.py")}, {"files": ("b.py",)}, "Both about b.py"),
        ({"title": "JWT rotation"}, {"title": "Rotation of JWT"}, "Both about JWT rotation"),
        ({"title": "one"}, {"title": "another"}, "Both say much the same"),
    ],
)
def test_the_reason_is_shared_topics_else_files_else_what_the_titles_share(
    mine: dict[str, object], theirs: dict[str, object], said: str
) -> None:
    one, other = replace(a_thread("a"), **mine), replace(a_thread("b"), **theirs)  # type: ignore[arg-type]

    assert shared_subject(one, other) == said


threads_of_all_sorts = st.builds(
    replace,
    st.just(a_thread()),
    status=st.sampled_from(Status),
    split_lock=st.sampled_from([None, *SplitLock]),
    origin=st.sampled_from([Origin.PROMPT, Origin.PIN]),
    weight=st.floats(0, 1.5),
)


@given(st.lists(threads_of_all_sorts, min_size=2, max_size=6))
def test_only_threads_in_use_that_are_neither_pinned_nor_locked_are_suggested(
    sorts: list[Thread],
) -> None:
    threads = {f"t{n}": replace(each, id=f"t{n}") for n, each in enumerate(sorts)}
    pairs = [ThreadPair(a, b, 0.9) for a in threads for b in threads if a < b]

    mergeable = mergeable_threads(threads.values())
    found, more = merge_candidates(mergeable, (), pairs, most=3)

    for id_ in {id_ for each in found for id_ in (each.thread_a, each.thread_b)}:
        assert threads[id_].status is Status.ACTIVE
        assert threads[id_].origin is not Origin.PIN
        assert not threads[id_].split_locked
    assert len(found) + more == max(0, len(mergeable) - 1)


def test_a_thread_in_focus_is_kept_and_one_alike_by_way_of_another_is_left_out() -> None:
    threads = [a_thread(name) for name in ("a", "b", "c")]
    pairs = [ThreadPair("a", "b", 0.9), ThreadPair("b", "c", 0.9)]

    by_way_of_b, _ = merge_candidates(threads, (), pairs, most=3)
    focused, _ = merge_candidates(threads, {"b"}, pairs, most=3)

    assert [(each.thread_a, each.thread_b) for each in by_way_of_b] == [("a", "b")]
    assert [(each.thread_a, each.thread_b) for each in focused] == [("b", "c")]


def test_a_thread_of_a_pair_that_is_gone_is_left_out() -> None:
    pairs = [ThreadPair("a", "gone", 0.9)]

    assert merge_candidates([a_thread("a")], (), pairs, most=3) == ((), 0)
