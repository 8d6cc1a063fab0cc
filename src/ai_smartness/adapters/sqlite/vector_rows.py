"""The vector rows of one project in one space, read from the table and held in memory.

The centres of threads: each the mean of its messages' vectors, kept once it was worked out.

What a centre is made from takes it away when it changes (the triggers of layout 4), so
one that is there is right. Whatever is not there is made when it is asked for.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, cast

from ai_smartness.adapters.sqlite.database import Database, Row
from ai_smartness.adapters.sqlite.rows import to_microseconds
from ai_smartness.model.errors import StoreError
from ai_smartness.model.search import SearchScope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai_smartness.adapters.vector_search.exact_search import ExactIndex

    Vector: TypeAlias = NDArray[np.float32]

__all__ = ["ThreadCentres", "VectorRows", "VectorSet"]


_BLOCK_ROWS = 20_000
_SAMPLE_ROWS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSet:
    """The vectors of one project in one space, as the table stands now."""

    project: int
    space: int
    rows: int
    generation: int

    @property
    def graph_name(self) -> str:
        """Name the shelf's graph file."""
        return f"project-{self.project}-space-{self.space}.graph"


@dataclass(slots=True)
class _CachedRows:
    """Rows in memory: those after `after`, up to and with `last_row`, of one generation."""

    generation: int
    after: int
    last_row: int
    index: "ExactIndex"


class VectorRows:
    """Reads vectors; what was read once is read on from where it stopped."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held: dict[str, _CachedRows] = {}
        self._samples: dict[str, _CachedRows] = {}

    def rows_after(self, shelf: VectorSet, after: int) -> "ExactIndex":
        """Return the rows after one, reading only those that are new."""
        held = self._held.get(shelf.graph_name)
        if held is None or (held.generation, held.after) != (shelf.generation, after):
            held = _CachedRows(shelf.generation, after, after, _empty_index())
            self._held[shelf.graph_name] = held
        for keys, seqs, rows in self.raw_blocks(shelf, held.last_row):
            held.index.add(seqs, rows)
            held.last_row = int(keys[-1])
        return held.index

    def sample_rows(self, shelf: VectorSet) -> "ExactIndex":
        """Return some rows of all, to tell what is typical; chosen once, until rows double."""
        held = self._samples.get(shelf.graph_name)
        if held is None or held.generation != shelf.generation or shelf.rows > 2 * held.after:
            step = max(1, shelf.rows // _SAMPLE_ROWS)
            rows = self._select_rows(
                "v.id % ? = 0 AND v.project_id = ?", (step, shelf.project), shelf
            )
            held = _CachedRows(shelf.generation, shelf.rows, 0, _filled_index(rows))
            self._samples[shelf.graph_name] = held
        return held.index

    def event_rows(self, shelf: VectorSet, seqs: Sequence[int]) -> "ExactIndex":
        """Return the rows of these events."""
        marks = ", ".join(str(seq) for seq in seqs)
        return _filled_index(
            self._select_rows(f"v.project_id = ? AND v.seq IN ({marks})", (shelf.project,), shelf)
        )

    def session_rows(self, shelf: VectorSet, scope: SearchScope) -> "ExactIndex":
        """Return the rows of one session's events, up to a moment."""
        session, moment = cast("str", scope.session), 1 << 62
        if scope.before is not None:
            moment = to_microseconds(scope.before)
        condition = (
            "v.project_id = ? AND v.seq IN "
            "(SELECT seq FROM events WHERE project_id = ? AND session = ? AND at < ?)"
        )
        values = (shelf.project, shelf.project, session, moment)
        return _filled_index(self._select_rows(condition, values, shelf))

    def all_blocks(self, shelf: VectorSet) -> "Iterator[ExactIndex]":
        """Yield all rows, a block at a time, keeping none."""
        for _, seqs, rows in self.raw_blocks(shelf, 0):
            index = _empty_index()
            index.add(seqs, rows)
            yield index

    def raw_blocks(
        self, shelf: VectorSet, after: int
    ) -> "Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]]":
        """Yield row numbers, events and vectors of the rows after one."""
        while True:
            rows = self._database.all(
                "SELECT id, seq, vector FROM vectors INDEXED BY vectors_by_project "
                "WHERE project_id = ? AND space_id = ? AND id > ? ORDER BY id LIMIT ?",
                (shelf.project, shelf.space, after, _BLOCK_ROWS),
            )
            if not rows:
                return
            yield _unpacked_rows(rows)
            after = cast("int", rows[-1][0])

    def _select_rows(
        self, condition: str, values: Sequence[str | int], shelf: VectorSet
    ) -> list[Row]:
        # The plus keeps SQLite from walking a whole project's rows in the order that is asked for.
        return self._database.all(
            "SELECT v.id, v.seq, v.vector FROM vectors v "  # our own condition
            f"WHERE {condition} AND v.space_id = ? ORDER BY +v.id",
            (*values, shelf.space),
        )


def _empty_index() -> "ExactIndex":
    from ai_smartness.adapters.vector_search.exact_search import ExactIndex  # numpy is heavy

    return ExactIndex()


def _filled_index(rows: list[Row]) -> "ExactIndex":
    index = _empty_index()
    if rows:
        _, seqs, vectors = _unpacked_rows(rows)
        index.add(seqs, vectors)
    return index


def _unpacked_rows(
    rows: list[Row],
) -> "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]":
    import numpy as np  # heavy, and the lexical path has no need of it

    keys = np.array([row[0] for row in rows], np.int64)
    seqs = np.array([row[1] for row in rows], np.int64)
    joined = b"".join(cast("bytes", row[2]) for row in rows)
    vectors = np.frombuffer(joined, "<f2").reshape(len(rows), -1).astype(np.float32)
    return keys, seqs, vectors


_LOG = logging.getLogger(__name__)

_READ_BATCH = 500
_COMPUTE_BATCH = 200
"""Threads, in one transaction: a fraction of a second, while others wait to write."""

_MIN_LENGTH = 1e-6


class ThreadCentres:
    """Reads centres, and makes those that are not there."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def centres_of(self, shelf: VectorSet, thread_ids: Sequence[str]) -> "dict[str, Vector]":
        """Return the centre of each of these threads that has vectors, of unit length."""
        packed: dict[str, bytes | None] = {}
        for some in _id_batches(thread_ids, _READ_BATCH):
            packed.update(self._stored_centres(shelf, some))
        missing = [id_ for id_ in thread_ids if id_ not in packed]
        for some in _id_batches(missing, _COMPUTE_BATCH):
            packed.update(self._compute_and_store(shelf, some))
        return {id_: _unpacked_vector(vector) for id_, vector in packed.items() if vector}

    def _stored_centres(self, shelf: VectorSet, ids: Sequence[str]) -> dict[str, bytes | None]:
        rows = self._database.all(
            "SELECT thread_id, vector FROM centres "  # only question marks
            f"WHERE space_id = ? AND thread_id IN ({_id_placeholders(ids)})",
            (shelf.space, *ids),
        )
        return {str(id_): cast("bytes | None", vector) for id_, vector in rows}

    def _compute_and_store(self, shelf: VectorSet, ids: Sequence[str]) -> dict[str, bytes | None]:
        try:
            # In one unit: what a centre is made from cannot change before it is kept.
            with self._database.unit():
                made = self._computed_centres(shelf, ids)
                self._database.run_many(
                    "INSERT OR REPLACE INTO centres (thread_id, space_id, vector) "
                    "SELECT id, ?, ? FROM threads WHERE id = ?",
                    ((shelf.space, vector, id_) for id_, vector in made.items()),
                )
                return made
        except StoreError as trouble:
            # A file that cannot be written can still be read.
            _LOG.warning("the centres of threads are worked out and not kept: %s", trouble)
            return self._computed_centres(shelf, ids)

    def _computed_centres(self, shelf: VectorSet, ids: Sequence[str]) -> dict[str, bytes | None]:
        rows = self._database.all(
            "SELECT e.thread_id, v.seq, v.vector FROM events e JOIN vectors v "  # as above
            "ON v.project_id = ? AND v.space_id = ? AND v.seq = e.seq "
            f"WHERE e.thread_id IN ({_id_placeholders(ids)}) ORDER BY e.thread_id, v.seq, v.chunk",
            (shelf.project, shelf.space, *ids),
        )
        found: dict[str, bytes | None] = dict.fromkeys(ids)
        return found | _mean_vectors(rows)


def _mean_vectors(rows: Sequence[Row]) -> "dict[str, bytes]":
    """Return the mean of each thread's messages, each message being the mean of its chunks."""
    import numpy as np  # heavy, and the lexical path has no need of it

    if not rows:
        return {}
    joined = b"".join(cast("bytes", row[2]) for row in rows)
    vectors = np.frombuffer(joined, "<f2").reshape(len(rows), -1).astype(np.float32)
    seqs = np.array([row[1] for row in rows], np.int64)
    messages = _run_starts(seqs[1:] != seqs[:-1])
    said = _unit_rows(np.add.reduceat(vectors, messages, axis=0))
    names = [str(rows[start][0]) for start in messages]
    threads = _run_starts(np.array([a != b for a, b in zip(names[1:], names, strict=False)], bool))
    centres = _unit_rows(np.add.reduceat(said, threads, axis=0)).astype("<f2")
    return {names[at]: row.tobytes() for at, row in zip(threads, centres, strict=True)}


def _run_starts(changes: "NDArray[np.bool_]") -> "NDArray[np.intp]":
    import numpy as np  # as above

    return np.flatnonzero(np.concatenate([[True], changes]))


def _unpacked_vector(vector: bytes) -> "Vector":
    import numpy as np  # as above

    return _unit_rows(np.frombuffer(vector, "<f2").astype(np.float32))


def _unit_rows(rows: "Vector") -> "Vector":
    import numpy as np  # as above

    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return cast("Vector", rows / np.maximum(lengths, np.float32(_MIN_LENGTH)))


def _id_batches(ids: Sequence[str], size: int) -> Iterator[list[str]]:
    left = iter(ids)
    while some := list(islice(left, size)):
        yield some


def _id_placeholders(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
