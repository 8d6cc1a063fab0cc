"""The nearest vectors of one project in one space.

Up to `exact_limit` rows are held in memory and looked at one by one. Above
that a graph beside the file answers, and only the rows it does not know yet
are looked at one by one. Without a usable graph the table itself is read
through, block by block: slower, never wrong.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ai_smartness.adapters.sqlite.database import Database, Value
from ai_smartness.adapters.sqlite.rows import to_microseconds
from ai_smartness.adapters.sqlite.vector_rows import VectorRows, VectorSet
from ai_smartness.model.search import NearestEvents, SearchMatch, SearchScope
from ai_smartness.ports import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai_smartness.adapters.vector_search.exact_search import ScoredEvents
    from ai_smartness.adapters.vector_search.hnsw import GraphFile, GraphStamp, VectorBatch

__all__ = ["NearestSearch"]

# A graph is written whole, so it is extended only when it lacks a tenth of the rows.
_MAX_TAIL_SHARE = 0.1
_MAX_TAIL_ROWS = 20_000
_WIDEN_FACTOR = 4


class NearestSearch:
    """Finds the nearest events, by whichever way the size asks for."""

    def __init__(self, database: Database, graphs: Path | None, exact_limit: int) -> None:
        self._database = database
        self._graphs = graphs
        self._exact_limit = exact_limit
        self._rows = VectorRows(database)
        self._opened: dict[str, GraphFile] = {}

    def find_nearest(
        self,
        shelf: VectorSet,
        scope: SearchScope,
        query: "NDArray[np.float32]",
        limit: int,
        also: Sequence[int],
    ) -> NearestEvents:
        """Return the nearest events that the scope allows, and those asked for by number."""
        if scope.session is not None:
            return self._exact_nearest(
                self._rows.session_rows(shelf, scope).scored_events(query), limit, also
            )
        if shelf.rows <= self._exact_limit:
            scored = self._rows.rows_after(shelf, 0).scored_events(query)
            return self._exact_nearest(self._events_before(shelf, scored, scope), limit, also)
        best = self._approximate_nearest(shelf, scope, query, limit)
        wanted = self._rows.event_rows(shelf, also).scored_events(query)
        typical = _typical_cosine(self._rows.sample_rows(shelf).scored_events(query))
        return NearestEvents(_best_matches([*best, *_scored_matches(wanted)]), typical)

    def event_centres(
        self, shelf: VectorSet, seqs: Sequence[int]
    ) -> "dict[int, NDArray[np.float32]]":
        return self._rows.event_rows(shelf, seqs).event_centres()

    def refresh_graph(self, shelf: VectorSet, progress: Progress) -> None:
        """Build or extend the graph if the rows outside it are too many; drop one not needed."""
        if self._graphs is None:
            return
        if shelf.rows <= self._exact_limit:
            if (self._graphs / shelf.graph_name).exists():
                self._graph_file(shelf).remove()
            return
        graph = self._graph_file(shelf)
        stamp = self._current_stamp(shelf, graph)
        lacking = shelf.rows - (stamp.rows if stamp else 0)
        if stamp is None or lacking > max(_MAX_TAIL_ROWS, _MAX_TAIL_SHARE * shelf.rows):
            after = stamp.last_row if stamp else 0
            graph.build_graph(
                shelf.generation, self._reported_batches(shelf, after, lacking, progress), stamp
            )

    def drop_outdated_graphs(self, shelves: Sequence[VectorSet]) -> None:
        """Take away the files of all graphs but those that were built from what there is."""
        current = {
            Path(shelf.graph_name).stem
            for shelf in shelves
            if self._graphs and self._current_stamp(shelf, self._graph_file(shelf))
        }
        for path in self._graphs.glob("project-*") if self._graphs else ():
            if path.stem not in current:
                path.unlink(missing_ok=True)

    def _reported_batches(
        self, shelf: VectorSet, after: int, total: int, progress: Progress
    ) -> "Iterator[VectorBatch]":
        done = 0
        for keys, _, rows in self._rows.raw_blocks(shelf, after):
            yield keys, rows
            done += len(keys)
            progress(done, total)

    @staticmethod
    def _exact_nearest(scored: "ScoredEvents", limit: int, also: Sequence[int]) -> NearestEvents:
        import numpy as np  # heavy, and the lexical path has no need of it

        asked = scored.masked_events(np.isin(scored.seqs, np.array(also, np.int64)))
        best = _scored_matches(scored.best_events(limit))
        return NearestEvents(
            _best_matches([*best, *_scored_matches(asked)]), _typical_cosine(scored)
        )

    def _events_before(
        self, shelf: VectorSet, scored: "ScoredEvents", scope: SearchScope
    ) -> "ScoredEvents":
        import numpy as np  # heavy, and the lexical path has no need of it

        if scope.before is None:
            return scored
        rows = self._database.all(
            "SELECT seq FROM events WHERE project_id = ? AND at < ?",
            (shelf.project, to_microseconds(scope.before)),
        )
        return scored.masked_events(
            np.isin(scored.seqs, np.array([row[0] for row in rows], np.int64))
        )

    def _approximate_nearest(
        self, shelf: VectorSet, scope: SearchScope, query: "NDArray[np.float32]", limit: int
    ) -> list[SearchMatch]:
        """Ask for more and more until enough of them are early enough."""
        wide = limit
        while True:
            found = self._graph_matches(shelf, query, wide)
            if scope.before is not None:
                found = self._matches_before(found, to_microseconds(scope.before))
            if scope.before is None or len(found) >= limit or wide >= shelf.rows:
                return found[:limit]
            wide *= _WIDEN_FACTOR

    def _graph_matches(
        self, shelf: VectorSet, query: "NDArray[np.float32]", limit: int
    ) -> list[SearchMatch]:
        graph = self._graph_file(shelf) if self._graphs else None
        stamp = self._current_stamp(shelf, graph) if graph else None
        # Several rows may belong to one event, so more rows are asked for than events.
        known = graph.nearest(query, 2 * limit, stamp) if graph and stamp else None
        if known is None or stamp is None:
            return self._block_matches(shelf, query, limit)
        tail = self._rows.rows_after(shelf, stamp.last_row).scored_events(query).best_events(limit)
        return _best_matches([*self._matches_of_rows(*known), *_scored_matches(tail)])[:limit]

    def _block_matches(
        self, shelf: VectorSet, query: "NDArray[np.float32]", limit: int
    ) -> list[SearchMatch]:
        found: list[SearchMatch] = []
        for block in self._rows.all_blocks(shelf):
            found = _best_matches(
                [*found, *_scored_matches(block.scored_events(query).best_events(limit))]
            )[:limit]
        return found

    def _matches_before(self, found: list[SearchMatch], moment: int) -> list[SearchMatch]:
        marks = ", ".join(str(match.seq) for match in found)
        rows = self._database.all(
            f"SELECT seq FROM events WHERE seq IN ({marks}) AND at < ?",  # numbers
            (moment,),
        )
        earlier: set[Value] = {row[0] for row in rows}
        return [match for match in found if match.seq in earlier]

    def _matches_of_rows(
        self, keys: "NDArray[np.int64]", scores: "NDArray[np.float32]"
    ) -> list[SearchMatch]:
        marks = ", ".join(str(int(key)) for key in keys)
        rows = self._database.all(f"SELECT id, seq FROM vectors WHERE id IN ({marks})")  # numbers
        seqs = {cast("int", row[0]): cast("int", row[1]) for row in rows}
        pairs = zip(keys.tolist(), scores.tolist(), strict=True)
        return [SearchMatch(seqs[key], score) for key, score in pairs if key in seqs]

    def _graph_file(self, shelf: VectorSet) -> "GraphFile":
        from ai_smartness.adapters.vector_search.hnsw import GraphFile  # heavy, rarely needed

        if shelf.graph_name not in self._opened:
            self._opened[shelf.graph_name] = GraphFile(
                cast("Path", self._graphs) / shelf.graph_name
            )
        return self._opened[shelf.graph_name]

    @staticmethod
    def _current_stamp(shelf: VectorSet, graph: "GraphFile") -> "GraphStamp | None":
        stamp = graph.usable_stamp()
        return stamp if stamp and stamp.generation == shelf.generation else None


def _typical_cosine(scored: "ScoredEvents") -> float | None:
    """Return the cosine that an event has for no particular reason."""
    import numpy as np  # heavy, and the lexical path has no need of it

    return float(np.median(scored.cosines)) if len(scored.cosines) else None


def _scored_matches(scored: "ScoredEvents") -> list[SearchMatch]:
    pairs = zip(scored.seqs.tolist(), scored.cosines.tolist(), strict=True)
    return [SearchMatch(seq, score) for seq, score in pairs]


def _best_matches(found: list[SearchMatch]) -> list[SearchMatch]:
    """Return each event once, at its best, best first."""
    best: dict[int, float] = {}
    for match in found:
        best[match.seq] = max(match.score, best.get(match.seq, match.score))
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return [SearchMatch(seq, score) for seq, score in ranked]
