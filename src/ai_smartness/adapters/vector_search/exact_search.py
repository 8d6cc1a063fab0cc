"""Exact nearest-neighbour search: compares every vector, quick up to some 100,000.

Vectors stay as they are stored, two bytes a number, and simsimd multiplies them with the
instructions of the processor: a tenth of the time and half of the memory of numpy's product. Where
there are coarse rows beside them, those are compared first, and only the best of them exactly.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

import numpy as np
import simsimd

from ai_smartness.adapters.vector_search.coarse_rows import CoarseRows, coarse_rows
from ai_smartness.model.search import NearestEvents, SearchMatch, typical_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ROUGH_ERROR",
    "ExactIndex",
    "ScoredEvents",
    "bar_of_best",
    "best_matches",
    "dot_products",
    "rough_products",
    "seq_places",
    "stored_rows",
    "thread_means",
    "unpacked_vector",
]

StoredVector: TypeAlias = Sequence[object]
"""A thread or row id, an event, and a vector in two bytes a number."""

_MIN_LENGTH = np.float32(1e-9)
_REST_SCALE = np.float32(2048)  # lifts what a half float leaves of a number into its range
ROUGH_ERROR = np.float32(5e-4)  # the most by which a rough product of unit vectors is off
_MIN_ROUGH_ROWS = 20_000  # of fewer, every product is exact
_SAMPLE_ROWS = 1_000
_CODED_ROWS = 10_000  # in coarse rows at a time
_BLOCK_VALUES = 32
_NO_BAR = np.float32(-np.inf)
_FEW_SHARE = 0.01  # of the events, up to which each is looked up instead of all being compared


class ScoredEvents(NamedTuple):
    """Events, each once with the cosine of its best vector."""

    seqs: "NDArray[np.int64]"
    cosines: "NDArray[np.float32]"

    def best_events(self, limit: int) -> "ScoredEvents":
        """Return the best events, best first; of equals the earlier one."""
        seqs, cosines = self
        if len(seqs) > limit:
            # Everything that ties with the last place stays in, so that the cut below is by event
            # and not by the accidents of a partition.
            seqs, cosines = self.masked_events(cosines >= bar_of_best(cosines, limit))
        order = np.lexsort((seqs, -cosines))[:limit]
        return ScoredEvents(seqs[order], cosines[order])

    def of_seqs(self, seqs: Sequence[int]) -> "ScoredEvents":
        """Return those of these events that are here."""
        places = seq_places(self.seqs, seqs)
        return ScoredEvents(self.seqs[places], self.cosines[places])

    def joined_with(self, other: "ScoredEvents") -> "ScoredEvents":
        """Return these events and others."""
        if not len(other.seqs):
            return self
        return ScoredEvents(
            np.concatenate([self.seqs, other.seqs]), np.concatenate([self.cosines, other.cosines])
        )

    def matches(self) -> list[SearchMatch]:
        """Return them as matches."""
        pairs = zip(self.seqs.tolist(), self.cosines.tolist(), strict=True)
        return [SearchMatch(seq, score) for seq, score in pairs]

    def typical_cosine(self) -> float | None:
        """Return the cosine of an event that has nothing to do with the query."""
        return typical_value(self.cosines) if len(self.cosines) else None

    def nearest_events(self, limit: int, also: Sequence[int]) -> NearestEvents:
        """Return the best events, and those of `also` wherever they stand."""
        best, wanted = self.best_events(limit).matches(), self.of_seqs(also).matches()
        return NearestEvents(best_matches([*best, *wanted]), self.typical_cosine())

    def masked_events(self, mask: "NDArray[np.bool_]") -> "ScoredEvents":
        """Return the events where the mask is set."""
        return ScoredEvents(self.seqs[mask], self.cosines[mask])


class ExactIndex:
    """Vectors in memory, those of an event next to each other."""

    def __init__(
        self,
        seqs: "NDArray[np.int64] | None" = None,
        rows: "NDArray[np.float16] | None" = None,
        coarse: CoarseRows | None = None,
    ) -> None:
        self._seqs = np.empty(0, np.int64) if seqs is None else seqs
        self._rows = np.empty((0, 0), np.float16) if rows is None else rows
        self._coarse = coarse
        self._sample: NDArray[np.float16] | None = None
        self._starts = _run_starts(self._seqs)

    def add(self, seqs: "NDArray[np.int64]", rows: "NDArray[np.float16]") -> None:
        """Add vectors with their events; an event may have several."""
        if len(self._seqs):
            seqs = np.concatenate([self._seqs, seqs])
            rows = np.concatenate([self._rows, rows])
        if np.any(seqs[1:] < seqs[:-1]):
            order = np.argsort(seqs, kind="stable")
            seqs, rows = seqs[order], rows[order]
        self._seqs, self._rows, self._starts = seqs, rows, _run_starts(seqs)
        self._coarse = self._sample = None

    def with_coarse_rows(self) -> "ExactIndex":
        """Return the same vectors with coarse rows beside them, which many are compared by."""
        if len(self._seqs) < _MIN_ROUGH_ROWS:
            return self
        blocks = range(0, len(self._rows), _CODED_ROWS)
        coarse = [coarse_rows(self._rows[start : start + _CODED_ROWS]) for start in blocks]
        return ExactIndex(self._seqs, self._rows, reduce(CoarseRows.joined_with, coarse))

    def extended(self, seqs: "NDArray[np.int64]", rows: "NDArray[np.float16]") -> "ExactIndex":
        """Return these vectors and more of them; those of later events keep the coarse rows."""
        index, coarse = ExactIndex(self._seqs, self._rows), self._coarse
        index.add(seqs, rows)
        if coarse is not None and np.array_equal(index._seqs[len(self._seqs) :], seqs):
            index._coarse = coarse.joined_with(coarse_rows(rows))
        return index

    def vectors_of(self, seqs: Sequence[int]) -> "tuple[NDArray[np.int64], NDArray[np.float16]]":
        """Return the vectors of these events, each with its event."""
        places = seq_places(self._seqs, seqs)
        return self._seqs[places], self._rows[places]

    def event_centres(self) -> "dict[int, NDArray[np.float32]]":
        """Return the mean vector of each event, of unit length."""
        if not len(self._seqs):
            return {}
        sums = np.add.reduceat(self._rows.astype(np.float32), self._starts, axis=0)
        return dict(zip(self._seqs[self._starts].tolist(), _unit_rows(sums), strict=True))

    def scored_events(self, query: "NDArray[np.float32]") -> ScoredEvents:
        """Return every event with the cosine of its best vector."""
        if not len(self._seqs):
            return ScoredEvents(self._seqs, np.empty(0, np.float32))
        return self._best_of_events(dot_products(self._rows, query[None])[:, 0])

    def roughly_scored_events(
        self, query: "NDArray[np.float32]", limit: int, also: Sequence[int]
    ) -> ScoredEvents:
        """Return the same in less time, exact only for the best events and those in `also`.

        The cosines of the others are right to two digits or three.
        """
        if len(self._seqs) < max(_MIN_ROUGH_ROWS, limit + 1):
            return self.scored_events(query)
        cosines, error = self._rough_cosines(query)
        events = self._best_of_events(cosines)
        is_exact = cosines >= bar_of_best(events.cosines, limit) - 2 * error
        is_exact[seq_places(self._seqs, also)] = True
        if self._coarse is not None:
            cosines += self._mean_difference(query, cosines)
        places = np.flatnonzero(is_exact)
        cosines[places] = dot_products(self._rows[places], query[None])[:, 0]
        return self._best_of_events(cosines)

    def _rough_cosines(
        self, query: "NDArray[np.float32]"
    ) -> "tuple[NDArray[np.float32], np.float32]":
        """Return the cosine of each row, and the most by which one is off."""
        if self._coarse is None:
            return rough_products(self._rows, query[None])[:, 0], ROUGH_ERROR
        products = self._coarse.products(query[None])[:, 0]
        return products, self._coarse.product_errors(query[None])[0]

    def _mean_difference(
        self, query: "NDArray[np.float32]", cosines: "NDArray[np.float32]"
    ) -> np.float32:
        """Return by how much coarse cosines are too small, on average of a sample.

        What a query loses in one byte a number is the same for all rows, and the vectors of a
        model have much in common: the typical cosine would be off by it.
        """
        step = slice(None, None, max(1, len(cosines) // _SAMPLE_ROWS))
        if self._sample is None:  # once: its rows are far apart in memory
            self._sample = np.ascontiguousarray(self._rows[step])
        exact = dot_products(self._sample, query[None])[:, 0]
        return np.float32(np.mean(exact - cosines[step]))

    def _best_of_events(self, cosines: "NDArray[np.float32]") -> ScoredEvents:
        if len(self._starts) == len(self._seqs):
            return ScoredEvents(self._seqs, cosines)
        return ScoredEvents(self._seqs[self._starts], np.maximum.reduceat(cosines, self._starts))


def best_matches(matches: Iterable[SearchMatch]) -> list[SearchMatch]:
    """Return each event once with its best score, best first."""
    best: dict[int, float] = {}
    for match in matches:
        best[match.seq] = max(match.score, best.get(match.seq, match.score))
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return [SearchMatch(seq, score) for seq, score in ranked]


def bar_of_best(values: "NDArray[np.float32]", limit: int) -> np.float32:
    """Return a bar that the best values reach, and few others.

    The best of each block are compared: a fraction of the time that it takes to sort out all. A
    block is every so-manieth value, as numpy compares whole rows many times as fast as columns.
    """
    blocks = len(values) // _BLOCK_VALUES
    if blocks <= limit:
        return np.float32(np.partition(values, -limit)[-limit]) if len(values) > limit else _NO_BAR
    best = values[: blocks * _BLOCK_VALUES].reshape(_BLOCK_VALUES, blocks).max(axis=0)
    return np.float32(np.partition(best, -limit)[-limit])


def seq_places(seqs: "NDArray[np.int64]", wanted: Sequence[int]) -> "NDArray[np.intp]":
    """Return where the wanted ones stand among the seqs, which may be repeated."""
    sought = np.unique(np.asarray(wanted, np.int64))
    if len(sought) > len(seqs) * _FEW_SHARE or np.any(seqs[1:] < seqs[:-1]):
        return np.flatnonzero(np.isin(seqs, sought))
    first, after = (np.searchsorted(seqs, sought, side) for side in ("left", "right"))
    counts = after - first
    # Each start as often as it has places, and then counted on from there.
    starts = np.repeat(first - np.cumsum(counts) + counts, counts)
    return np.asarray(starts + np.arange(len(starts)), np.intp)


def rough_products(
    rows: "NDArray[np.float16]", queries: "NDArray[np.float32]"
) -> "NDArray[np.float32]":
    """Return a column of products for each query, right to three digits, in half the time."""
    return _products(queries.astype(np.float16), rows).T


def dot_products(
    rows: "NDArray[np.float16]", queries: "NDArray[np.float32]"
) -> "NDArray[np.float32]":
    """Return a column of products for each query, as exact as those of four-byte numbers.

    A query is multiplied in two halves: its numbers in two bytes, and what that leaves of them.
    """
    halves = queries.astype(np.float16)
    rest = ((queries - halves.astype(np.float32)) * _REST_SCALE).astype(np.float16)
    products = _products(np.concatenate([halves, rest]), rows)
    whole: NDArray[np.float32] = products[: len(queries)] + products[len(queries) :] / _REST_SCALE
    return whole.T


def _products(queries: "NDArray[np.float16]", rows: "NDArray[np.float16]") -> "NDArray[np.float32]":
    if not len(rows):  # which simsimd refuses
        return np.empty((len(queries), 0), np.float32)
    return np.asarray(simsimd.cdist(queries, rows, "dot", out_dtype="float32"))


def thread_means(rows: Sequence[StoredVector]) -> dict[str, bytes]:
    """Return the packed mean of each thread's messages; a message is the mean of its chunks.

    The first column is the thread.
    """
    if not rows:
        return {}
    seqs, stored = stored_rows(rows)
    vectors = stored.astype(np.float32)
    message_starts = _run_starts(seqs)
    messages = _unit_rows(np.add.reduceat(vectors, message_starts, axis=0))
    thread_ids = np.array([str(rows[start][0]) for start in message_starts])
    thread_starts = _run_starts(thread_ids)
    means = _unit_rows(np.add.reduceat(messages, thread_starts, axis=0)).astype("<f2")
    return {
        str(thread_ids[start]): mean.tobytes()
        for start, mean in zip(thread_starts, means, strict=True)
    }


def stored_rows(rows: Sequence[StoredVector]) -> "tuple[NDArray[np.int64], NDArray[np.float16]]":
    """Return the events and vectors of rows, their second and third column."""
    seqs = np.array([cast("int", row[1]) for row in rows], np.int64)
    joined = b"".join(cast("bytes", row[2]) for row in rows)
    return seqs, np.frombuffer(joined, "<f2").reshape(len(rows), -1)


def unpacked_vector(packed: bytes) -> "NDArray[np.float32]":
    """Return a packed vector, of unit length."""
    return _unit_rows(np.frombuffer(packed, "<f2").astype(np.float32))


def _run_starts(keys: "NDArray[np.generic]") -> "NDArray[np.intp]":
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))


def _unit_rows(rows: "NDArray[np.float32]") -> "NDArray[np.float32]":
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return cast("NDArray[np.float32]", rows / np.maximum(lengths, _MIN_LENGTH))
