"""The vectors of projects in the memory of this process, which compares them itself.

A server needs a tenth of a second to compare 100,000 vectors, for each question of each person. So
a process that keeps asking about a project loads its vectors, in the background. From then on it
asks only for newer ones: within a generation, rows become visible in the order of their ids. A
deletion makes another generation, and all are read again.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ai_smartness.adapters.tables.rows import VectorSet
from ai_smartness.adapters.tables.sql_database import Row
from ai_smartness.adapters.vector_search.exact_search import ExactIndex, ScoredEvents, stored_rows
from ai_smartness.model.errors import AisError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MOST_NEW_ROWS", "CachedVectors", "VectorCache"]

_LOG = logging.getLogger(__name__)

MOST_NEW_ROWS = 2_000
"""Of newer rows, that a question reads; more of them are loaded in the background."""

_BLOCK_ROWS = 10_000
_QUESTIONS = 4  # of one process, answered by the server before it loads the vectors
_MOST_ROWS = 400_000  # of all projects together

VectorKey: TypeAlias = tuple[int, int]
"""A project and a space, by their ids."""

RowReader: TypeAlias = Callable[[VectorSet, int, int], Sequence[Row]]
"""Returns so many rows of a set after one: their ids, events and packed vectors."""


@dataclass(frozen=True, slots=True)
class CachedVectors:
    """The rows of one generation up to `last_row`; those read last are apart, as they are few."""

    generation: int
    rows: int
    last_row: int
    index: ExactIndex
    newer_rows: tuple[Row, ...] = ()
    newer: ExactIndex = field(default_factory=ExactIndex)

    def with_newer(self, rows: Sequence[Row]) -> "CachedVectors":
        """Return these and newer rows."""
        if not rows:
            return self
        newer, last_row = (*self.newer_rows, *rows), int(rows[-1][0])
        counted = replace(self, rows=self.rows + len(rows), last_row=last_row)
        if len(newer) <= MOST_NEW_ROWS:
            return replace(counted, newer_rows=newer, newer=_index_of([newer]))
        index = self.index.extended(*stored_rows(newer))
        return replace(counted, index=index, newer_rows=(), newer=ExactIndex())

    def scored_events(
        self, query: "NDArray[np.float32]", limit: int, also: Sequence[int]
    ) -> ScoredEvents:
        """Return every event with the cosine of its best row, exact for the best and `also`."""
        scored = self.index.roughly_scored_events(query, limit, also)
        return scored.joined_with(self.newer.scored_events(query))


class VectorCache:
    """What the memories of one process have loaded from one server."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._sets: dict[VectorKey, CachedVectors] = {}
        self._questions: dict[VectorKey, int] = {}
        self._loading: dict[VectorKey, threading.Thread] = {}

    def find(self, key: VectorKey) -> CachedVectors | None:
        """Return what is loaded of a project in a space."""
        return self._sets.get(key)

    def extended(
        self, cached: CachedVectors, vectors: VectorSet, newer: Sequence[Row]
    ) -> CachedVectors | None:
        """Return cached vectors with newer rows; None if they are not all that the server has."""
        # More rows than the server has: somebody put an older database in its place.
        if cached.generation != vectors.generation or cached.rows > vectors.rows:
            return None
        extended = cached.with_newer(newer)
        if extended.rows < vectors.rows:
            return None
        key = vectors.project_id, vectors.space_id
        with self._turn:
            if self._sets.get(key) is cached:
                self._sets[key] = extended
        return extended

    def note_question(self, vectors: VectorSet, read_rows: RowReader) -> None:
        """Count a question that the server has answered; load the vectors if it was one too many.

        Whoever asks does not wait for that.
        """
        key = vectors.project_id, vectors.space_id
        with self._turn:
            self._questions[key] = self._questions.get(key, 0) + 1
            if self._questions[key] < _QUESTIONS or key in self._loading:
                return
            self._loading[key] = thread = threading.Thread(
                target=self._load, args=(vectors, read_rows), name="vectors", daemon=True
            )
        thread.start()

    def wait_until_loaded(self) -> None:
        """Wait for what is being loaded."""
        for thread in list(self._loading.values()):
            thread.join()

    def _load(self, vectors: VectorSet, read_rows: RowReader) -> None:
        key = vectors.project_id, vectors.space_id
        try:
            loaded = _loaded_vectors(vectors, read_rows)
            with self._turn:
                self._sets.pop(key, None)
                self._sets[key] = loaded
                self._drop_oldest()
        except AisError as error:
            # The server goes on answering, and this is tried again after the next questions.
            _LOG.warning("the vectors of a project were not loaded: %s", error)
        finally:
            with self._turn:
                self._questions[key] = 0
                del self._loading[key]

    def _drop_oldest(self) -> None:
        while len(self._sets) > 1 and sum(one.rows for one in self._sets.values()) > _MOST_ROWS:
            del self._sets[next(iter(self._sets))]


def _loaded_vectors(vectors: VectorSet, read_rows: RowReader) -> CachedVectors:
    """Read all rows; if one is deleted meanwhile, the next question sees another generation."""
    rows, last_row = 0, 0

    def blocks() -> Iterator[Sequence[Row]]:
        nonlocal rows, last_row
        while block := read_rows(vectors, last_row, _BLOCK_ROWS):
            rows, last_row = rows + len(block), int(block[-1][0])
            yield block

    index = _index_of(blocks()).with_coarse_rows()
    return CachedVectors(vectors.generation, rows, last_row, index)


def _index_of(blocks: Iterable[Sequence[Row]]) -> ExactIndex:
    parts = [stored_rows(block) for block in blocks]
    index = ExactIndex()
    if parts:
        seqs, rows = zip(*parts, strict=True)
        index.add(np.concatenate(seqs), np.concatenate(rows))
    return index
