"""Exact nearest-neighbour search: compares every vector, quick up to about 100,000."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ExactIndex", "ScoredEvents", "thread_means", "unpacked_rows", "unpacked_vector"]

StoredVector: TypeAlias = Sequence[object]
"""A thread or row id, an event, and a vector in two bytes a number."""

_MIN_LENGTH = np.float32(1e-9)


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
    """Vectors in memory, ordered by their events."""

    def __init__(self) -> None:
        self._seqs: NDArray[np.int64] = np.empty(0, np.int64)
        self._rows: NDArray[np.float32] = np.empty((0, 0), np.float32)

    def add(self, seqs: "NDArray[np.int64]", rows: "NDArray[np.float32]") -> None:
        """Add vectors with their events; an event may have several."""
        if len(self._seqs):
            seqs = np.concatenate([self._seqs, seqs])
            rows = np.concatenate([self._rows, rows])
        if np.any(seqs[1:] < seqs[:-1]):
            order = np.argsort(seqs, kind="stable")
            seqs, rows = seqs[order], rows[order]
        self._seqs, self._rows = seqs, rows

    def event_centres(self) -> "dict[int, NDArray[np.float32]]":
        """Return the mean vector of each event, of unit length."""
        if not len(self._seqs):
            return {}
        starts = _run_starts(self._seqs)
        centres = _unit_rows(np.add.reduceat(self._rows, starts, axis=0))
        return dict(zip(self._seqs[starts].tolist(), centres, strict=True))

    def scored_events(self, query: "NDArray[np.float32]") -> ScoredEvents:
        """Return every event in order, with the cosine of its best vector."""
        if not len(self._seqs):
            return ScoredEvents(self._seqs, np.empty(0, np.float32))
        starts = _run_starts(self._seqs)
        return ScoredEvents(self._seqs[starts], np.maximum.reduceat(self._rows @ query, starts))


def thread_means(rows: Sequence[StoredVector]) -> dict[str, bytes]:
    """Return the packed mean of each thread's messages; a message is the mean of its chunks.

    The first column is the thread.
    """
    if not rows:
        return {}
    seqs, vectors = unpacked_rows(rows)
    message_starts = _run_starts(seqs)
    messages = _unit_rows(np.add.reduceat(vectors, message_starts, axis=0))
    thread_ids = np.array([str(rows[start][0]) for start in message_starts])
    thread_starts = _run_starts(thread_ids)
    means = _unit_rows(np.add.reduceat(messages, thread_starts, axis=0)).astype("<f2")
    return {
        str(thread_ids[start]): mean.tobytes()
        for start, mean in zip(thread_starts, means, strict=True)
    }


def unpacked_rows(rows: Sequence[StoredVector]) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
    """Return the events and vectors of rows, their second and third column."""
    seqs = np.array([cast("int", row[1]) for row in rows], np.int64)
    joined = b"".join(cast("bytes", row[2]) for row in rows)
    return seqs, np.frombuffer(joined, "<f2").reshape(len(rows), -1).astype(np.float32)


def unpacked_vector(packed: bytes) -> "NDArray[np.float32]":
    """Return a packed vector, of unit length."""
    return _unit_rows(np.frombuffer(packed, "<f2").astype(np.float32))


def _run_starts(keys: "NDArray[np.generic]") -> "NDArray[np.intp]":
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))


def _unit_rows(rows: "NDArray[np.float32]") -> "NDArray[np.float32]":
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return cast("NDArray[np.float32]", rows / np.maximum(lengths, _MIN_LENGTH))
