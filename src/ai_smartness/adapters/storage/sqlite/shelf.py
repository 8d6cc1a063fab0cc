"""The vector rows of one project in one space, read from the table and held in memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ai_smartness.adapters.storage.sqlite.database import Database, Row
from ai_smartness.adapters.storage.sqlite.rows import microseconds
from ai_smartness.model.found import Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai_smartness.adapters.vectors.exact import ExactIndex

__all__ = ["Shelf", "VectorRows"]

_BLOCK_ROWS = 20_000
_SAMPLE_ROWS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """The vectors of one project in one space, as the table stands now."""

    project: int
    space: int
    rows: int
    generation: int

    @property
    def name(self) -> str:
        """Name the shelf's graph file."""
        return f"project-{self.project}-space-{self.space}.graph"


@dataclass(slots=True)
class _Held:
    """Rows in memory: those after `after`, up to and with `last_row`, of one generation."""

    generation: int
    after: int
    last_row: int
    index: "ExactIndex"


class VectorRows:
    """Reads vectors; what was read once is read on from where it stopped."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held: dict[str, _Held] = {}
        self._samples: dict[str, _Held] = {}

    def held(self, shelf: Shelf, after: int) -> "ExactIndex":
        """Return the rows after one, reading only those that are new."""
        held = self._held.get(shelf.name)
        if held is None or (held.generation, held.after) != (shelf.generation, after):
            held = _Held(shelf.generation, after, after, _exact())
            self._held[shelf.name] = held
        for keys, seqs, rows in self.blocks(shelf, held.last_row):
            held.index.add(seqs, rows)
            held.last_row = int(keys[-1])
        return held.index

    def sample(self, shelf: Shelf) -> "ExactIndex":
        """Return some rows of all, to tell what is typical; chosen once, until rows double."""
        held = self._samples.get(shelf.name)
        if held is None or held.generation != shelf.generation or shelf.rows > 2 * held.after:
            step = max(1, shelf.rows // _SAMPLE_ROWS)
            rows = self._selected("v.id % ? = 0 AND v.project_id = ?", (step, shelf.project), shelf)
            held = _Held(shelf.generation, shelf.rows, 0, _index(rows))
            self._samples[shelf.name] = held
        return held.index

    def of_events(self, shelf: Shelf, seqs: Sequence[int]) -> "ExactIndex":
        """Return the rows of these events."""
        marks = ", ".join(str(seq) for seq in seqs)
        return _index(
            self._selected(f"v.project_id = ? AND v.seq IN ({marks})", (shelf.project,), shelf)
        )

    def of_session(self, shelf: Shelf, scope: Scope) -> "ExactIndex":
        """Return the rows of one session's events, up to a moment."""
        session, moment = cast("str", scope.session), 1 << 62
        if scope.before is not None:
            moment = microseconds(scope.before)
        condition = (
            "v.project_id = ? AND v.seq IN "
            "(SELECT seq FROM events WHERE project_id = ? AND session = ? AND at < ?)"
        )
        values = (shelf.project, shelf.project, session, moment)
        return _index(self._selected(condition, values, shelf))

    def read_through(self, shelf: Shelf) -> "Iterator[ExactIndex]":
        """Yield all rows, a block at a time, keeping none."""
        for _, seqs, rows in self.blocks(shelf, 0):
            index = _exact()
            index.add(seqs, rows)
            yield index

    def blocks(
        self, shelf: Shelf, after: int
    ) -> "Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]]":
        """Yield row numbers, events and vectors of the rows after one."""
        while True:
            rows = self._database.all(
                "SELECT id, seq, vector FROM vectors INDEXED BY vectors_by_project "
                "WHERE project_id = ? AND space_id = ? AND id > ? ORDER BY id LIMIT ?",
                (shelf.project, shelf.space, after, _BLOCK_ROWS),
            )
            if not rows:
                return
            yield _unpacked(rows)
            after = cast("int", rows[-1][0])

    def _selected(self, condition: str, values: Sequence[str | int], shelf: Shelf) -> list[Row]:
        # The plus keeps SQLite from walking a whole project's rows in the order that is asked for.
        return self._database.all(
            "SELECT v.id, v.seq, v.vector FROM vectors v "  # noqa: S608 # our own condition
            f"WHERE {condition} AND v.space_id = ? ORDER BY +v.id",
            (*values, shelf.space),
        )


def _exact() -> "ExactIndex":
    from ai_smartness.adapters.vectors.exact import ExactIndex  # noqa: PLC0415 # numpy is heavy

    return ExactIndex()


def _index(rows: list[Row]) -> "ExactIndex":
    index = _exact()
    if rows:
        _, seqs, vectors = _unpacked(rows)
        index.add(seqs, vectors)
    return index


def _unpacked(
    rows: list[Row],
) -> "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]":
    import numpy as np  # noqa: PLC0415 # heavy, and the lexical path has no need of it

    keys = np.array([row[0] for row in rows], np.int64)
    seqs = np.array([row[1] for row in rows], np.int64)
    joined = b"".join(cast("bytes", row[2]) for row in rows)
    vectors = np.frombuffer(joined, "<f2").reshape(len(rows), -1).astype(np.float32)
    return keys, seqs, vectors
