"""The embeddings of an SQLite file, two bytes a number."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ai_smartness.adapters.sqlite.database import Database, ProjectIds
from ai_smartness.adapters.sqlite.nearest_vectors import NearestSearch
from ai_smartness.adapters.sqlite.rows import EVENT_COLUMNS, event_from_row
from ai_smartness.adapters.sqlite.vector_rows import ThreadCentres, VectorSet
from ai_smartness.model.event import Event
from ai_smartness.model.search import Chunk, NearestEvents, SearchScope
from ai_smartness.ports import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Centres: TypeAlias = dict[int, NDArray[np.float32]]

__all__ = ["SqliteVectorIndex"]

_WITHOUT_VECTOR = (
    "project_id = ? AND seq > ? AND text <> '' AND NOT EXISTS (SELECT 1 FROM vectors "
    "WHERE vectors.project_id = events.project_id AND space_id = ? AND vectors.seq = events.seq)"
)


class SqliteVectorIndex:
    """Fulfils the port `Vectors`."""

    def __init__(
        self, database: Database, projects: ProjectIds, graphs: Path | None, exact_limit: int
    ) -> None:
        self._database = database
        self._projects = projects
        self._nearest = NearestSearch(database, graphs, exact_limit)
        self._centres = ThreadCentres(database)

    def add(
        self, project: str, space: str, chunks: Sequence[Chunk], through: int | None = None
    ) -> None:
        with self._database.unit():
            number, of_space = self._projects.ensure_id(project), self._ensure_space(space)
            added = self._database.run_many(
                "INSERT OR IGNORE INTO vectors (project_id, space_id, seq, chunk, vector) "
                "VALUES (?, ?, ?, ?, ?)",
                (
                    (number, of_space, chunk.seq, chunk.number, _packed_vector(chunk.vector))
                    for chunk in chunks
                ),
            )
            self._database.run(
                'INSERT INTO embedded (project_id, space_id, through, "rows", generation) '
                "VALUES (?, ?, ?, ?, 0) ON CONFLICT DO UPDATE SET "
                'through = max(through, excluded.through), "rows" = "rows" + excluded."rows"',
                (number, of_space, 0, added),
            )
            # Moved on only if it is so: another process may have taken vectors away meanwhile.
            self._database.run(
                "UPDATE embedded SET through = max(through, ?1) WHERE project_id = ?2 "
                "AND space_id = ?3 AND NOT EXISTS (SELECT 1 FROM events e WHERE "
                "e.project_id = ?2 AND e.seq > embedded.through AND e.seq <= ?1 AND e.text <> '' "
                "AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.project_id = ?2 "
                "AND v.space_id = ?3 AND v.seq = e.seq))",
                (through or 0, number, of_space),
            )

    def clear(self, project: str, space: str | None = None) -> None:
        number = self._projects.find_id(project)
        with self._database.unit():
            for name in [space] if space else list(self.space_counts()):
                of_space = self._find_space(name)
                self._database.run(
                    "DELETE FROM vectors WHERE project_id = ? AND space_id = ?", (number, of_space)
                )
                self._database.run(
                    'UPDATE embedded SET through = 0, "rows" = 0, generation = generation + 1 '
                    "WHERE project_id = ? AND space_id = ?",
                    (number, of_space),
                )

    def events_without_vectors(self, project: str, space: str, limit: int) -> list[Event]:
        rows = self._database.all(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE {_WITHOUT_VECTOR} ORDER BY seq LIMIT ?",  # our own columns
            (*self._missing_values(project, space), limit),
        )
        return [event_from_row(row, project) for row in rows]

    def count_missing(self, project: str, space: str) -> int:
        return self._database.first_number(
            f"SELECT count(*) FROM events WHERE {_WITHOUT_VECTOR}",  # our own condition
            self._missing_values(project, space),
        )

    def event_centres(self, project: str, space: str, seqs: Sequence[int]) -> "Centres":
        shelf = self._vector_set(project, space)
        return {} if shelf is None else self._nearest.event_centres(shelf, seqs)

    def thread_centres(
        self, project: str, space: str, thread_ids: Sequence[str]
    ) -> "dict[str, NDArray[np.float32]]":
        """Return for each thread with vectors the centre of its messages, of unit length."""
        shelf = self._vector_set(project, space)
        return {} if shelf is None else self._centres.centres_of(shelf, thread_ids)

    def space_counts(self) -> dict[str, int]:
        rows = self._database.all(
            'SELECT s.name, coalesce(sum(e."rows"), 0) FROM spaces s '
            "LEFT JOIN embedded e ON e.space_id = s.id GROUP BY s.id ORDER BY s.name"
        )
        return {str(name): int(count or 0) for name, count in rows}

    def refresh_index(self, project: str, space: str, progress: Progress) -> None:
        """Bring the graph beside the file up to date, where there is need of one."""
        shelf = self._vector_set(project, space)
        if shelf is not None:
            self._nearest.refresh_graph(shelf, progress)

    def drop_outdated_graphs(self) -> None:
        """Take away the graphs beside the file that hold vectors which are gone."""
        rows = self._database.all('SELECT project_id, space_id, "rows", generation FROM embedded')
        numbers = ([int(value or 0) for value in row] for row in rows)
        self._nearest.drop_outdated_graphs(
            [VectorSet(project=p, space=s, rows=r, generation=g) for p, s, r, g in numbers]
        )

    def nearest(
        self,
        scope: SearchScope,
        space: str,
        query: "NDArray[np.float32]",
        limit: int,
        also: Sequence[int] = (),
    ) -> NearestEvents:
        shelves = (self._vector_set(project, space) for project in scope.projects)
        found = [
            self._nearest.find_nearest(shelf, scope, query, limit, also)
            for shelf in shelves
            if shelf is not None
        ]
        matches = sorted(
            (match for each in found for match in each.matches),
            key=lambda match: (-match.score, match.seq),
        )
        # The project's own comes first; what the user's own project holds is a few lines.
        typical = next((each.typical for each in found if each.typical is not None), None)
        kept = set(also).union(match.seq for match in matches[:limit])
        return NearestEvents([match for match in matches if match.seq in kept], typical)

    def _vector_set(self, project: str, space: str) -> VectorSet | None:
        number, of_space = self._projects.find_id(project), self._find_space(space)
        row = self._database.first_row(
            'SELECT "rows", generation FROM embedded WHERE project_id = ? AND space_id = ?',
            (number, of_space),
        )
        if number is None or of_space is None or row is None:
            return None
        rows, generation = (int(value or 0) for value in row)
        return VectorSet(project=number, space=of_space, rows=rows, generation=generation)

    def _missing_values(self, project: str, space: str) -> tuple[int | None, int, int | None]:
        """Return the values of `_WITHOUT`: what comes after the mark and has no vector."""
        number, of_space = self._projects.find_id(project), self._find_space(space)
        through = self._database.first_number(
            "SELECT through FROM embedded WHERE project_id = ? AND space_id = ?", (number, of_space)
        )
        return number, through, of_space

    def _find_space(self, name: str) -> int | None:
        return self._database.first_number("SELECT id FROM spaces WHERE name = ?", (name,)) or None

    def _ensure_space(self, space: str) -> int:
        return self._find_space(space) or self._database.run(
            "INSERT INTO spaces (name) VALUES (?)", (space,)
        )


def _packed_vector(vector: "NDArray[np.float32]") -> bytes:
    return vector.astype("<f2").tobytes()
