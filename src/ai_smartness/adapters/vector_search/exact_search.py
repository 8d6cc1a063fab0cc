"""Exact nearest-neighbour search: compares every vector, quick up to some 100,000.

Vectors stay as they are stored, two bytes a number, and simsimd multiplies them with the
instructions of the processor: a tenth of the time and half of the memory of numpy's product.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

import numpy as np
import simsimd

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ExactIndex",
    "ScoredEvents",
    "dot_products",
    "rough_products",
    "stored_rows",
    "thread_means",
    "unpacked_vector",
]

StoredVector: TypeAlias = Sequence[object]
"""A thread or row id, an event, and a vector in two bytes a number."""

_MIN_LENGTH = np.float32(1e-9)
_REST_SCALE = np.float32(2048)  # lifts what a half float leaves of a number into its range


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
            bar = np.partition(cosines, len(cosines) - limit)[len(cosines) - limit]
            seqs, cosines = self.masked_events(cosines >= bar)
        order = np.lexsort((seqs, -cosines))[:limit]
        return ScoredEvents(seqs[order], cosines[order])

    def masked_events(self, mask: "NDArray[np.bool_]") -> "ScoredEvents":
        """Return the events where the mask is set."""
        return ScoredEvents(self.seqs[mask], self.cosines[mask])


class ExactIndex:
    """Vectors in memory, those of an event next to each other."""

    def __init__(
        self,
        seqs: "NDArray[np.int64] | None" = None,
        rows: "NDArray[np.float16] | None" = None,
    ) -> None:
        self._seqs = np.empty(0, np.int64) if seqs is None else seqs
        self._rows = np.empty((0, 0), np.float16) if rows is None else rows
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
        cosines = dot_products(self._rows, query[None])[:, 0]
        if len(self._starts) == len(self._seqs):
            return ScoredEvents(self._seqs, cosines)
        best = np.maximum.reduceat(cosines, self._starts)
        return ScoredEvents(self._seqs[self._starts], best)


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
