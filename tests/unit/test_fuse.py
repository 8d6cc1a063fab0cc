import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.search import NearestEvents, SearchMatch, typical_value
from ai_smartness.search.search import fused_matches
from ai_smartness.settings.schema import SearchSettings

rankings = st.lists(st.integers(1, 40), unique=True, max_size=30).map(
    lambda seqs: [SearchMatch(seq, 1.0 / place) for place, seq in enumerate(seqs, 1)]
)
nearby = st.builds(NearestEvents, rankings, st.none() | st.floats(-1, 1))


@given(rankings, nearby)
def test_every_event_of_either_search_is_there_once(
    words: list[SearchMatch], meaning: NearestEvents
) -> None:
    seqs = [match.seq for match in fused_matches(words, meaning, SearchSettings())]

    assert len(seqs) == len(set(seqs))
    assert set(seqs) == {match.seq for match in words + meaning.matches}


@given(rankings)
def test_without_vectors_the_order_is_that_of_the_words(words: list[SearchMatch]) -> None:
    assert [m.seq for m in fused_matches(words, NearestEvents([]), SearchSettings())] == [
        m.seq for m in words
    ]


@given(rankings, nearby)
def test_scores_fall_and_stay_between_0_and_1(
    words: list[SearchMatch], meaning: NearestEvents
) -> None:
    scores = [match.score for match in fused_matches(words, meaning, SearchSettings())]

    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_an_event_found_by_both_stands_above_one_found_by_either() -> None:
    words = [SearchMatch(1, 9), SearchMatch(2, 8)]
    meaning = NearestEvents([SearchMatch(3, 0.9), SearchMatch(2, 0.8)], typical=0.1)

    assert fused_matches(words, meaning, SearchSettings())[0].seq == 2


def test_a_cosine_that_is_typical_adds_nothing() -> None:
    meaning = NearestEvents(
        [SearchMatch(1, 0.9), SearchMatch(2, 0.6), SearchMatch(3, 0.5)], typical=0.6
    )

    assert [match.score for match in fused_matches([], meaning, SearchSettings())] == pytest.approx(
        [0.8 / 1.8, 0.0, 0.0]
    )


@given(rankings, nearby, nearby)
def test_what_the_first_model_finds_too_is_there_once_with_scores_of_at_most_1(
    words: list[SearchMatch], meaning: NearestEvents, also: NearestEvents
) -> None:
    fused = fused_matches(words, meaning, SearchSettings(), also)

    assert len(fused) == len({m.seq for m in [*words, *meaning.matches, *also.matches]})
    assert all(0 <= match.score <= 1 for match in fused)


def test_of_two_models_the_one_that_reads_the_question_counts_more() -> None:
    meaning, also = (
        NearestEvents([SearchMatch(seq, 0.9), SearchMatch(3, 0.8)], typical=0.1) for seq in (1, 2)
    )

    assert [m.seq for m in fused_matches([], meaning, SearchSettings(), also)] == [3, 1, 2]


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 2, 19_999, 20_000, 20_001, 50_001]),
    st.sampled_from(["spread", "sorted", "few values", "one value"]),
)
def test_the_typical_value_is_the_median_of_any_values(seed: int, size: int, sort: str) -> None:
    values = np.random.default_rng(seed).normal(size=size).astype(np.float32)
    shapes = {"sorted": np.sort(values), "few values": values.round(), "one value": values * 0}

    typical = typical_value(shapes.get(sort, values))

    assert typical == float(np.median(shapes.get(sort, values)))
