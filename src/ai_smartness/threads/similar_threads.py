"""What threads are about, as one vector each: the centre of what was said on them.

Centres are kept by the store, and made anew there when messages come, go or are
embedded; here they are laid side by side to be compared (`pairs`).

Find the threads of a project that are about one subject.

Two threads are as alike as what sets them apart from the project's other threads. The raw
cosine of two centres says little: what all texts of a project share is in every centre, and
the more so the longer the threads are. On four real projects (274 threads, the default
model) the median pair had .95, and a threshold of .85 on the scale of single messages took
two of three pairs for one subject. Without the mean of all centres, halves of one thread
are told from halves of two with .92 to .99 (area under the curve) instead of .78 to .84,
and the highest pairs were about one subject when read: two threads on the switch of one kind
of key, two on the schema's migrations, three on the same colour gradient.

1 is the same said again, as everywhere: `SAME_SAID` is what two ways to say one thing have.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from ai_smartness.ports import ThreadStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows: TypeAlias = NDArray[np.float32]
    Numbers: TypeAlias = NDArray[np.int64]

__all__ = ["CentreMatrix", "ThreadPair", "centre_matrix", "similar_pairs"]


@dataclass(frozen=True, slots=True)
class CentreMatrix:
    """Threads, in the order of their ids, and the centre of each as a row of unit length."""

    ids: tuple[str, ...]
    rows: "NDArray[np.float32]"


def centre_matrix(
    store: ThreadStore, project: str, space: str, thread_ids: Iterable[str]
) -> CentreMatrix:
    """Return the centres of those of a project's threads that have any in this space."""
    import numpy as np  # heavy, and most verbs have no need of it

    found = store.vector_index.thread_centres(project, space, sorted(set(thread_ids)))
    ids = tuple(sorted(found))
    rows = np.stack([found[id_] for id_ in ids]) if ids else np.empty((0, 0), np.float32)
    return CentreMatrix(ids, rows)


SAME_SUBJECT_COSINE = 0.7
"""The cosine, without what is common, of threads of one message each that say one thing in two
ways: the median is .68 with the default model and .73 with the other of the catalogue."""

UNSEEN_THREADS = 0.3
"""Stands for the project's threads to come: two threads alone would else be each other's opposite.
With .3, of two to ten threads of a real project .3 % of the pairs come over .85; with .5, 4 %."""

MOST_COMPARED_ALL = 12_000
"""Up to so many threads each is compared with each: exact, and half a second for 10,000 on one
core. Two threads about one subject are some 50° apart, and no index is quicker there without
losing pairs: cells that find .99 of them take as long, and a bound by the first directions
that matter leaves out too little. What is more is compared by cells: it must not grow squared."""

CELLS_PER_ROOT = 1
"""Cells for the square root of the threads: 100 of 100 for 10,000."""

PROBED_CELLS = 16
"""In how many cells the like of a thread are looked for: those nearest to it. Of 20,000 made-up
threads, most of which are only just alike, .97 of the pairs over .85 are found."""

SAMPLE_PER_CELL = 10
CELL_ROUNDS = 3
"""From the first guess the cells move a few times to the middle of what is nearest to them."""

MOST_PAIRS = 100_000
"""Of more the most alike: thousands of threads that say "go on" are all alike."""

BLOCK_ROWS = 512

FLOAT_MARGIN = 1e-4
"""What sums of one product may differ by, so that none is lost before it is measured exactly."""

DECIMALS = 6


class ThreadPair(NamedTuple):
    """Two threads, the one with the lesser id first, and how alike they are, 0–1."""

    a: str
    b: str
    similarity: float


def similar_pairs(centres: CentreMatrix, threshold: float) -> list[ThreadPair]:
    """Return the pairs of threads more alike than a threshold, the most alike first."""
    if len(centres.ids) <= 1:
        return []
    rows = centred_rows(centres.rows)
    found = _PairCollector(len(rows), threshold * SAME_SUBJECT_COSINE - FLOAT_MARGIN)
    if len(rows) <= MOST_COMPARED_ALL:
        compare_all(rows, found)
    else:
        compare_by_cells(rows, found)
    one, other = found.pair_rows()
    measured = zip(one.tolist(), other.tolist(), _pair_similarities(rows, one, other), strict=True)
    pairs = (ThreadPair(centres.ids[a], centres.ids[b], value) for a, b, value in measured)
    return sorted(
        (pair for pair in pairs if pair.similarity > threshold),
        key=lambda pair: (-pair.similarity, pair.a, pair.b),
    )


def centred_rows(rows: "Rows") -> "Rows":
    """Return centres without what they have in common, of unit length again."""
    return _unit_rows(rows - rows.sum(axis=0) / (len(rows) + UNSEEN_THREADS))


class _PairCollector:
    """Pairs over a floor; when there are too many of them, the floor rises."""

    def __init__(self, rows: int, floor: float) -> None:
        self.floor = floor
        self._rows = rows
        self._keys: list[Numbers] = []
        self._cosines: list[Rows] = []
        self._count = 0

    def add(self, visitors: "Numbers", members: "Numbers", cosines: "Rows") -> None:
        """Take in those of two groups, compared each with each, that are over the floor."""
        import numpy as np  # as above

        at, beside = np.nonzero(cosines > self.floor)
        one, other = visitors[at], members[beside]
        apart = one != other
        self._keys.append((np.minimum(one, other) * self._rows + np.maximum(one, other))[apart])
        self._cosines.append(cosines[at, beside][apart])
        self._count += len(self._keys[-1])
        if self._count > 2 * MOST_PAIRS:
            self._cut_pairs()

    def pair_rows(self) -> "tuple[Numbers, Numbers]":
        """Return the rows that are pairs, in their order."""
        import numpy as np  # as above

        self._cut_pairs()
        one, other = np.divmod(np.sort(self._keys[0]), self._rows)
        return one, other

    def _cut_pairs(self) -> None:
        """Keep each pair once, and the most alike of too many."""
        import numpy as np  # as above

        keys, first = np.unique(np.concatenate(self._keys), return_index=True)
        cosines = np.concatenate(self._cosines)[first]
        if len(keys) > MOST_PAIRS:
            best = np.argsort(-cosines, kind="stable")[:MOST_PAIRS]
            keys, cosines = keys[best], cosines[best]
            self.floor = max(self.floor, float(cosines[-1]))
        self._keys, self._cosines, self._count = [keys], [cosines], len(keys)


def compare_all(rows: "Rows", found: _PairCollector) -> None:
    """Compare each thread with each."""
    import numpy as np  # as above

    numbers = np.arange(len(rows))
    for start in range(0, len(rows), BLOCK_ROWS):
        some = slice(start, start + BLOCK_ROWS)
        found.add(numbers[some], numbers[start:], rows[some] @ rows[start:].T)


def compare_by_cells(rows: "Rows", found: _PairCollector) -> None:
    """Compare each thread with the members of the cells nearest to it.

    Of two that are alike either may find the other, so few are missed.
    """
    import numpy as np  # as above

    count = CELLS_PER_ROOT * int(np.sqrt(len(rows)))
    near = rows @ _cell_centres(rows, count).T
    home = near.argmax(axis=1)
    visits = np.zeros(near.shape, bool)
    probed = np.argpartition(-near, PROBED_CELLS, axis=1)[:, :PROBED_CELLS]
    np.put_along_axis(visits, probed, values=True, axis=1)
    for cell in range(count):
        members, visitors = np.flatnonzero(home == cell), np.flatnonzero(visits[:, cell])
        for start in range(0, len(visitors), BLOCK_ROWS):
            some = visitors[start : start + BLOCK_ROWS]
            found.add(some, members, rows[some] @ rows[members].T)


def _cell_centres(rows: "Rows", count: int) -> "Rows":
    """Return directions that the rows gather around, found from a part of them."""
    import numpy as np  # as above

    # Evenly taken, and not drawn: the same threads have the same cells.
    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), count * SAMPLE_PER_CELL)).astype(int)]
    cells = some[np.linspace(0, len(some) - 1, count).astype(int)]
    for _ in range(CELL_ROUNDS):
        home = (some @ cells.T).argmax(axis=1)
        sums = np.zeros_like(cells)
        np.add.at(sums, home, some)
        held = np.bincount(home, minlength=count) > 0
        cells = np.where(held[:, None], _unit_rows(sums), cells)
    return cast("Rows", cells)


def _pair_similarities(rows: "Rows", one: "Numbers", other: "Numbers") -> list[float]:
    """Measure pairs one by one: the sums of a larger product differ with its size."""
    import numpy as np  # as above

    found: list[float] = []
    for start in range(0, len(one), BLOCK_ROWS):
        some = slice(start, start + BLOCK_ROWS)
        left, right = rows[one[some]].astype(np.float64), rows[other[some]].astype(np.float64)
        cosines = np.einsum("ij,ij->i", left, right)
        found += np.clip(np.round(cosines / SAME_SUBJECT_COSINE, DECIMALS), 0.0, 1.0).tolist()
    return found


def _unit_rows(rows: "Rows") -> "Rows":
    import numpy as np  # heavy, and most verbs have no need of it

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return cast("Rows", (rows / np.maximum(lengths, np.float32(1e-9))).astype(np.float32))
