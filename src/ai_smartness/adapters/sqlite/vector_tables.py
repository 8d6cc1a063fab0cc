"""The tables of embeddings: two bytes a number, one vector space for each model."""

import logging
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ai_smartness.adapters.sqlite.database import Database
from ai_smartness.adapters.tables.rows import EVENT_ROWS, VectorSet
from ai_smartness.adapters.tables.sql_database import ProjectIds
from ai_smartness.model.errors import StoreError
from ai_smartness.model.event import Event
from ai_smartness.model.search import Chunk, NearestEvents, SearchScope
from ai_smartness.ports import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai_smartness.adapters.sqlite.nearest_vectors import NearestSearch

__all__ = ["SqliteVectorIndex"]

_LOG = logging.getLogger(__name__)

_COMPUTED_THREADS = 200  # in one transaction: a fraction of a second, in which others cannot write

_WITHOUT_VECTOR = (
    "project_id = ? AND seq > ? AND text <> '' AND NOT EXISTS (SELECT 1 FROM vectors "
    "WHERE vectors.project_id = events.project_id AND space_id = ? AND vectors.seq = events.seq)"
)


class SqliteVectorIndex:
    """Fulfils the port `VectorIndex`."""

    def __init__(
        self, database: Database, projects: ProjectIds, graphs: Path | None, exact_limit: int
    ) -> None:
        self._database = database
        self._projects = projects
        self._graphs = graphs
        self._exact_limit = exact_limit
        self._centres = ThreadCentres(database)

    @cached_property
    def _nearest(self) -> "NearestSearch":
        # Imported on first use: it loads numpy, and a search by words does without.
        from ai_smartness.adapters.sqlite.nearest_vectors import NearestSearch

        return NearestSearch(self._database, self._graphs, self._exact_limit)

    def add(
        self, project: str, space: str, chunks: Sequence[Chunk], through: int | None = None
    ) -> None:
        with self._database.unit():
            project_id, space_id = self._projects.ensure_id(project), self._ensure_space(space)
            added = self._database.changed_rows(
                "INSERT OR IGNORE INTO vectors (project_id, space_id, seq, chunk, vector) "
                "VALUES (?, ?, ?, ?, ?)",
                (
                    (
                        project_id,
                        space_id,
                        chunk.seq,
                        chunk.number,
                        chunk.vector.astype("<f2").tobytes(),
                    )
                    for chunk in chunks
                ),
            )
            self._database.run(
                'INSERT INTO embedded (project_id, space_id, through, "rows", generation) '
                "VALUES (?, ?, 0, ?, 0) "
                'ON CONFLICT DO UPDATE SET "rows" = "rows" + excluded."rows"',
                (project_id, space_id, added),
            )
            # Only if it is true: another process may have deleted vectors meanwhile.
            self._database.run(
                "UPDATE embedded SET through = max(through, ?1) WHERE project_id = ?2 "
                "AND space_id = ?3 AND NOT EXISTS (SELECT 1 FROM events e WHERE "
                "e.project_id = ?2 AND e.seq > embedded.through AND e.seq <= ?1 AND e.text <> '' "
                "AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.project_id = ?2 "
                "AND v.space_id = ?3 AND v.seq = e.seq))",
                (through or 0, project_id, space_id),
            )

    def replace(self, project: str, space: str, chunks: Sequence[Chunk]) -> None:
        with self._database.unit():
            keys = self._projects.ensure_id(project), self._ensure_space(space)
            removed = self._database.changed_rows(
                "DELETE FROM vectors WHERE project_id = ? AND space_id = ? AND seq = ?",
                ((*keys, seq) for seq in sorted({chunk.seq for chunk in chunks})),
            )
            self._database.run(
                'UPDATE embedded SET "rows" = "rows" - ?, generation = generation + 1 '
                "WHERE project_id = ? AND space_id = ?",
                (removed, *keys),
            )
            self.add(project, space, chunks)

    def clear(self, project: str, space: str | None = None) -> None:
        project_id = self._projects.find_id(project)
        with self._database.unit():
            for name in [space] if space else list(self.space_counts()):
                space_id = self._find_space(name)
                self._database.run(
                    "DELETE FROM vectors WHERE project_id = ? AND space_id = ?",
                    (project_id, space_id),
                )
                self._database.run(
                    'UPDATE embedded SET through = 0, "rows" = 0, generation = generation + 1 '
                    "WHERE project_id = ? AND space_id = ?",
                    (project_id, space_id),
                )

    def lease_events(self, project: str, space: str, limit: int) -> list[Event]:
        rows = self._database.all(
            f"SELECT {EVENT_ROWS.columns} FROM events WHERE {_WITHOUT_VECTOR} ORDER BY seq LIMIT ?",
            (*self._missing_values(project, space), limit),
        )
        return [EVENT_ROWS.value(row, project=project) for row in rows]

    def count_missing(self, project: str, space: str) -> int:
        return self._database.first_number(
            f"SELECT count(*) FROM events WHERE {_WITHOUT_VECTOR}",
            self._missing_values(project, space),
        )

    def event_centres(
        self, project: str, space: str, seqs: Sequence[int]
    ) -> "dict[int, NDArray[np.float32]]":
        vectors = self._vector_set(project, space)
        return {} if vectors is None else self._nearest.event_centres(vectors, seqs)

    def thread_centres(
        self, project: str, space: str, thread_ids: Sequence[str]
    ) -> "dict[str, NDArray[np.float32]]":
        vectors = self._vector_set(project, space)
        return {} if vectors is None else self._centres.centres_of(vectors, thread_ids)

    def space_counts(self) -> dict[str, int]:
        rows = self._database.all(
            'SELECT s.name, coalesce(sum(e."rows"), 0) FROM spaces s '
            "LEFT JOIN embedded e ON e.space_id = s.id GROUP BY s.id ORDER BY s.name"
        )
        return dict(rows)

    def refresh_index(self, project: str, space: str, progress: Progress) -> None:
        """Update the graph beside the file, if one is needed."""
        vectors = self._vector_set(project, space)
        if vectors is not None:
            self._nearest.refresh_graph(vectors, progress)

    def drop_outdated_graphs(self) -> None:
        """Delete the graphs beside the file that hold deleted vectors."""
        rows = self._database.all('SELECT project_id, space_id, "rows", generation FROM embedded')
        self._nearest.drop_outdated_graphs([VectorSet(*row) for row in rows])

    def nearest(
        self,
        scope: SearchScope,
        space: str,
        query: "NDArray[np.float32]",
        limit: int,
        also: Sequence[int] = (),
    ) -> NearestEvents:
        vector_sets = (self._vector_set(project, space) for project in scope.projects)
        results = [
            self._nearest.find_nearest(vectors, scope, query, limit, also)
            for vectors in vector_sets
            if vectors is not None
        ]
        matches = sorted(
            (match for result in results for match in result.matches),
            key=lambda match: (-match.score, match.seq),
        )
        # That of the project itself comes first; the user's own project has only a few lines.
        typicals = (result.typical for result in results)
        typical = next((cosine for cosine in typicals if cosine is not None), None)
        wanted = set(also).union(match.seq for match in matches[:limit])
        return NearestEvents([match for match in matches if match.seq in wanted], typical)

    def _vector_set(self, project: str, space: str) -> VectorSet | None:
        project_id, space_id = self._projects.find_id(project), self._find_space(space)
        row = self._database.first_row(
            'SELECT "rows", generation FROM embedded WHERE project_id = ? AND space_id = ?',
            (project_id, space_id),
        )
        if project_id is None or space_id is None or row is None:
            return None
        return VectorSet(project_id, space_id, *row)

    def _missing_values(self, project: str, space: str) -> tuple[int | None, int, int | None]:
        """Return the values for `_WITHOUT_VECTOR`."""
        project_id, space_id = self._projects.find_id(project), self._find_space(space)
        through = self._database.first_number(
            "SELECT through FROM embedded WHERE project_id = ? AND space_id = ?",
            (project_id, space_id),
        )
        return project_id, through, space_id

    def _find_space(self, name: str) -> int | None:
        return self._database.first_number("SELECT id FROM spaces WHERE name = ?", (name,)) or None

    def _ensure_space(self, name: str) -> int:
        return self._find_space(name) or self._database.insert(
            "INSERT INTO spaces (name) VALUES (?)", (name,), "id"
        )


class ThreadCentres:
    """Reads the centres of threads, and computes missing ones.

    A centre is the mean of a thread's messages. Triggers (of layout 4) delete it when
    one of their vectors changes.
    """

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
        packed: dict[str, bytes | None] = dict(rows)
        missing = [id_ for id_ in thread_ids if id_ not in packed]
        for start in range(0, len(missing), _COMPUTED_THREADS):
            packed.update(
                self._compute_and_store(vectors, missing[start : start + _COMPUTED_THREADS])
            )
        from ai_smartness.adapters.vector_search.exact_search import unpacked_vector

        return {id_: unpacked_vector(vector) for id_, vector in packed.items() if vector}

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
        from ai_smartness.adapters.vector_search.exact_search import thread_means

        none: dict[str, bytes | None] = dict.fromkeys(ids)
        return none | thread_means(rows)
