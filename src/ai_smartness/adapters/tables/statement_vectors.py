"""The tables of vectors of statements, and of the lines that an answer may quote."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ai_smartness.adapters.tables.sql_database import ProjectIds, ProjectTables, SqlDatabase
from ai_smartness.model.statement import MOST_COMPARED_EVENTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai_smartness.adapters.tables.statement_search import ComparedStatements, StatementSearch

__all__ = ["StatementVectorTables"]

_BYTE_RANGE = 127
_TINY = 1e-9  # keeps a vector of no length from dividing by nothing


class StatementVectorTables(ProjectTables):
    """Fulfils the part of the port `Statements` that is about vectors."""

    def __init__(self, database: SqlDatabase, projects: ProjectIds, folder: Path | None) -> None:
        super().__init__(database, projects)
        self._folder = folder

    @cached_property
    def _search(self) -> "StatementSearch":
        # Imported on first use: it loads numpy, and a search by words does without.
        from ai_smartness.adapters.tables.statement_search import StatementSearch

        return StatementSearch(self._database, self._folder)

    def vectors(
        self, project: str, space: str, ids: Sequence[str] | None = None
    ) -> "tuple[list[str], NDArray[np.float32]]":
        import numpy as np

        query = (
            "SELECT s.id, v.vector FROM statements s JOIN statement_vectors v "
            "ON v.statement = s.number AND v.space_id = (SELECT id FROM spaces WHERE name = ?) "
            "WHERE s.project_id = ? "
        )
        values = (space, self._projects.find_id(project))
        if ids is None:
            stored_rows = self._database.all(query + "ORDER BY s.number", values)
        else:
            stored_rows = self._database.all_in(query + "AND s.id IN ({})", ids, values)
        packed: dict[str, bytes] = dict(stored_rows)
        present = [id_ for id_ in (packed if ids is None else ids) if id_ in packed]
        if not present:
            return [], np.empty((0, 0), np.float32)
        joined = b"".join(packed[id_] for id_ in present)
        rows = np.frombuffer(joined, "<f2").reshape(len(present), -1)
        return present, rows.astype(np.float32)

    def cosines(
        self, project: str, space: str, queries: "NDArray[np.float32]"
    ) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
        return self._search.all_cosines(self._projects.find_id(project) or 0, space, queries)

    def numbers(self, project: str, ids: Iterable[str]) -> dict[str, int]:
        rows = self._database.all_in(
            "SELECT id, number FROM statements WHERE project_id = ? AND id IN ({})",
            dict.fromkeys(ids),
            (self._projects.find_id(project),),
        )
        return dict(rows)

    def ids(self, numbers: Iterable[int]) -> dict[int, str]:
        rows = self._database.all_in(
            "SELECT number, id FROM statements WHERE number IN ({})", dict.fromkeys(numbers)
        )
        return dict(rows)

    def _compared_statements(
        self, project: str, space: str, queries: "NDArray[np.float32]"
    ) -> "ComparedStatements | None":
        """Compare all statements; None in a project with too many events for that."""
        return self._search.compared(
            self._projects.find_id(project) or 0, space, queries, MOST_COMPARED_EVENTS
        )

    def _is_compared(self, project: str) -> bool:
        """Say whether a project has few enough events that all statements are compared."""
        events = self._database.first_number(
            "SELECT events FROM projects WHERE name = ?", (project,)
        )
        return events <= MOST_COMPARED_EVENTS

    def refresh_vectors(self, project: str, space: str) -> None:
        project_id = self._projects.find_id(project) or 0
        if self._is_compared(project):
            self._search.refresh_file(project_id, space)
        else:
            self._search.remove_file(project_id, space)

    def load_vectors(self, project: str, space: str) -> None:
        project_id = self._projects.find_id(project) or 0
        self._search.load_rows(project_id, space, MOST_COMPARED_EVENTS)

    def drop_vector_files(self) -> None:
        """Delete the files beside the database that may hold deleted vectors."""
        self._search.drop_files()

    def save_vectors(
        self, project: str, space: str, ids: Sequence[str], rows: "NDArray[np.float32]"
    ) -> None:
        with self._database.unit():
            project_id = self._projects.find_id(project)
            self._database.run(
                "INSERT INTO spaces (name) VALUES (?) ON CONFLICT DO NOTHING", (space,)
            )
            self._database.run_many(
                "INSERT INTO statement_vectors (statement, space_id, vector) "
                "SELECT s.number, p.id, ? FROM statements s, spaces p "
                "WHERE s.project_id = ? AND s.id = ? AND p.name = ? "
                "ON CONFLICT (statement, space_id) DO UPDATE SET vector = excluded.vector",
                (
                    (row.astype("<f2").tobytes(), project_id, id_, space)
                    for id_, row in zip(ids, rows, strict=True)
                ),
            )
            # What other processes have read of the vectors is no longer all of them.
            self._database.run(
                "UPDATE projects SET statement_revision = statement_revision + 1 WHERE id = ?",
                (project_id,),
            )

    def line_vectors(
        self, space: str, seqs: Iterable[int], except_roles: Sequence[str] = ()
    ) -> "dict[int, NDArray[np.float32]]":
        roles = ", ".join("?" * len(except_roles))
        condition = (
            f"(SELECT role FROM events e WHERE e.seq = l.seq) NOT IN ({roles})" if roles else "TRUE"
        )
        rows = self._database.all_in(
            "SELECT l.seq, l.vectors FROM line_vectors l "
            f"WHERE l.space_id = (SELECT id FROM spaces WHERE name = ?) AND {condition} "
            "AND l.seq IN ({})",
            dict.fromkeys(seqs),
            (space, *except_roles),
        )
        return _unpacked_directions(dict(rows))

    def save_line_vectors(
        self, space: str, by_seq: "Mapping[int, Sequence[NDArray[np.float32]]]"
    ) -> None:
        if not by_seq:
            return
        with self._database.unit():
            self._database.run(
                "INSERT INTO spaces (name) VALUES (?) ON CONFLICT DO NOTHING", (space,)
            )
            self._database.run_many(
                "INSERT INTO line_vectors (seq, space_id, vectors) "
                "VALUES (?, (SELECT id FROM spaces WHERE name = ?), ?) "
                "ON CONFLICT (seq, space_id) DO UPDATE SET vectors = excluded.vectors",
                ((seq, space, _packed_directions(rows)) for seq, rows in by_seq.items()),
            )


def _packed_directions(vectors: "Sequence[NDArray[np.float32]]") -> bytes:
    """Return vectors in a byte a number: each stretched so that its largest fills the byte."""
    import numpy as np

    rows = np.stack(vectors)
    largest = np.maximum(np.abs(rows).max(axis=1, keepdims=True), _TINY)
    numbers: bytes = np.rint(rows / largest * _BYTE_RANGE).astype("i1").tobytes()
    return bytes([len(rows)]) + numbers


def _unpacked_directions(packed: Mapping[int, bytes]) -> "dict[int, NDArray[np.float32]]":
    """Return the vectors of each message, all unpacked at once."""
    if not packed:
        return {}
    import numpy as np

    counts = [numbers[0] for numbers in packed.values()]
    joined = b"".join(numbers[1:] for numbers in packed.values())
    rows = np.frombuffer(joined, "i1").reshape(sum(counts), -1).astype(np.float32)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _TINY)
    ends = np.cumsum(counts).tolist()
    spans = zip(packed, counts, ends, strict=True)
    return {seq: rows[end - count : end] for seq, count, end in spans}
