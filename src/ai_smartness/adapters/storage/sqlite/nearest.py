"""The nearest vectors of one project in one space.

Up to `exact_limit` rows are held in memory and looked at one by one. Above
that a graph beside the file answers, and only the rows it does not know yet
are looked at one by one. Without a usable graph the table itself is read
through, block by block: slower, never wrong.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ai_smartness.adapters.storage.sqlite.database import Database, Value
from ai_smartness.adapters.storage.sqlite.rows import microseconds
from ai_smartness.adapters.storage.sqlite.shelf import Shelf, VectorRows
from ai_smartness.model.found import Match, Nearby, Scope
from ai_smartness.ports import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai_smartness.adapters.vectors.exact import Scored
    from ai_smartness.adapters.vectors.hnsw import Batch, GraphFile, Stamp

__all__ = ["Nearest"]

# A graph is written whole, so it is extended only when it lacks a tenth of the rows.
_TAIL_SHARE = 0.1
_TAIL_ROWS = 20_000
_WIDER = 4


class Nearest:
    """Finds the nearest events, by whichever way the size asks for."""

    def __init__(self, database: Database, graphs: Path | None, exact_limit: int) -> None:
        self._database = database
        self._graphs = graphs
        self._exact_limit = exact_limit
        self._rows = VectorRows(database)
        self._opened: dict[str, GraphFile] = {}

    def found(
        self,
        shelf: Shelf,
        scope: Scope,
        query: "NDArray[np.float32]",
        limit: int,
        also: Sequence[int],
    ) -> Nearby:
        """Return the nearest events that the scope allows, and those asked for by number."""
        if scope.session is not None:
            return self._exactly(self._rows.of_session(shelf, scope).scored(query), limit, also)
        if shelf.rows <= self._exact_limit:
            scored = self._rows.held(shelf, 0).scored(query)
            return self._exactly(self._earlier(shelf, scored, scope), limit, also)
        best = self._among_many(shelf, scope, query, limit)
        wanted = self._rows.of_events(shelf, also).scored(query)
        typical = _typical(self._rows.sample(shelf).scored(query))
        return Nearby(_joined([*best, *_matches(wanted)]), typical)

    def centres(self, shelf: Shelf, seqs: Sequence[int]) -> "dict[int, NDArray[np.float32]]":
        """Return for each event that has vectors their centre, of unit length."""
        return self._rows.of_events(shelf, seqs).centres()

    def settle(self, shelf: Shelf, progress: Progress) -> None:
        """Build or extend the graph if the rows outside it are too many; drop one not needed."""
        if self._graphs is None:
            return
        if shelf.rows <= self._exact_limit:
            if (self._graphs / shelf.name).exists():
                self._graph(shelf).remove()
            return
        graph = self._graph(shelf)
        stamp = self._stamp(shelf, graph)
        lacking = shelf.rows - (stamp.rows if stamp else 0)
        if stamp is None or lacking > max(_TAIL_ROWS, _TAIL_SHARE * shelf.rows):
            after = stamp.last_row if stamp else 0
            graph.build(shelf.generation, self._told(shelf, after, lacking, progress), stamp)

    def drop_outdated(self, shelves: Sequence[Shelf]) -> None:
        """Take away the files of all graphs but those that were built from what there is."""
        current = {
            Path(shelf.name).stem
            for shelf in shelves
            if self._graphs and self._stamp(shelf, self._graph(shelf))
        }
        for path in self._graphs.glob("project-*") if self._graphs else ():
            if path.stem not in current:
                path.unlink(missing_ok=True)

    def _told(self, shelf: Shelf, after: int, total: int, progress: Progress) -> "Iterator[Batch]":
        done = 0
        for keys, _, rows in self._rows.blocks(shelf, after):
            yield keys, rows
            done += len(keys)
            progress(done, total)

    @staticmethod
    def _exactly(scored: "Scored", limit: int, also: Sequence[int]) -> Nearby:
        import numpy as np  # noqa: PLC0415 # heavy, and the lexical path has no need of it

        asked = scored.only(np.isin(scored.seqs, np.array(also, np.int64)))
        best = _matches(scored.best(limit))
        return Nearby(_joined([*best, *_matches(asked)]), _typical(scored))

    def _earlier(self, shelf: Shelf, scored: "Scored", scope: Scope) -> "Scored":
        import numpy as np  # noqa: PLC0415 # heavy, and the lexical path has no need of it

        if scope.before is None:
            return scored
        rows = self._database.all(
            "SELECT seq FROM events WHERE project_id = ? AND at < ?",
            (shelf.project, microseconds(scope.before)),
        )
        return scored.only(np.isin(scored.seqs, np.array([row[0] for row in rows], np.int64)))

    def _among_many(
        self, shelf: Shelf, scope: Scope, query: "NDArray[np.float32]", limit: int
    ) -> list[Match]:
        """Ask for more and more until enough of them are early enough."""
        wide = limit
        while True:
            found = self._by_graph(shelf, query, wide)
            if scope.before is not None:
                found = self._before(found, microseconds(scope.before))
            if scope.before is None or len(found) >= limit or wide >= shelf.rows:
                return found[:limit]
            wide *= _WIDER

    def _by_graph(self, shelf: Shelf, query: "NDArray[np.float32]", limit: int) -> list[Match]:
        graph = self._graph(shelf) if self._graphs else None
        stamp = self._stamp(shelf, graph) if graph else None
        # Several rows may belong to one event, so more rows are asked for than events.
        known = graph.nearest(query, 2 * limit, stamp) if graph and stamp else None
        if known is None or stamp is None:
            return self._by_blocks(shelf, query, limit)
        tail = self._rows.held(shelf, stamp.last_row).scored(query).best(limit)
        return _joined([*self._events_of(*known), *_matches(tail)])[:limit]

    def _by_blocks(self, shelf: Shelf, query: "NDArray[np.float32]", limit: int) -> list[Match]:
        found: list[Match] = []
        for block in self._rows.read_through(shelf):
            found = _joined([*found, *_matches(block.scored(query).best(limit))])[:limit]
        return found

    def _before(self, found: list[Match], moment: int) -> list[Match]:
        marks = ", ".join(str(match.seq) for match in found)
        rows = self._database.all(
            f"SELECT seq FROM events WHERE seq IN ({marks}) AND at < ?",  # noqa: S608 # numbers
            (moment,),
        )
        earlier: set[Value] = {row[0] for row in rows}
        return [match for match in found if match.seq in earlier]

    def _events_of(self, keys: "NDArray[np.int64]", scores: "NDArray[np.float32]") -> list[Match]:
        marks = ", ".join(str(int(key)) for key in keys)
        rows = self._database.all(f"SELECT id, seq FROM vectors WHERE id IN ({marks})")  # noqa: S608 # numbers
        seqs = {cast("int", row[0]): cast("int", row[1]) for row in rows}
        pairs = zip(keys.tolist(), scores.tolist(), strict=True)
        return [Match(seqs[key], score) for key, score in pairs if key in seqs]

    def _graph(self, shelf: Shelf) -> "GraphFile":
        from ai_smartness.adapters.vectors.hnsw import GraphFile  # noqa: PLC0415 # heavy, rarely needed

        if shelf.name not in self._opened:
            self._opened[shelf.name] = GraphFile(cast("Path", self._graphs) / shelf.name)
        return self._opened[shelf.name]

    @staticmethod
    def _stamp(shelf: Shelf, graph: "GraphFile") -> "Stamp | None":
        stamp = graph.stamp()
        return stamp if stamp and stamp.generation == shelf.generation else None


def _typical(scored: "Scored") -> float | None:
    """Return the cosine that an event has for no particular reason."""
    import numpy as np  # noqa: PLC0415 # heavy, and the lexical path has no need of it

    return float(np.median(scored.cosines)) if len(scored.cosines) else None


def _matches(scored: "Scored") -> list[Match]:
    pairs = zip(scored.seqs.tolist(), scored.cosines.tolist(), strict=True)
    return [Match(seq, score) for seq, score in pairs]


def _joined(found: list[Match]) -> list[Match]:
    """Return each event once, at its best, best first."""
    best: dict[int, float] = {}
    for match in found:
        best[match.seq] = max(match.score, best.get(match.seq, match.score))
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return [Match(seq, score) for seq, score in ranked]
