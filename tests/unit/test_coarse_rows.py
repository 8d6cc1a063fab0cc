"""Rows in one byte a number find the same as rows that are compared exactly."""

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ai_smartness.adapters.tables.statement_search import ComparedStatements
from ai_smartness.adapters.vector_search.coarse_rows import coarse_rows
from ai_smartness.adapters.vector_search.exact_search import (
    ExactIndex,
    bar_of_best,
    rough_products,
    seq_places,
)
from ai_smartness.adapters.vector_search.mapped_rows import MappedRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

MANY_ROWS = 20_500  # so many that they are compared coarsely first
seeds = st.integers(0, 2**32 - 1)
shared_parts = st.floats(0, 3)
"""How much all vectors have in common: those of a model have the more, the worse it tells apart."""


def unit_vectors(
    seed: int, count: int, dimension: int, shared: float = 0.0
) -> "NDArray[np.float32]":
    """Make vectors of unit length, in one of whose numbers some are far larger than in others."""
    chance = np.random.default_rng(seed)
    rows = chance.normal(size=(count, dimension)) + shared * chance.normal(size=dimension)
    rows[:, 0] *= chance.choice([1, 5], count)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


@given(seeds, st.integers(1, 40), st.integers(1, 70), st.floats(1e-6, 1e3))
def test_a_coarse_product_is_off_by_no_more_than_it_says(
    seed: int, count: int, dimension: int, length: float
) -> None:
    rows = unit_vectors(seed, count, dimension).astype(np.float16)
    queries = (length * unit_vectors(seed + 1, 2, dimension)).astype(np.float32)
    coarse = coarse_rows(rows)

    products, errors = coarse.products(queries), coarse.product_errors(queries)

    exact = rows.astype(np.float64) @ queries.astype(np.float64).T
    assert (np.abs(products - exact) <= errors).all()


def test_a_vector_without_any_length_has_no_product() -> None:
    rows = np.zeros((2, 8), np.float16)

    products = coarse_rows(rows).products(np.ones((1, 8), np.float32))

    assert products.tolist() == [[0.0], [0.0]]


@settings(max_examples=15)
@given(seeds, shared_parts, st.integers(1, 60))
@example(543, 0.0, 1)
def test_the_best_of_coarse_rows_are_the_best_of_all_with_their_exact_cosines(
    seed: int, shared: float, limit: int
) -> None:
    vectors = unit_vectors(seed, MANY_ROWS + 1, 12, shared)
    rows, query = vectors[1:].astype(np.float16), vectors[0]
    bytes_only = coarse_rows(rows)
    index = ExactIndex(np.arange(MANY_ROWS) // 2, rows, bytes_only)
    wanted = [3, MANY_ROWS // 3, MANY_ROWS]

    exact, coarse = index.scored_events(query), index.roughly_scored_events(query, limit, wanted)

    best, same = exact.best_events(limit), coarse.best_events(limit)
    assert same.seqs.tolist() == best.seqs.tolist()
    assert same.cosines.tolist() == best.cosines.tolist()
    assert coarse.of_seqs(wanted).matches() == exact.of_seqs(wanted).matches()
    typical = exact.typical_cosine()
    assert typical is not None
    most_off = float(bytes_only.product_errors(query[None]).max())
    assert abs((coarse.typical_cosine() or 0.0) - typical) <= most_off


@settings(max_examples=15)
@given(seeds, shared_parts, st.integers(1, 3), st.integers(1, 30))
def test_the_best_statements_and_the_own_ones_have_the_cosines_of_stored_rows(
    seed: int, shared: float, query_count: int, limit: int
) -> None:
    vectors = unit_vectors(seed, 3_000 + query_count, 24, shared)
    rows, queries = vectors[query_count:].astype(np.float16), vectors[:query_count]
    numbers = np.arange(1, 6_000, 2)
    coarse = coarse_rows(rows)
    mapped = MappedRows(1, 6_000, numbers, rows, coarse)
    compared = ComparedStatements(
        numbers, coarse.products(queries), queries, mapped, coarse.product_errors(queries)
    )
    stored = rough_products(rows, queries)
    own = np.random.default_rng(seed).choice(numbers, 20).tolist()

    cosines = compared.with_exact_best(own, limit)

    places = seq_places(numbers, own)
    assert (cosines[places] == stored[places]).all()
    for column, right in zip(cosines.T, stored.T, strict=True):
        best = right >= bar_of_best(right, limit)
        assert (column[best] == right[best]).all()
        assert set(np.argsort(-column)[:limit]) <= set(np.flatnonzero(column == right))


@given(st.lists(st.integers(0, 400)), st.lists(st.integers(0, 400), max_size=8))
def test_the_places_of_events_are_those_of_all_their_rows(
    rows: list[int], wanted: list[int]
) -> None:
    seqs = np.repeat(np.sort(np.array([*rows, *range(500, 1_500)], np.int64)), 2)

    assert seq_places(seqs, wanted).tolist() == np.flatnonzero(np.isin(seqs, wanted)).tolist()


@settings(max_examples=10)
@given(seed=seeds, are_later=st.booleans())
def test_rows_that_are_added_are_found_among_coarse_ones(seed: int, *, are_later: bool) -> None:
    rows = unit_vectors(seed, MANY_ROWS + 40, 24).astype(np.float16)
    seqs = np.arange(len(rows)) if are_later else np.random.default_rng(seed).permutation(len(rows))
    query, plain, index = unit_vectors(seed + 1, 1, 24)[0], ExactIndex(), ExactIndex()
    plain.add(seqs, rows)

    index.add(seqs[:MANY_ROWS], rows[:MANY_ROWS])
    index = index.with_coarse_rows().extended(seqs[MANY_ROWS:], rows[MANY_ROWS:])

    expected = plain.scored_events(query).best_events(50)
    found = index.roughly_scored_events(query, 50, []).best_events(50)
    assert found.seqs.tolist() == expected.seqs.tolist()
    assert np.allclose(found.cosines, expected.cosines, atol=1e-6)
