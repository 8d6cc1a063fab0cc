"""Threads about one subject are found, and the same ones each time."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_smartness.threads.similar_threads import (
    MOST_COMPARED_ALL,
    MOST_PAIRS,
    SAME_SUBJECT_COSINE,
    CentreMatrix,
    centred_rows,
    similar_pairs,
)

DIMENSION = 48


def the_centres(count: int, *, subjects: int, noise: float, seed: int = 1) -> CentreMatrix:
    """Make up centres around some subjects, with a direction that all of them share."""
    chance = np.random.default_rng(seed)
    about = chance.normal(size=(subjects, DIMENSION))
    rows = about[np.arange(count) * 7 % subjects]
    rows = rows + noise * chance.normal(size=rows.shape) + 4.0
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return CentreMatrix(tuple(f"t{n:05}" for n in range(count)), rows.astype(np.float32))


def by_hand(centres: CentreMatrix, threshold: float) -> set[tuple[str, str]]:
    rows = centred_rows(centres.rows).astype(np.float64)
    return {
        (centres.ids[a], centres.ids[b])
        for a, b in combinations(range(len(rows)), 2)
        if round(float(rows[a] @ rows[b]) / SAME_SUBJECT_COSINE, 6) > threshold
    }


@given(
    count=st.integers(0, 40),
    subjects=st.integers(1, 6),
    noise=st.floats(0.0, 1.5),
    threshold=st.floats(0.1, 0.99),
    seed=st.integers(0, 1000),
)
@settings(max_examples=60)
def test_all_pairs_over_the_threshold_are_found_and_no_other(
    count: int, subjects: int, noise: float, threshold: float, seed: int
) -> None:
    centres = the_centres(count, subjects=subjects, noise=noise, seed=seed)

    found = similar_pairs(centres, threshold)

    assert {(pair.a, pair.b) for pair in found} == by_hand(centres, threshold)
    assert all(threshold < pair.similarity <= 1.0 for pair in found)
    assert found == sorted(found, key=lambda pair: (-pair.similarity, pair.a, pair.b))


def test_of_more_threads_than_are_compared_each_with_each_hardly_a_pair_is_missed() -> None:
    count = MOST_COMPARED_ALL + 1
    centres = the_centres(count, subjects=count // 6, noise=0.3)
    rows = centred_rows(centres.rows)
    there = {
        (start + one, other)
        for start in range(0, count, 1_000)
        for one, other in np.argwhere(
            rows[start : start + 1_000] @ rows.T > 0.85 * SAME_SUBJECT_COSINE
        )
        if start + one < other
    }

    found = similar_pairs(centres, 0.85)

    pairs = {(int(pair.a[1:]), int(pair.b[1:])) for pair in found}
    assert len(there) > 10_000
    assert len(pairs & there) / len(there) > 0.99
    assert len(pairs - there) / len(there) < 1e-3


def test_what_all_threads_share_makes_no_two_of_them_alike() -> None:
    centres = the_centres(60, subjects=61, noise=0.0)

    assert float(np.median(centres.rows @ centres.rows.T)) > 0.9
    assert similar_pairs(centres, 0.75) == []


@pytest.mark.parametrize("count", [2, 3, 10])
def test_in_a_small_project_only_what_is_the_same_is_alike(count: int) -> None:
    centres = the_centres(count - 1, subjects=50, noise=0.5)
    twice = CentreMatrix((*centres.ids, "t99999"), np.vstack([centres.rows, centres.rows[:1]]))

    assert [(pair.a, pair.b) for pair in similar_pairs(twice, 0.85)] == [("t00000", "t99999")]


def test_one_thread_is_like_no_other() -> None:
    assert similar_pairs(the_centres(1, subjects=1, noise=0.0), 0.1) == []
    assert similar_pairs(CentreMatrix((), np.empty((0, 0), np.float32)), 0.1) == []


def test_thousands_of_threads_that_say_the_same_do_not_take_the_memory_down() -> None:
    same = the_centres(1, subjects=1, noise=0.0).rows
    centres = CentreMatrix(tuple(f"t{n:05}" for n in range(600)), np.tile(same, (600, 1)))

    found = similar_pairs(centres, 0.85)

    assert len(found) == MOST_PAIRS
    assert all(pair.similarity > 0.99 for pair in found)
