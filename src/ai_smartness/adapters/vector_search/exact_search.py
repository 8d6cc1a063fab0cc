"""Exact nearest-neighbour search: compares every vector, quick up to about 100,000."""

from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ExactIndex", "ScoredEvents", "run_starts", "unit_rows"]

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
        starts = run_starts(self._seqs)
        centres = unit_rows(np.add.reduceat(self._rows, starts, axis=0))
        return dict(zip(self._seqs[starts].tolist(), centres, strict=True))

    def scored_events(self, query: "NDArray[np.float32]") -> ScoredEvents:
        """Return every event in order, with the cosine of its best vector."""
        if not len(self._seqs):
            return ScoredEvents(self._seqs, np.empty(0, np.float32))
        starts = run_starts(self._seqs)
        return ScoredEvents(self._seqs[starts], np.maximum.reduceat(self._rows @ query, starts))


def run_starts(keys: "NDArray[np.generic]") -> "NDArray[np.intp]":
    """Return where each run of equal keys begins."""
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))


def unit_rows(rows: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return the rows scaled to unit length."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return cast("NDArray[np.float32]", rows / np.maximum(lengths, _MIN_LENGTH))
