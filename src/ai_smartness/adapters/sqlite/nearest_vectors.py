"""Find the nearest vectors of one project in one space.

Up to `exact_limit` rows are compared one by one. They are read from a file beside the database,
which every process maps; those that it lacks are read from the table and kept in memory. Above
the limit a graph beside the file answers, and only the rows that it lacks are compared one by
one. It is built before the limit is reached. Without a usable graph up to twice as many rows are
compared; of more, the table itself is read, block by block: slower, but exact. Where the library
for graphs is not installed, all rows are in the file and all are compared.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from ai_smartness.adapters.sqlite.database import Database
from ai_smartness.adapters.tables.rows import VectorSet, to_microseconds
from ai_smartness.adapters.tables.sql_database import Value
from ai_smartness.adapters.vector_search.exact_search import (
    ExactIndex,
    ScoredEvents,
    best_matches,
    stored_rows,
)
from ai_smartness.adapters.vector_search.hnsw import GraphFile, is_graph_library_installed
from ai_smartness.adapters.vector_search.mapped_rows import MappedRows, RowFile
from ai_smartness.model.search import (
    NearestEvents,
    SearchMatch,
    SearchScope,
)
from ai_smartness.ports import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ai_smartness.adapters.vector_search.hnsw import GraphStamp, VectorBatch
    from ai_smartness.adapters.vector_search.mapped_rows import RowBatch

    Block: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float16]]
    """Row ids, events and vectors."""

__all__ = ["NearestSearch"]

# A graph is written as a whole, so it is extended only when it lacks a tenth of the rows.
_MAX_TAIL_SHARE = 0.1
_MAX_TAIL_ROWS = 20_000
_EARLY_SHARE = 0.8  # of the exact limit, from which on the graph is built
_LATE_FACTOR = 2  # times the exact limit: so many rows are compared while there is no graph
_MIN_FILE_ROWS = 2_000  # of fewer the table is read as quickly; the file may lack as many
_WIDEN_FACTOR = 4
_BLOCK_ROWS = 20_000
_SAMPLE_ROWS = 1_000


class NearestSearch:
    """Finds the nearest events, exactly or by a graph, depending on the number of rows."""

    def __init__(self, database: Database, graphs: Path | None, exact_limit: int) -> None:
        self._database = database
        self._graphs = graphs
        self._exact_limit = exact_limit if is_graph_library_installed() else sys.maxsize
        self._rows = VectorRows(database, graphs)
        self._opened: dict[str, GraphFile] = {}

    def find_nearest(
        self,
        vectors: VectorSet,
        scope: SearchScope,
        query: "NDArray[np.float32]",
        limit: int,
        also: Sequence[int],
    ) -> NearestEvents:
        """Return the nearest events in the scope, and the events in `also`."""
        if scope.session is not None:
            scored = self._rows.session_rows(vectors, scope).scored_events(query)
            return scored.nearest_events(limit, also)
        if self._is_exact(vectors):
            # What is left after a cut by time may not be among the best.
            width = limit if scope.before is None else vectors.rows
            scored = self._rows.scored_rows(vectors, query, width, also)
            return self._events_before(vectors, scored, scope).nearest_events(limit, also)
        best = self._approximate_nearest(vectors, scope, query, limit)
        wanted = self._rows.event_rows(vectors, also).scored_events(query)
        typical = self._rows.sample_rows(vectors).scored_events(query).typical_cosine()
        return NearestEvents(best_matches([*best, *wanted.matches()]), typical)

    def event_centres(
        self, vectors: VectorSet, seqs: Sequence[int]
    ) -> "dict[int, NDArray[np.float32]]":
        """Return the mean vector, of unit length, of each of these events that has vectors."""
        return self._rows.event_rows(vectors, seqs).event_centres()

    def refresh_graph(self, vectors: VectorSet, progress: Progress) -> None:
        """Build or extend the graph if it lacks too many rows; delete one that is not needed."""
        if self._graphs is None:
            return
        self._rows.refresh_file(vectors, _LATE_FACTOR * self._exact_limit)
        if not self._may_have_graph(vectors):
            if (self._graphs / vectors.graph_name).exists():
                self._graph_file(vectors).remove()
            return
        graph = self._graph_file(vectors)
        stamp = self._current_stamp(vectors, graph)
        lacking = vectors.rows - (stamp.rows if stamp else 0)
        if stamp is None or lacking > max(_MAX_TAIL_ROWS, _MAX_TAIL_SHARE * vectors.rows):
            after = stamp.last_row if stamp else 0
            batches = self._reported_batches(vectors, after, lacking, progress)
            graph.build_graph(vectors.generation, batches, stamp)

    def drop_outdated_graphs(self, vector_sets: Sequence[VectorSet]) -> None:
        """Delete all files of vectors but those of the current ones."""
        current = set[str]()
        for vectors in vector_sets if self._graphs else ():
            graph = self._graph_file(vectors)
            if self._may_have_graph(vectors) and self._current_stamp(vectors, graph):
                current |= {vectors.graph_name, str(Path(vectors.graph_name).with_suffix(".json"))}
            if self._rows.is_mapped(vectors):
                current.add(_file_name(vectors))
        for path in self._graphs.glob("project-*") if self._graphs else ():
            if path.name not in current:
                path.unlink(missing_ok=True)

    def _may_have_graph(self, vectors: VectorSet) -> bool:
        return vectors.rows > _EARLY_SHARE * self._exact_limit

    def _is_exact(self, vectors: VectorSet) -> bool:
        """Say whether every row is compared: there are few, or there is no graph of them yet."""
        if vectors.rows <= self._exact_limit or self._graphs is None:
            return vectors.rows <= self._exact_limit
        is_late = vectors.rows <= _LATE_FACTOR * self._exact_limit
        return is_late and self._current_stamp(vectors, self._graph_file(vectors)) is None

    def _reported_batches(
        self, vectors: VectorSet, after: int, total: int, progress: Progress
    ) -> "Iterator[VectorBatch]":
        done = 0
        for keys, _, rows in self._rows.raw_blocks(vectors, after):
            yield keys, rows
            done += len(keys)
            progress(done, total)

    def _events_before(
        self, vectors: VectorSet, scored: ScoredEvents, scope: SearchScope
    ) -> ScoredEvents:
        if scope.before is None:
            return scored
        rows = self._database.all(
            "SELECT seq FROM events WHERE project_id = ? AND at < ?",
            (vectors.project_id, to_microseconds(scope.before)),
        )
        return scored.of_seqs([row[0] for row in rows])

    def _approximate_nearest(
        self, vectors: VectorSet, scope: SearchScope, query: "NDArray[np.float32]", limit: int
    ) -> list[SearchMatch]:
        """Search wider and wider until enough matches are early enough."""
        width = limit
        while True:
            matches = self._graph_matches(vectors, query, width)
            if scope.before is not None:
                matches = self._matches_before(matches, to_microseconds(scope.before))
            if scope.before is None or len(matches) >= limit or width >= vectors.rows:
                return matches[:limit]
            width *= _WIDEN_FACTOR

    def _graph_matches(
        self, vectors: VectorSet, query: "NDArray[np.float32]", limit: int
    ) -> list[SearchMatch]:
        graph = self._graph_file(vectors) if self._graphs else None
        stamp = self._current_stamp(vectors, graph) if graph else None
        # An event may have several rows, so more rows are requested than events.
        nearest = graph.nearest(query, 2 * limit, stamp) if graph and stamp else None
        if nearest is None or stamp is None:
            return self._block_matches(vectors, query, limit)
        tail = self._rows.rows_after(vectors, stamp.last_row).scored_events(query)
        matches = [*self._matches_of_rows(*nearest), *tail.best_events(limit).matches()]
        return best_matches(matches)[:limit]

    def _block_matches(
        self, vectors: VectorSet, query: "NDArray[np.float32]", limit: int
    ) -> list[SearchMatch]:
        matches: list[SearchMatch] = []
        for block in self._rows.all_blocks(vectors):
            best = block.scored_events(query).best_events(limit)
            matches = best_matches([*matches, *best.matches()])[:limit]
        return matches

    def _matches_before(self, matches: list[SearchMatch], moment: int) -> list[SearchMatch]:
        seqs = (match.seq for match in matches)
        rows = self._database.all_in(
            "SELECT seq FROM events WHERE at < ? AND seq IN ({})", seqs, (moment,)
        )
        earlier: set[Value] = {row[0] for row in rows}
        return [match for match in matches if match.seq in earlier]

    def _matches_of_rows(
        self, keys: "NDArray[np.int64]", scores: "NDArray[np.float32]"
    ) -> list[SearchMatch]:
        rows = self._database.all_in("SELECT id, seq FROM vectors WHERE id IN ({})", keys.tolist())
        seqs = {row[0]: row[1] for row in rows}
        pairs = zip(keys.tolist(), scores.tolist(), strict=True)
        return [SearchMatch(seqs[key], score) for key, score in pairs if key in seqs]

    def _graph_file(self, vectors: VectorSet) -> GraphFile:
        if vectors.graph_name not in self._opened:
            self._opened[vectors.graph_name] = GraphFile(
                cast("Path", self._graphs) / vectors.graph_name
            )
        return self._opened[vectors.graph_name]

    @staticmethod
    def _current_stamp(vectors: VectorSet, graph: GraphFile) -> "GraphStamp | None":
        stamp = graph.usable_stamp()
        return stamp if stamp and stamp.generation == vectors.generation else None


def _file_name(vectors: VectorSet) -> str:
    return str(Path(vectors.graph_name).with_suffix(".rows"))


@dataclass(slots=True)
class _CachedRows:
    """The rows after `after`, up to and including `last_row`, of one generation."""

    generation: int
    after: int
    last_row: int
    index: ExactIndex


class VectorRows:
    """Reads vectors into indexes; those read once stay in memory, and only new rows are read."""

    def __init__(self, database: Database, folder: Path | None) -> None:
        self._database = database
        self._folder = folder
        self._files: dict[str, RowFile] = {}
        self._mapped: dict[str, tuple[MappedRows, ExactIndex]] = {}
        self._cached: dict[str, _CachedRows] = {}
        self._samples: dict[str, _CachedRows] = {}

    def scored_rows(
        self, vectors: VectorSet, query: "NDArray[np.float32]", limit: int, also: Sequence[int]
    ) -> ScoredEvents:
        """Return every event with the cosine of its best row: those of the file, then the rest.

        Of a file with many rows, only the best and those in `also` have their exact cosine.
        """
        mapped = self._mapped_rows(vectors)
        if mapped is None:
            return self.rows_after(vectors, 0).scored_events(query)
        scored = self._mapped_index(vectors, mapped).roughly_scored_events(query, limit, also)
        tail = self.rows_after(vectors, mapped.last_row).scored_events(query)
        return scored.joined_with(tail)

    def _mapped_index(self, vectors: VectorSet, mapped: MappedRows) -> ExactIndex:
        known, index = self._mapped.get(vectors.graph_name, (None, None))
        if index is None or known is not mapped:
            index = ExactIndex(mapped.keys, mapped.rows, mapped.coarse)
            self._mapped[vectors.graph_name] = mapped, index
        return index

    def is_mapped(self, vectors: VectorSet) -> bool:
        """Say whether there is a file of the present rows."""
        return self._mapped_rows(vectors) is not None

    def refresh_file(self, vectors: VectorSet, most_rows: int) -> None:
        """Write the file if it lacks too many rows; delete one that is not needed."""
        file, mapped = self._file(vectors), self._mapped_rows(vectors)
        if file is None:
            return
        if not _MIN_FILE_ROWS <= vectors.rows <= most_rows:
            file.remove()
            return
        lacking = vectors.rows - (len(mapped.keys) if mapped else 0)
        is_old = mapped is None or mapped.coarse is None
        if lacking > max(_MIN_FILE_ROWS, _MAX_TAIL_SHARE * vectors.rows) or is_old:
            file.write(vectors.generation, self._file_batches(vectors, mapped))

    def _file_batches(self, vectors: VectorSet, mapped: MappedRows | None) -> "Iterator[RowBatch]":
        if mapped is not None:
            yield mapped.last_row, mapped.keys, mapped.rows
        for keys, seqs, rows in self.raw_blocks(vectors, mapped.last_row if mapped else 0):
            yield int(keys[-1]), seqs, rows

    def _mapped_rows(self, vectors: VectorSet) -> MappedRows | None:
        file = self._file(vectors)
        mapped = file.mapped_rows(vectors.generation) if file else None
        # More rows than the table has: somebody put an older database in its place.
        return mapped if mapped and len(mapped.keys) <= vectors.rows else None

    def _file(self, vectors: VectorSet) -> RowFile | None:
        if self._folder is None:
            return None
        name = _file_name(vectors)
        return self._files.setdefault(name, RowFile(self._folder / name))

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
        """Return the rows of these events: of the file and after it, or else of the table."""
        mapped = self._mapped_rows(vectors)
        if mapped is not None:
            index = ExactIndex(*self._mapped_index(vectors, mapped).vectors_of(seqs))
            seqs_after, rows_after = self.rows_after(vectors, mapped.last_row).vectors_of(seqs)
            if len(seqs_after):
                index.add(seqs_after, rows_after)
            return index
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
            yield keys, *stored_rows(rows)
            after = rows[-1][0]

    def _select_rows(self, vectors: VectorSet, condition: str, *values: Value) -> ExactIndex:
        # The plus keeps SQLite from walking a whole project's rows in the order of their ids.
        rows = self._database.all(
            f"SELECT v.id, v.seq, v.vector FROM vectors v WHERE {condition} "
            "AND v.project_id = ? AND v.space_id = ? ORDER BY +v.id",
            (*values, vectors.project_id, vectors.space_id),
        )
        index = ExactIndex()
        if rows:
            index.add(*stored_rows(rows))
        return index
