from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.threads.drift import drift_series
from builders import a_vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNRELATED = 0.1

seeds = st.lists(st.integers(0, 30), max_size=40)
cosines = st.floats(-0.5, 1.0)
windows = st.integers(1, 12)


def vectors_of(numbers: list[int]) -> "list[NDArray[np.float32]]":
    return [a_vector(number) for number in numbers]


@given(seeds, cosines, windows)
def test_there_is_one_number_a_message_and_each_is_between_0_and_1(
    numbers: list[int], unrelated: float, window: int
) -> None:
    series = drift_series(vectors_of(numbers), unrelated, window)

    assert len(series) == len(numbers)
    assert all(0 <= each <= 1 for each in series)


@given(st.integers(0, 100), st.integers(0, 30), windows)
def test_a_thread_that_says_the_same_again_does_not_drift(
    number: int, messages: int, window: int
) -> None:
    series = drift_series(vectors_of([number] * messages), UNRELATED, window)

    assert series == pytest.approx([0] * messages, abs=1e-9)


@given(seeds, st.integers(0, 30), windows)
def test_what_was_measured_stays_when_the_thread_goes_on(
    numbers: list[int], more: int, window: int
) -> None:
    longer = drift_series(vectors_of([*numbers, more]), UNRELATED, window)

    assert longer[:-1] == drift_series(vectors_of(numbers), UNRELATED, window)


def test_drift_rises_message_by_message_when_the_subject_changes() -> None:
    axes = list(np.eye(2, dtype=np.float32))

    series = drift_series([axes[0]] * 8 + [axes[1]] * 4, UNRELATED, window=4)

    assert series[:8] == pytest.approx([0] * 8)
    assert series[8:] == sorted(series[8:])
    assert series[-1] == 1


def test_one_odd_message_among_many_moves_it_little() -> None:
    axes = list(np.eye(2, dtype=np.float32))

    series = drift_series([axes[0]] * 8 + [axes[1]], UNRELATED, window=8)

    assert 0 < series[-1] < 0.2


def test_vectors_that_cancel_out_are_no_drift() -> None:
    there = np.array([1, 0], dtype=np.float32)

    assert drift_series([there, there, -there], UNRELATED, window=2) == [0, 0, 0]
