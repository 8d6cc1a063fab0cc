import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.adapters.embedders.calibration import (
    SAME_PAIRS,
    UNRELATED_PAIRS,
    calibrated_similarity,
    measured_anchors,
)
from ai_smartness.testing import HashEmbedder

cosines = st.floats(min_value=-1, max_value=1)


def test_unrelated_texts_are_at_0_and_the_same_said_again_at_1() -> None:
    assert calibrated_similarity(0.4, unrelated=0.4, same=0.8) == 0
    assert calibrated_similarity(0.8, unrelated=0.4, same=0.8) == 1


def test_half_way_between_the_anchors_is_one_half() -> None:
    assert calibrated_similarity(0.6, unrelated=0.4, same=0.8) == pytest.approx(0.5)


@given(cosines, cosines, cosines)
def test_a_similarity_is_never_outside_0_to_1(cosine: float, unrelated: float, same: float) -> None:
    assert 0 <= calibrated_similarity(cosine, unrelated, same) <= 1


@given(cosines, cosines, cosines, cosines)
def test_a_higher_cosine_is_never_a_lower_similarity(
    one: float,
    other: float,
    unrelated: float,
    same: float,
) -> None:
    low, high = sorted((one, other))

    assert calibrated_similarity(low, unrelated, same) <= calibrated_similarity(
        high,
        unrelated,
        same,
    )


def test_the_anchors_of_a_model_lie_in_the_order_of_their_meaning() -> None:
    anchors = measured_anchors(HashEmbedder(dimension=512))

    assert anchors.unrelated < anchors.same


def test_there_are_two_dozen_pairs_of_each_kind_and_no_pair_is_of_both() -> None:
    assert len(SAME_PAIRS) == len(UNRELATED_PAIRS) == 24
    assert not set(SAME_PAIRS) & set(UNRELATED_PAIRS)
