"""The embeddings of an SQLite file, two bytes a number."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ai_smartness.adapters.storage.sqlite.centres import ThreadCentres
from ai_smartness.adapters.storage.sqlite.database import Database
from ai_smartness.adapters.storage.sqlite.nearest import Nearest
from ai_smartness.adapters.storage.sqlite.projects import Projects
from ai_smartness.adapters.storage.sqlite.rows import EVENT_COLUMNS, event_of
from ai_smartness.adapters.storage.sqlite.shelf import Shelf
from ai_smartness.model.event import Event
from ai_smartness.model.found import Chunk, Nearby, Scope
from ai_smartness.ports import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Centres: TypeAlias = dict[int, NDArray[np.float32]]

__all__ = ["SqliteVectors"]

_WITHOUT = (
    "project_id = ? AND seq > ? AND text <> '' AND NOT EXISTS (SELECT 1 FROM vectors "
    "WHERE vectors.project_id = events.project_id AND space_id = ? AND vectors.seq = events.seq)"
)


class SqliteVectors:
    """Fulfils the port `Vectors`."""

    def __init__(
        self, database: Database, projects: Projects, graphs: Path | None, exact_limit: int
    ) -> None:
        self._database = database
        self._projects = projects
        self._nearest = Nearest(database, graphs, exact_limit)
        self._centres = ThreadCentres(database)

    def add(
        self, project: str, space: str, chunks: Sequence[Chunk], through: int | None = None
    ) -> None:
        """Keep vectors; every event of the project up to the number `through` now has its own."""
        with self._database.unit():
            number, of_space = self._projects.made(project), self._made(space)
            added = self._database.many(
                "INSERT OR IGNORE INTO vectors (project_id, space_id, seq, chunk, vector) "
                "VALUES (?, ?, ?, ?, ?)",
                (
                    (number, of_space, chunk.seq, chunk.number, _packed(chunk.vector))
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
        """Forget the project's vectors, of one space or of all."""
        number = self._projects.number(project)
        with self._database.unit():
            for name in [space] if space else list(self.spaces()):
                of_space = self._space(name)
                self._database.run(
                    "DELETE FROM vectors WHERE project_id = ? AND space_id = ?", (number, of_space)
                )
                self._database.run(
                    'UPDATE embedded SET through = 0, "rows" = 0, generation = generation + 1 '
                    "WHERE project_id = ? AND space_id = ?",
                    (number, of_space),
                )

    def missing(self, project: str, space: str, limit: int) -> list[Event]:
        """Return events with words that have no vector in this space yet, oldest first."""
        rows = self._database.all(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE {_WITHOUT} ORDER BY seq LIMIT ?",  # noqa: S608 # our own columns
            (*self._after(project, space), limit),
        )
        return [event_of(row, project) for row in rows]

    def pending(self, project: str, space: str) -> int:
        """Count the events with words that have no vector in this space yet."""
        return self._database.number(
            f"SELECT count(*) FROM events WHERE {_WITHOUT}",  # noqa: S608 # our own condition
            self._after(project, space),
        )

    def of_events(self, project: str, space: str, seqs: Sequence[int]) -> "Centres":
        """Return for each event that has vectors their centre, of unit length."""
        shelf = self._shelf(project, space)
        return {} if shelf is None else self._nearest.centres(shelf, seqs)

    def of_threads(
        self, project: str, space: str, thread_ids: Sequence[str]
    ) -> "dict[str, NDArray[np.float32]]":
        """Return for each thread with vectors the centre of its messages, of unit length."""
        shelf = self._shelf(project, space)
        return {} if shelf is None else self._centres.of(shelf, thread_ids)

    def spaces(self) -> dict[str, int]:
        """Name each space with how many vectors are in it."""
        rows = self._database.all(
            'SELECT s.name, coalesce(sum(e."rows"), 0) FROM spaces s '
            "LEFT JOIN embedded e ON e.space_id = s.id GROUP BY s.id ORDER BY s.name"
        )
        return {str(name): int(count or 0) for name, count in rows}

    def settle(self, project: str, space: str, progress: Progress) -> None:
        """Bring the graph beside the file up to date, where there is need of one."""
        shelf = self._shelf(project, space)
        if shelf is not None:
            self._nearest.settle(shelf, progress)

    def drop_outdated(self) -> None:
        """Take away the graphs beside the file that hold vectors which are gone."""
        rows = self._database.all('SELECT project_id, space_id, "rows", generation FROM embedded')
        numbers = ([int(value or 0) for value in row] for row in rows)
        self._nearest.drop_outdated(
            [Shelf(project=p, space=s, rows=r, generation=g) for p, s, r, g in numbers]
        )

    def nearest(
        self,
        scope: Scope,
        space: str,
        query: "NDArray[np.float32]",
        limit: int,
        also: Sequence[int] = (),
    ) -> Nearby:
        """Return the events nearest to the query, best first by cosine; an event counts once."""
        shelves = (self._shelf(project, space) for project in scope.projects)
        found = [
            self._nearest.found(shelf, scope, query, limit, also)
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
        return Nearby([match for match in matches if match.seq in kept], typical)

    def _shelf(self, project: str, space: str) -> Shelf | None:
        number, of_space = self._projects.number(project), self._space(space)
        row = self._database.one(
            'SELECT "rows", generation FROM embedded WHERE project_id = ? AND space_id = ?',
            (number, of_space),
        )
        if number is None or of_space is None or row is None:
            return None
        rows, generation = (int(value or 0) for value in row)
        return Shelf(project=number, space=of_space, rows=rows, generation=generation)

    def _after(self, project: str, space: str) -> tuple[int | None, int, int | None]:
        """Return the values of `_WITHOUT`: what comes after the mark and has no vector."""
        number, of_space = self._projects.number(project), self._space(space)
        through = self._database.number(
            "SELECT through FROM embedded WHERE project_id = ? AND space_id = ?",
            (number, of_space),
        )
        return number, through, of_space

    def _space(self, name: str) -> int | None:
        return self._database.number("SELECT id FROM spaces WHERE name = ?", (name,)) or None

    def _made(self, space: str) -> int:
        return self._space(space) or self._database.run(
            "INSERT INTO spaces (name) VALUES (?)", (space,)
        )


def _packed(vector: "NDArray[np.float32]") -> bytes:
    return vector.astype("<f2").tobytes()
