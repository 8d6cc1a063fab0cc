"""The centres of threads: each the mean of its messages' vectors, kept once it was worked out.

What a centre is made from takes it away when it changes (the triggers of layout 4), so
one that is there is right. Whatever is not there is made when it is asked for.
"""

import logging
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, cast

from ai_smartness.adapters.storage.sqlite.database import Database, Row
from ai_smartness.adapters.storage.sqlite.shelf import Shelf
from ai_smartness.model.errors import StoreError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]

__all__ = ["ThreadCentres"]

_LOG = logging.getLogger(__name__)

_READ_AT_ONCE = 500
_MADE_AT_ONCE = 200
"""Threads, in one transaction: a fraction of a second, while others wait to write."""

_SHORTEST = 1e-6


class ThreadCentres:
    """Reads centres, and makes those that are not there."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, shelf: Shelf, thread_ids: Sequence[str]) -> "dict[str, Vector]":
        """Return the centre of each of these threads that has vectors, of unit length."""
        packed: dict[str, bytes | None] = {}
        for some in _parts(thread_ids, _READ_AT_ONCE):
            packed.update(self._kept(shelf, some))
        missing = [id_ for id_ in thread_ids if id_ not in packed]
        for some in _parts(missing, _MADE_AT_ONCE):
            packed.update(self._made_and_kept(shelf, some))
        return {id_: _unpacked(vector) for id_, vector in packed.items() if vector}

    def _kept(self, shelf: Shelf, ids: Sequence[str]) -> dict[str, bytes | None]:
        rows = self._database.all(
            "SELECT thread_id, vector FROM centres "  # noqa: S608 # only question marks
            f"WHERE space_id = ? AND thread_id IN ({_marks(ids)})",
            (shelf.space, *ids),
        )
        return {str(id_): cast("bytes | None", vector) for id_, vector in rows}

    def _made_and_kept(self, shelf: Shelf, ids: Sequence[str]) -> dict[str, bytes | None]:
        try:
            # In one unit: what a centre is made from cannot change before it is kept.
            with self._database.unit():
                made = self._made(shelf, ids)
                self._database.many(
                    "INSERT OR REPLACE INTO centres (thread_id, space_id, vector) "
                    "SELECT id, ?, ? FROM threads WHERE id = ?",
                    ((shelf.space, vector, id_) for id_, vector in made.items()),
                )
                return made
        except StoreError as trouble:
            # A file that cannot be written can still be read.
            _LOG.warning("the centres of threads are worked out and not kept: %s", trouble)
            return self._made(shelf, ids)

    def _made(self, shelf: Shelf, ids: Sequence[str]) -> dict[str, bytes | None]:
        rows = self._database.all(
            "SELECT e.thread_id, v.seq, v.vector FROM events e JOIN vectors v "  # noqa: S608 # as above
            "ON v.project_id = ? AND v.space_id = ? AND v.seq = e.seq "
            f"WHERE e.thread_id IN ({_marks(ids)}) ORDER BY e.thread_id, v.seq, v.chunk",
            (shelf.project, shelf.space, *ids),
        )
        found: dict[str, bytes | None] = dict.fromkeys(ids)
        return found | _centres(rows)


def _centres(rows: Sequence[Row]) -> "dict[str, bytes]":
    """Return the mean of each thread's messages, each message being the mean of its chunks."""
    import numpy as np  # noqa: PLC0415 # heavy, and the lexical path has no need of it

    if not rows:
        return {}
    joined = b"".join(cast("bytes", row[2]) for row in rows)
    vectors = np.frombuffer(joined, "<f2").reshape(len(rows), -1).astype(np.float32)
    seqs = np.array([row[1] for row in rows], np.int64)
    messages = _starts(seqs[1:] != seqs[:-1])
    said = _unit(np.add.reduceat(vectors, messages, axis=0))
    names = [str(rows[start][0]) for start in messages]
    threads = _starts(np.array([a != b for a, b in zip(names[1:], names, strict=False)], bool))
    centres = _unit(np.add.reduceat(said, threads, axis=0)).astype("<f2")
    return {names[at]: row.tobytes() for at, row in zip(threads, centres, strict=True)}


def _starts(changes: "NDArray[np.bool_]") -> "NDArray[np.intp]":
    import numpy as np  # noqa: PLC0415 # as above

    return np.flatnonzero(np.concatenate([[True], changes]))


def _unpacked(vector: bytes) -> "Vector":
    import numpy as np  # noqa: PLC0415 # as above

    return _unit(np.frombuffer(vector, "<f2").astype(np.float32))


def _unit(rows: "Vector") -> "Vector":
    import numpy as np  # noqa: PLC0415 # as above

    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return cast("Vector", rows / np.maximum(lengths, np.float32(_SHORTEST)))


def _parts(ids: Sequence[str], size: int) -> Iterator[list[str]]:
    left = iter(ids)
    while some := list(islice(left, size)):
        yield some


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
