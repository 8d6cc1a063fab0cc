import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.found import Match, Nearby
from ai_smartness.retrieve.fuse import Weights, fused

rankings = st.lists(st.integers(1, 40), unique=True, max_size=30).map(
    lambda seqs: [Match(seq, 1.0 / place) for place, seq in enumerate(seqs, 1)]
)
nearby = st.builds(Nearby, rankings, st.none() | st.floats(-1, 1))


@given(rankings, nearby)
def test_every_event_of_either_search_is_there_once(words: list[Match], meaning: Nearby) -> None:
    seqs = [match.seq for match in fused(words, meaning, Weights())]

    assert len(seqs) == len(set(seqs))
    assert set(seqs) == {match.seq for match in words + meaning.matches}


@given(rankings)
def test_without_vectors_the_order_is_that_of_the_words(words: list[Match]) -> None:
    assert [m.seq for m in fused(words, Nearby([]), Weights())] == [m.seq for m in words]


@given(rankings, nearby)
def test_scores_fall_and_stay_between_0_and_1(words: list[Match], meaning: Nearby) -> None:
    scores = [match.score for match in fused(words, meaning, Weights())]

    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_an_event_found_by_both_stands_above_one_found_by_either() -> None:
    words = [Match(1, 9), Match(2, 8)]
    meaning = Nearby([Match(3, 0.9), Match(2, 0.8)], typical=0.1)

    assert fused(words, meaning, Weights())[0].seq == 2


def test_a_cosine_that_is_typical_adds_nothing() -> None:
    meaning = Nearby([Match(1, 0.9), Match(2, 0.6), Match(3, 0.5)], typical=0.6)

    assert [match.score for match in fused([], meaning, Weights())] == pytest.approx(
        [0.8 / 1.8, 0.0, 0.0]
    )
