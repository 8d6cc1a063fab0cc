"""The nearest vectors by a graph kept in a file: approximate, and quick at any size.

The file is only ever a copy of what the database holds. It is written whole
under another name and then renamed; one that is missing, damaged or of
another time is simply not used, and built again.
"""

import json
import os
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from usearch.index import Index

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GraphFile", "GraphStamp", "VectorBatch"]

_CONNECTIVITY = 16
_EXPANSION_ADD = 128
_EXPANSION_SEARCH = 128
_BLOCK_BYTES = 1 << 20


VectorBatch: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.float32]]"


@dataclass(frozen=True, slots=True)
class GraphStamp:
    """What a graph was built from, and the checksum that tells a damaged file."""

    generation: int
    last_row: int
    rows: int
    dimension: int
    checksum: int


class GraphFile:
    """A graph over rows of vectors, beside the database."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp_path = path.with_suffix(".json")
        self._index: Index | None = None
        self._loaded: GraphStamp | None = None

    def usable_stamp(self) -> GraphStamp | None:
        """Say what the graph on disk was built from, or that there is none to use."""
        try:
            stamp = GraphStamp(**json.loads(self._stamp_path.read_text()))
        except (OSError, ValueError, TypeError):
            return None
        return stamp if self._opened_index(stamp) is not None else None

    def build_graph(
        self, generation: int, batches: "Iterable[VectorBatch]", kept: GraphStamp | None
    ) -> None:
        """Write the graph anew: what is kept of the present one, and these further rows."""
        index: Index | None = None
        last_row = 0
        if kept is not None:
            index = _empty_index(kept.dimension)
            index.load(str(self._path))
            last_row = kept.last_row
        for keys, rows in batches:
            index = index if index is not None else _empty_index(rows.shape[1])
            index.add(keys.astype(np.uint64), rows)
            last_row = max(last_row, int(keys.max()))
        if index is not None:
            self._save(index, generation, last_row)

    def nearest(
        self, query: "NDArray[np.float32]", limit: int, stamp: GraphStamp
    ) -> "tuple[NDArray[np.int64], NDArray[np.float32]] | None":
        """Return rows and cosines, best first, or nothing if the file cannot be used."""
        index = self._opened_index(stamp)
        if index is None:
            return None
        found = index.search(query, limit)
        return found.keys.astype(np.int64), 1.0 - found.distances.astype(np.float32)

    def remove(self) -> None:
        """Take the file away."""
        self._index = self._loaded = None
        self._stamp_path.unlink(missing_ok=True)
        self._path.unlink(missing_ok=True)

    def _opened_index(self, stamp: GraphStamp) -> Index | None:
        if self._loaded != stamp:
            self._index, self._loaded = None, stamp
            # A graph with a flipped byte can crash the process that walks it, so the whole file
            # is summed once before it is trusted.
            if _file_checksum(self._path) == stamp.checksum:
                self._index = _empty_index(stamp.dimension)
                self._index.view(str(self._path))
        return self._index

    def _save(self, index: Index, generation: int, last_row: int) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # The stamp goes first and comes last: a crash in between leaves a graph without a
        # stamp, which nobody uses.
        self._stamp_path.unlink(missing_ok=True)
        fresh = self._path.with_suffix(f".new-{os.getpid()}")
        index.save(str(fresh))
        fresh.chmod(0o600)
        fresh.replace(self._path)
        stamp = GraphStamp(
            generation, last_row, len(index), index.ndim, _file_checksum(self._path) or 0
        )
        note = self._stamp_path.with_suffix(f".new-{os.getpid()}")
        note.write_text(json.dumps(asdict(stamp)))
        note.chmod(0o600)
        note.replace(self._stamp_path)
        self._index = self._loaded = None


def _empty_index(dimension: int) -> Index:
    return Index(
        ndim=dimension,
        metric="cos",
        dtype="f16",
        connectivity=_CONNECTIVITY,
        expansion_add=_EXPANSION_ADD,
        expansion_search=_EXPANSION_SEARCH,
    )


def _file_checksum(path: Path) -> int | None:
    total = 0
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                total = zlib.crc32(block, total)
    except OSError:
        return None
    return total
