"""Compare all statements of a project with questions, by their vectors.

The vectors are read from a file beside the database, which every process maps; those that it
lacks are read from the table and kept in memory. The coarse rows of the file are compared first. A
statement's number is never used again, so what was deleted is known by the numbers that are gone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.adapters.tables.sql_database import SqlDatabase
from ai_smartness.adapters.vector_search.exact_search import (
    ROUGH_ERROR,
    bar_of_best,
    rough_products,
    seq_places,
    stored_rows,
)
from ai_smartness.adapters.vector_search.mapped_rows import MappedRows, RowFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ComparedStatements", "StatementSearch"]

_MIN_FILE_ROWS = 2_000  # of fewer the table is read as quickly; the file may lack as many
_MAX_TAIL_SHARE = 0.1  # of all rows, which the file may lack
_MIN_COARSE_ROWS = 20_000  # of fewer, all are compared as they are stored


@dataclass(frozen=True, slots=True)
class _StatementSpace:
    """The statements of one project in one vector space.

    `generation` grows with deletions, `revision` with every change of a statement or its vector.
    """

    project_id: int
    space_id: int
    generation: int
    revision: int
    events: int

    @property
    def file_name(self) -> str:
        return f"statements-{self.project_id}-space-{self.space_id}.rows"


@dataclass(slots=True)
class _ReadRows:
    """The rows after one that were read from the table, and the revision that they show."""

    generation: int
    after: int
    revision: int = -1
    numbers: "NDArray[np.int64]" = field(default_factory=lambda: np.empty(0, np.int64))
    rows: "NDArray[np.float16]" = field(default_factory=lambda: np.empty((0, 0), np.float16))

    def shows(self, found: _StatementSpace, mapped: MappedRows | None) -> bool:
        """Say whether these rows are all that a file lacks, as of now."""
        after = mapped.last_row if mapped else 0
        state = (found.generation, after, found.revision)
        return (self.generation, self.after, self.revision) == state

    def add(self, numbers: "NDArray[np.int64]", rows: "NDArray[np.float16]") -> None:
        self.rows = np.concatenate([self.rows, rows]) if len(self.numbers) else rows
        self.numbers = np.concatenate([self.numbers, numbers])


@dataclass(frozen=True, slots=True)
class ComparedStatements:
    """The numbers of statements in their order, and a column of cosines for each query.

    With `coarse`, the cosines of the first rows are off by as much as `errors` says.
    """

    numbers: "NDArray[np.int64]"
    cosines: "NDArray[np.float32]"
    queries: "NDArray[np.float32]"
    coarse: MappedRows | None = None
    errors: "NDArray[np.float32] | None" = None

    def with_exact_best(self, own: Sequence[int], limit: int) -> "NDArray[np.float32]":
        """Return the cosines, those of `own` and of the best others as if nothing was coarse."""
        if self.coarse is None or self.errors is None:
            return self.cosines
        count, most = len(self.coarse.keys), limit + len(own)
        is_exact = np.zeros(count, np.bool_)
        for column, error in zip(self.cosines.T, self.errors, strict=True):
            is_exact |= column[:count] >= bar_of_best(column, most) - 2 * (error + ROUGH_ERROR)
        is_exact[seq_places(self.coarse.keys, own)] = True
        cosines = self.cosines.copy()
        places = np.flatnonzero(is_exact)
        cosines[places] = rough_products(self.coarse.rows[places], self.queries)
        return cosines


class StatementSearch:
    """Compares the vectors of statements, by their numbers."""

    def __init__(self, database: SqlDatabase, folder: Path | None) -> None:
        self._database = database
        self._folder = folder
        self._files: dict[str, RowFile] = {}
        self._read: dict[str, _ReadRows] = {}

    def compared(
        self, project_id: int, space: str, queries: "NDArray[np.float32]", most_events: int
    ) -> ComparedStatements | None:
        """Compare all statements, coarsely at first; None if the project has more events."""
        found = self._space(project_id, space)
        if found and found.events > most_events:
            return None
        mapped, read = self._current_rows(found) if found else (None, None)
        if mapped is None or mapped.coarse is None or len(mapped.keys) < _MIN_COARSE_ROWS:
            return ComparedStatements(*_cosines(_parts_of(mapped, read), queries), queries)
        numbers, cosines = _cosines(_parts_of(None, read), queries)
        return ComparedStatements(
            np.concatenate([mapped.keys, numbers]),
            np.concatenate([mapped.coarse.products(queries), cosines]),
            queries,
            mapped,
            mapped.coarse.product_errors(queries),
        )

    def all_cosines(
        self, project_id: int, space: str, queries: "NDArray[np.float32]"
    ) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
        """Return the numbers of the statements in their order, and a column for each query."""
        found = self._space(project_id, space)
        return _cosines(_parts_of(*self._current_rows(found)) if found else (), queries)

    def load_rows(self, project_id: int, space: str, most_events: int) -> None:
        """Read the rows of statements that are new; of no project with more events than this."""
        found = self._space(project_id, space)
        if found is not None and found.events <= most_events:
            self._current_rows(found)

    def refresh_file(self, project_id: int, space: str) -> None:
        """Write the file if it lacks too many rows."""
        found = self._space(project_id, space)
        if found is None or self._folder is None:
            return
        mapped, read = self._current_rows(found)
        known = len(mapped.keys) if mapped else 0
        is_old = mapped is not None and mapped.coarse is None
        most = max(_MIN_FILE_ROWS, _MAX_TAIL_SHARE * (known + len(read.numbers)))
        if is_old or len(read.numbers) > most:
            batches = [part for part in _parts_of(mapped, read) if len(part[0])]
            self._file(found).write(
                found.generation, [(int(numbers[-1]), numbers, rows) for numbers, rows in batches]
            )

    def remove_file(self, project_id: int, space: str) -> None:
        """Delete the file of a project that has grown too large for it."""
        found = self._space(project_id, space)
        if found is not None and self._folder is not None:
            self._file(found).remove()

    def drop_files(self) -> None:
        """Delete all files: they may hold vectors of deleted statements."""
        self._read.clear()
        for path in self._folder.glob("statements-*") if self._folder else ():
            path.unlink(missing_ok=True)

    def _current_rows(self, found: _StatementSpace) -> tuple[MappedRows | None, _ReadRows]:
        """Return the rows of the file and those after them; neither if some of them are gone."""
        mapped = self._file(found).mapped_rows(found.generation) if self._folder else None
        read = self._read.get(found.file_name)
        if read is not None and read.shows(found, mapped):
            return mapped, read
        if mapped is not None and not self._are_there(found, mapped.keys):
            mapped = None
        after = mapped.last_row if mapped else 0
        if read is not None and read.shows(found, mapped):
            return mapped, read
        if read is not None and (read.generation, read.after) == (found.generation, after):
            are_there, _ = self._database.read_together(
                partial(self._are_there, found, read.numbers), partial(self._read_new, found, read)
            )
            if are_there:
                read.revision = found.revision
                return mapped, read
        read = self._read[found.file_name] = _ReadRows(found.generation, after)
        self._read_new(found, read)
        read.revision = found.revision
        return mapped, read

    def _are_there(self, found: _StatementSpace, numbers: "NDArray[np.int64]") -> bool:
        """Say whether the statements were not found anew: the first and the last are still there.

        A message that is forgotten takes vectors with it, which makes another generation.
        """
        ends = {int(number) for number in (*numbers[:1], *numbers[-1:])}
        there = self._database.all_in(
            # The plus keeps SQLite from walking all statements of the project.
            "SELECT number FROM statements WHERE +project_id = ? AND number IN ({})",
            ends,
            (found.project_id,),
        )
        return len(there) == len(ends)

    def _read_new(self, found: _StatementSpace, read: _ReadRows) -> None:
        last = int(read.numbers[-1]) if len(read.numbers) else read.after
        rows = self._database.all(
            "SELECT 0, v.statement, v.vector FROM statement_vectors v "
            "JOIN statements s ON s.number = v.statement "
            "WHERE v.statement > ? AND v.space_id = ? AND +s.project_id = ? ORDER BY v.statement",
            (last, found.space_id, found.project_id),
        )
        if rows and last == (int(read.numbers[-1]) if len(read.numbers) else read.after):
            read.add(*stored_rows(rows))

    def _space(self, project_id: int, space: str) -> _StatementSpace | None:
        row = self._database.first_row(
            "SELECT s.id, coalesce(e.generation, 0), p.statement_revision, p.events FROM spaces s "
            "JOIN projects p ON p.id = ? "
            "LEFT JOIN embedded e ON e.space_id = s.id AND e.project_id = p.id WHERE s.name = ?",
            (project_id, space),
        )
        return _StatementSpace(project_id, *row) if row else None

    def _file(self, found: _StatementSpace) -> RowFile:
        assert self._folder is not None  # noqa: S101 - the callers have looked
        return self._files.setdefault(found.file_name, RowFile(self._folder / found.file_name))


def _parts_of(
    mapped: MappedRows | None, read: _ReadRows | None
) -> "Iterable[tuple[NDArray[np.int64], NDArray[np.float16]]]":
    if mapped is not None:
        yield mapped.keys, mapped.rows
    if read is not None:
        yield read.numbers, read.rows


def _cosines(
    parts: "Iterable[tuple[NDArray[np.int64], NDArray[np.float16]]]",
    queries: "NDArray[np.float32]",
) -> "tuple[NDArray[np.int64], NDArray[np.float32]]":
    """Return the numbers of all rows, and a column of cosines for each query."""
    filled = [part for part in parts if len(part[0])]
    if not filled:
        return np.empty(0, np.int64), np.empty((0, len(queries)), np.float32)
    products = [rough_products(rows, queries) for _, rows in filled]
    return np.concatenate([numbers for numbers, _ in filled]), np.concatenate(products)
