"""The nearest vectors by looking at every one: exact, and quick up to about 100,000."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ExactIndex", "ScoredEvents"]


class ScoredEvents(NamedTuple):
    """Events, each once with the cosine of its best vector."""

    seqs: "NDArray[np.int64]"
    cosines: "NDArray[np.float32]"

    def best_events(self, limit: int) -> "ScoredEvents":
        """Return the best, best first; of equals the earlier event."""
        seqs, cosines = self
        if len(seqs) > limit:
            # Everything that ties with the last place stays in, so that the cut below is by event
            # and not by the accidents of a partition.
            bar = np.partition(cosines, len(cosines) - limit)[len(cosines) - limit]
            seqs, cosines = self.masked_events(cosines >= bar)
        order = np.lexsort((seqs, -cosines))[:limit]
        return ScoredEvents(seqs[order], cosines[order])

    def masked_events(self, kept: "NDArray[np.bool_]") -> "ScoredEvents":
        """Return those that are marked."""
        return ScoredEvents(self.seqs[kept], self.cosines[kept])


class ExactIndex:
    """Vectors held in memory, ordered by the event they belong to."""

    def __init__(self) -> None:
        self._seqs: NDArray[np.int64] = np.empty(0, np.int64)
        self._rows: NDArray[np.float32] = np.empty((0, 0), np.float32)

    def add(self, seqs: "NDArray[np.int64]", rows: "NDArray[np.float32]") -> None:
        """Take in vectors; several of one event stand side by side."""
        if len(self._seqs):
            seqs = np.concatenate([self._seqs, seqs])
            rows = np.concatenate([self._rows, rows])
        if np.any(seqs[1:] < seqs[:-1]):
            order = np.argsort(seqs, kind="stable")
            seqs, rows = seqs[order], rows[order]
        self._seqs, self._rows = seqs, rows

    def event_centres(self) -> "dict[int, NDArray[np.float32]]":
        """Return for each event the centre of its vectors, of unit length."""
        if not len(self._seqs):
            return {}
        starts = np.flatnonzero(np.concatenate([[True], self._seqs[1:] != self._seqs[:-1]]))
        sums = np.add.reduceat(self._rows, starts, axis=0)
        lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.float32(1e-9))
        return dict(zip(self._seqs[starts].tolist(), sums / lengths, strict=True))

    def scored_events(self, query: "NDArray[np.float32]") -> ScoredEvents:
        """Return every event in order, with the cosine of its best vector."""
        if not len(self._seqs):
            return ScoredEvents(self._seqs, np.empty(0, np.float32))
        cosines = self._rows @ query
        starts = np.flatnonzero(np.concatenate([[True], self._seqs[1:] != self._seqs[:-1]]))
        return ScoredEvents(self._seqs[starts], np.maximum.reduceat(cosines, starts))
