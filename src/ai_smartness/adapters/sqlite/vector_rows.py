"""Read the vectors of one project in one space, and the centres of its threads.

Vectors that were read once stay in memory, and only new rows are read again.

The centre of a thread is the mean of its messages' vectors. It is stored once it was
computed, and triggers (of layout 4) delete it when one of those vectors changes.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from ai_smartness.adapters.sqlite.database import Database, Row, Value
from ai_smartness.adapters.sqlite.rows import to_microseconds
from ai_smartness.adapters.sqlite.vector_tables import VectorSet
from ai_smartness.adapters.vector_search.exact_search import ExactIndex, run_starts, unit_rows
from ai_smartness.model.errors import StoreError
from ai_smartness.model.search import SearchScope

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Block: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]
    """Row ids, events and vectors."""

__all__ = ["ThreadCentres", "VectorRows"]

_LOG = logging.getLogger(__name__)

_BLOCK_ROWS = 20_000
_SAMPLE_ROWS = 1_000

_COMPUTED_THREADS = 200
"""In one transaction: a fraction of a second, in which others cannot write."""


@dataclass(slots=True)
class _CachedRows:
    """The rows after `after`, up to and including `last_row`, of one generation."""

    generation: int
    after: int
    last_row: int
    index: ExactIndex


class VectorRows:
    """Reads vectors into indexes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cached: dict[str, _CachedRows] = {}
        self._samples: dict[str, _CachedRows] = {}

    def rows_after(self, vectors: VectorSet, after: int) -> ExactIndex:
        """Return the rows after one, reading only those that are new."""
        cached = self._cached.get(vectors.graph_name)
        if cached is None or (cached.generation, cached.after) != (vectors.generation, after):
            cached = _CachedRows(vectors.generation, after, after, ExactIndex())
            self._cached[vectors.graph_name] = cached
        for keys, seqs, rows in self.raw_blocks(vectors, cached.last_row):
            cached.index.add(seqs, rows)
            cached.last_row = int(keys[-1])
        return cached.index

    def sample_rows(self, vectors: VectorSet) -> ExactIndex:
        """Return a sample of all rows, to measure typical cosines; renewed when rows double."""
        cached = self._samples.get(vectors.graph_name)
        if (
            cached is None
            or cached.generation != vectors.generation
            or vectors.rows > 2 * cached.after
        ):
            step = max(1, vectors.rows // _SAMPLE_ROWS)
            index = self._select_rows(vectors, "v.id % ? = 0", step)
            cached = _CachedRows(vectors.generation, vectors.rows, 0, index)
            self._samples[vectors.graph_name] = cached
        return cached.index

    def event_rows(self, vectors: VectorSet, seqs: Sequence[int]) -> ExactIndex:
        """Return the rows of these events."""
        return self._select_rows(vectors, f"v.seq IN ({', '.join(str(seq) for seq in seqs)})")

    def session_rows(self, vectors: VectorSet, scope: SearchScope) -> ExactIndex:
        """Return the rows of one session's events, up to a moment."""
        before = 1 << 62 if scope.before is None else to_microseconds(scope.before)
        return self._select_rows(
            vectors,
            "v.seq IN (SELECT seq FROM events WHERE project_id = ? AND session = ? AND at < ?)",
            vectors.project_id,
            scope.session,
            before,
        )

    def all_blocks(self, vectors: VectorSet) -> Iterator[ExactIndex]:
        """Yield all rows block by block, caching none."""
        for _, seqs, rows in self.raw_blocks(vectors, 0):
            index = ExactIndex()
            index.add(seqs, rows)
            yield index

    def raw_blocks(self, vectors: VectorSet, after: int) -> "Iterator[Block]":
        """Yield row ids, events and vectors of the rows after one."""
        while True:
            rows = self._database.all(
                "SELECT id, seq, vector FROM vectors INDEXED BY vectors_by_project "
                "WHERE project_id = ? AND space_id = ? AND id > ? ORDER BY id LIMIT ?",
                (vectors.project_id, vectors.space_id, after, _BLOCK_ROWS),
            )
            if not rows:
                return
            keys = np.array([row[0] for row in rows], np.int64)
            yield keys, *_unpacked_rows(rows)
            after = cast("int", rows[-1][0])

    def _select_rows(self, vectors: VectorSet, condition: str, *values: Value) -> ExactIndex:
        # The plus keeps SQLite from walking a whole project's rows in the order of their ids.
        rows = self._database.all(
            f"SELECT v.id, v.seq, v.vector FROM vectors v WHERE {condition} "
            "AND v.project_id = ? AND v.space_id = ? ORDER BY +v.id",
            (*values, vectors.project_id, vectors.space_id),
        )
        index = ExactIndex()
        if rows:
            index.add(*_unpacked_rows(rows))
        return index


class ThreadCentres:
    """Reads stored centres, and computes missing ones."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def centres_of(
        self, vectors: VectorSet, thread_ids: Sequence[str]
    ) -> "dict[str, NDArray[np.float32]]":
        """Return the centre, of unit length, of each of these threads that has vectors."""
        rows = self._database.all_in(
            "SELECT thread_id, vector FROM centres WHERE space_id = ? AND thread_id IN ({})",
            thread_ids,
            (vectors.space_id,),
        )
        packed = {str(id_): cast("bytes | None", vector) for id_, vector in rows}
        missing = [id_ for id_ in thread_ids if id_ not in packed]
        for start in range(0, len(missing), _COMPUTED_THREADS):
            packed.update(
                self._compute_and_store(vectors, missing[start : start + _COMPUTED_THREADS])
            )
        return {
            id_: unit_rows(np.frombuffer(vector, "<f2").astype(np.float32))
            for id_, vector in packed.items()
            if vector
        }

    def _compute_and_store(self, vectors: VectorSet, ids: Sequence[str]) -> dict[str, bytes | None]:
        try:
            # In one unit: the vectors cannot change before their centre is stored.
            with self._database.unit():
                centres = self._computed_centres(vectors, ids)
                self._database.run_many(
                    "INSERT OR REPLACE INTO centres (thread_id, space_id, vector) "
                    "SELECT id, ?, ? FROM threads WHERE id = ?",
                    ((vectors.space_id, vector, id_) for id_, vector in centres.items()),
                )
                return centres
        except StoreError as error:
            # A read-only file can still be searched.
            _LOG.warning("the centres of threads are worked out and not kept: %s", error)
            return self._computed_centres(vectors, ids)

    def _computed_centres(self, vectors: VectorSet, ids: Sequence[str]) -> dict[str, bytes | None]:
        rows = self._database.all_in(
            "SELECT e.thread_id, v.seq, v.vector FROM events e JOIN vectors v "
            "ON v.project_id = ? AND v.space_id = ? AND v.seq = e.seq "
            "WHERE e.thread_id IN ({}) ORDER BY e.thread_id, v.seq, v.chunk",
            ids,
            (vectors.project_id, vectors.space_id),
        )
        none: dict[str, bytes | None] = dict.fromkeys(ids)
        return none | _thread_means(rows)


def _thread_means(rows: Sequence[Row]) -> dict[str, bytes]:
    """Return the mean of each thread's messages; a message is the mean of its chunks."""
    if not rows:
        return {}
    seqs, vectors = _unpacked_rows(rows)
    message_starts = run_starts(seqs)
    messages = unit_rows(np.add.reduceat(vectors, message_starts, axis=0))
    thread_ids = np.array([str(rows[start][0]) for start in message_starts])
    thread_starts = run_starts(thread_ids)
    means = unit_rows(np.add.reduceat(messages, thread_starts, axis=0)).astype("<f2")
    return {
        str(thread_ids[start]): mean.tobytes()
        for start, mean in zip(thread_starts, means, strict=True)
    }


def _unpacked_rows(rows: Sequence[Row]) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
    """Return the events and vectors of rows, which hold them at 1 and 2."""
    seqs = np.array([row[1] for row in rows], np.int64)
    joined = b"".join(cast("bytes", row[2]) for row in rows)
    return seqs, np.frombuffer(joined, "<f2").reshape(len(rows), -1).astype(np.float32)
