"""Find the pairs of threads in a project that are about one subject.

Threads are compared by their centres, the mean vectors of their messages, without the mean of
all centres. Every raw centre contains what all texts of a project share: on four real projects
(274 threads, the default model) the median pair had a cosine of .95. Without the common mean,
halves of one thread are told from halves of two with .92 to .99 (area under the curve)
instead of .78 to .84. A similarity of 1 means the same statement.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ai_smartness.ports import ThreadStore

__all__ = ["CentreMatrix", "ThreadPair", "centre_matrix", "centred_rows", "similar_pairs"]

_Rows: TypeAlias = NDArray[np.float32]
_Numbers: TypeAlias = NDArray[np.int64]

SAME_SUBJECT_COSINE = 0.7
"""The cosine, without the common mean, of threads of one message each that say one thing in two
ways: the median is .68 with the default model and .73 with the other of the catalogue."""

UNSEEN_THREADS = 0.3
"""Stands for the project's future threads: without it, two threads alone would be opposites.
With .3, of two to ten threads of a real project .3 % of the pairs come over .85; with .5, 4 %."""

MOST_COMPARED_ALL = 12_000
"""Up to this many threads every pair is compared: exact, and half a second for 10,000 on one
core. Two threads about one subject are some 50° apart, where no index is quicker without losing
pairs. More threads are compared by cells, so that the time does not grow with the square."""

PROBED_CELLS = 16
"""In how many of the nearest cells similar threads are searched. Of 20,000 made-up threads, most
of them barely similar, this finds .97 of the pairs over .85."""

SAMPLE_PER_CELL = 10
CELL_ROUNDS = 3  # how often cells move to the mean of their nearest threads
MOST_PAIRS = 100_000  # thousands of threads that say "go on" are all similar
BLOCK_ROWS = 512
FLOAT_MARGIN = 1e-4  # for rounding: no pair is lost before it is measured exactly
DECIMALS = 6


class ThreadPair(NamedTuple):
    """Two threads, the lesser id first, and their similarity, 0–1."""

    a: str
    b: str
    similarity: float


@dataclass(frozen=True, slots=True)
class CentreMatrix:
    """Thread ids in order, and the centre of each thread as a row of unit length."""

    ids: tuple[str, ...]
    rows: _Rows


def centre_matrix(
    store: ThreadStore, project: str, space: str, thread_ids: Iterable[str]
) -> CentreMatrix:
    """Return the centres of those of a project's threads that have one in this space."""
    centres = store.vector_index.thread_centres(project, space, sorted(set(thread_ids)))
    ids = tuple(sorted(centres))
    rows = np.stack([centres[id_] for id_ in ids]) if ids else np.empty((0, 0), np.float32)
    return CentreMatrix(ids, rows)


def similar_pairs(centres: CentreMatrix, threshold: float) -> list[ThreadPair]:
    """Return the pairs of threads over a similarity threshold, the most similar first."""
    if len(centres.ids) <= 1:
        return []
    rows = centred_rows(centres.rows)
    collector = _PairCollector(len(rows), threshold * SAME_SUBJECT_COSINE - FLOAT_MARGIN)
    if len(rows) <= MOST_COMPARED_ALL:
        _compare_all(rows, collector)
    else:
        _compare_by_cells(rows, collector)
    a, b = collector.pair_rows()
    measured = zip(a.tolist(), b.tolist(), _pair_similarities(rows, a, b), strict=True)
    pairs = (ThreadPair(centres.ids[a], centres.ids[b], value) for a, b, value in measured)
    return sorted(
        (pair for pair in pairs if pair.similarity > threshold),
        key=lambda pair: (-pair.similarity, pair.a, pair.b),
    )


def centred_rows(rows: _Rows) -> _Rows:
    """Return centres without their common mean, of unit length again."""
    return _unit_rows(rows - rows.sum(axis=0) / (len(rows) + UNSEEN_THREADS))


class _PairCollector:
    """Pairs over a floor; the floor rises when there are too many."""

    def __init__(self, rows: int, floor: float) -> None:
        self.floor = floor
        self._rows = rows
        self._keys: list[_Numbers] = []
        self._cosines: list[_Rows] = []
        self._count = 0

    def add(self, visitors: _Numbers, members: _Numbers, cosines: _Rows) -> None:
        """Add the pairs over the floor from two groups that were compared."""
        at, beside = np.nonzero(cosines > self.floor)
        one, other = visitors[at], members[beside]
        apart = one != other
        self._keys.append((np.minimum(one, other) * self._rows + np.maximum(one, other))[apart])
        self._cosines.append(cosines[at, beside][apart])
        self._count += len(self._keys[-1])
        if self._count > 2 * MOST_PAIRS:
            self._cut_pairs()

    def pair_rows(self) -> tuple[_Numbers, _Numbers]:
        """Return the row numbers of the pairs, in order."""
        self._cut_pairs()
        one, other = np.divmod(np.sort(self._keys[0]), self._rows)
        return one, other

    def _cut_pairs(self) -> None:
        """Keep each pair once, and the most similar if there are too many."""
        keys, first = np.unique(np.concatenate(self._keys), return_index=True)
        cosines = np.concatenate(self._cosines)[first]
        if len(keys) > MOST_PAIRS:
            best = np.argsort(-cosines, kind="stable")[:MOST_PAIRS]
            keys, cosines = keys[best], cosines[best]
            self.floor = max(self.floor, float(cosines[-1]))
        self._keys, self._cosines, self._count = [keys], [cosines], len(keys)


def _compare_all(rows: _Rows, collector: _PairCollector) -> None:
    numbers = np.arange(len(rows))
    for start in range(0, len(rows), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        collector.add(numbers[block], numbers[start:], rows[block] @ rows[start:].T)


def _compare_by_cells(rows: _Rows, collector: _PairCollector) -> None:
    """Compare each thread with the members of the cells nearest to it.

    Either of two similar threads may find the other, so few pairs are missed.
    """
    count = int(np.sqrt(len(rows)))
    near = rows @ _cell_centres(rows, count).T
    home = near.argmax(axis=1)
    visits = np.zeros(near.shape, bool)
    probed = np.argpartition(-near, PROBED_CELLS, axis=1)[:, :PROBED_CELLS]
    np.put_along_axis(visits, probed, values=True, axis=1)
    for cell in range(count):
        members, visitors = np.flatnonzero(home == cell), np.flatnonzero(visits[:, cell])
        for start in range(0, len(visitors), BLOCK_ROWS):
            block = visitors[start : start + BLOCK_ROWS]
            collector.add(block, members, rows[block] @ rows[members].T)


def _cell_centres(rows: _Rows, count: int) -> _Rows:
    """Return directions that the rows gather around, from a sample of them."""
    # Evenly spaced, not random: the same threads have the same cells.
    sample_size = min(len(rows), count * SAMPLE_PER_CELL)
    sample = rows[np.linspace(0, len(rows) - 1, sample_size).astype(int)]
    cells = sample[np.linspace(0, len(sample) - 1, count).astype(int)]
    for _ in range(CELL_ROUNDS):
        home = (sample @ cells.T).argmax(axis=1)
        sums = np.zeros_like(cells)
        np.add.at(sums, home, sample)
        occupied = np.bincount(home, minlength=count) > 0
        cells = np.where(occupied[:, None], _unit_rows(sums), cells)
    return cast("_Rows", cells)


def _pair_similarities(rows: _Rows, one: _Numbers, other: _Numbers) -> list[float]:
    """Measure the pairs one by one: the sums of a larger product differ with its size."""
    similarities: list[float] = []
    for start in range(0, len(one), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        left, right = rows[one[block]].astype(np.float64), rows[other[block]].astype(np.float64)
        cosines = np.einsum("ij,ij->i", left, right)
        scaled = np.round(cosines / SAME_SUBJECT_COSINE, DECIMALS)
        similarities += np.clip(scaled, 0.0, 1.0).tolist()
    return similarities


def _unit_rows(rows: _Rows) -> _Rows:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return cast("_Rows", (rows / np.maximum(lengths, np.float32(1e-9))).astype(np.float32))
