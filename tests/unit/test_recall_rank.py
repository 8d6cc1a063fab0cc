from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.search import Hit, HitReason, QueryWords
from ai_smartness.model.thread import Thread
from ai_smartness.search.rank import rank_factor, ranked_threads
from ai_smartness.search.recall import nearest_topics
from ai_smartness.search.relevance import MeaningScore, message_relevance, word_shares
from ai_smartness.threads.ids import is_thread_id_start
from builders import NOON, a_thread


def a_hit(number: int, thread: str, score: float) -> Hit:
    return Hit(
        id=f"m{number}",
        thread_id=thread,
        project="demo",
        session=None,
        role="user",
        at=NOON,
        text="words",
        score=score,
        why=HitReason(),
        seq=number,
    )


def nothing_changed(_thread: Thread, _hits: Sequence[Hit]) -> tuple[str, ...]:
    return ()


def test_a_thread_stands_where_its_best_message_does() -> None:
    hits = [a_hit(1, "a", 0.9), a_hit(2, "b", 0.8), a_hit(3, "a", 0.1)]

    found = ranked_threads(hits, a_thread, nothing_changed)

    assert [each.thread.id for each in found] == ["a", "b"]
    assert [hit.seq for hit in found[0].messages] == [1, 3]


def test_of_two_alike_the_one_whose_file_has_changed_stands_lower() -> None:
    hits = [a_hit(1, "a", 0.9), a_hit(2, "b", 0.9)]

    found = ranked_threads(hits, a_thread, lambda thread, _: ("x.py",) if thread.id == "a" else ())

    assert [each.thread.id for each in found] == ["b", "a"]
    assert found[1].changed_files == ("x.py",)


@given(st.floats(0, 1.5), st.floats(0, 1), st.booleans())
def test_weight_ratings_and_freshness_shift_the_order_by_little(
    weight: float,
    rating: float,
    stale: bool,  # noqa: FBT001 - hypothesis gives it by its place
) -> None:
    moved = rank_factor(replace(a_thread(), weight=weight, relevance=rating), stale=stale)

    assert 0.68 < moved < 1.06


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_more_of_anything_is_never_less_relevant(
    similarity: float, standout: float, words: float, more: float
) -> None:
    least = message_relevance(MeaningScore(similarity, standout), words)

    assert 0 <= least <= 1
    assert message_relevance(MeaningScore(max(similarity, more), standout), words) >= least
    assert message_relevance(MeaningScore(similarity, max(standout, more)), words) >= least
    assert message_relevance(MeaningScore(similarity, standout), max(words, more)) >= least
    assert message_relevance(None, max(words, more)) >= message_relevance(None, words)


def test_what_the_session_has_just_said_counts_for_no_message() -> None:
    compared = QueryWords(
        events=1_000,
        spread={"key": 5, "vault": 5},
        said=frozenset({"key"}),
        held={1: frozenset({"key"}), 2: frozenset({"vault"})},
    )

    shares = word_shares(compared)

    assert shares[1] == 0.0
    assert shares[2] > 0.0


def test_a_rare_word_tells_more_than_a_common_one_and_all_of_them_at_most_all() -> None:
    compared = QueryWords(
        events=1_000,
        spread={"rare": 1, "common": 500},
        said=frozenset(),
        held={1: frozenset({"rare"}), 2: frozenset({"common"}), 3: frozenset({"rare", "common"})},
    )

    shares = word_shares(compared)

    assert shares[2] < shares[1] < shares[3] <= 1.0


@pytest.mark.parametrize(
    ("query", "does"),
    [
        ("thread_20250130_123456", True),
        (" thread_20250130_123456_abcdef\n", True),
        ("thread_2025", True),
        ("thread_dead_beef", False),
        ("thread_pool", False),
        ("thread_20250130_123456 and more", False),
        ("threads", False),
        ("", False),
    ],
)
def test_a_question_is_an_id_when_it_is_one_or_the_start_of_one(query: str, *, does: bool) -> None:
    assert is_thread_id_start(query) is does


def test_the_nearest_topics_are_those_written_alike_then_those_of_weak_matches() -> None:
    alike = replace(a_thread("a"), topics=("validators", "weather"))
    weak = replace(a_thread("b"), topics=("consensus", "staking", "third"))

    found = nearest_topics("solana validator", [weak], [alike, weak])

    assert found == ("validators", "consensus", "staking")


def test_no_more_than_five_topics_are_offered() -> None:
    threads = [replace(a_thread(f"{n}"), topics=(f"topic{n}",)) for n in range(20)]

    assert len(nearest_topics("topic", threads, threads)) == 5
