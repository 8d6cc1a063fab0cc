"""Approximate nearest-neighbour search by an HNSW graph in a file: quick at any size.

It needs usearch, which the extra `large` installs.

The file only copies vectors of the database. It is written under another name and then
renamed; a missing, damaged or outdated file is not used, and built again.
"""

import json
import os
import sys
import zlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from usearch.index import Index

__all__ = ["GraphFile", "GraphStamp", "VectorBatch", "is_graph_library_installed"]

_CONNECTIVITY = 16
_EXPANSION_ADD = 128
_EXPANSION_SEARCH = 128
_BLOCK_BYTES = 1 << 20
NICENESS = 10


VectorBatch: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.float16]]"


@dataclass(frozen=True, slots=True)
class GraphStamp:
    """The rows that a graph was built from, and the checksum of its file."""

    generation: int
    last_row: int
    rows: int
    dimension: int
    checksum: int


def is_graph_library_installed() -> bool:
    """Say whether graphs can be built and searched here."""
    return find_spec("usearch") is not None


class GraphFile:
    """A graph over rows of vectors, beside the database."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp_path = path.with_suffix(".json")
        self._index: Index | None = None
        self._loaded: GraphStamp | None = None

    def usable_stamp(self) -> GraphStamp | None:
        """Return the stamp of the graph on disk, if it is usable."""
        try:
            stamp = GraphStamp(**json.loads(self._stamp_path.read_text()))
        except (OSError, ValueError, TypeError):
            return None
        return stamp if self._opened_index(stamp) is not None else None

    def build_graph(
        self, generation: int, batches: "Iterable[VectorBatch]", current: GraphStamp | None
    ) -> None:
        """Write the current graph, if there is one, with further rows."""
        index: Index | None = None
        last_row = 0
        if current is not None:
            index = _empty_index(current.dimension)
            index.load(str(self._path))
            last_row = current.last_row
        for keys, rows in batches:
            index = index if index is not None else _empty_index(rows.shape[1])
            _add_rows(index, keys.astype(np.uint64), rows)
            last_row = max(last_row, int(keys.max()))
        if index is not None:
            self._save(index, generation, last_row)

    def nearest(
        self, query: "NDArray[np.float32]", limit: int, stamp: GraphStamp
    ) -> "tuple[NDArray[np.int64], NDArray[np.float32]] | None":
        """Return row ids and cosines, best first; none if the file is not usable."""
        index = self._opened_index(stamp)
        if index is None:
            return None
        matches = index.search(query, limit)
        return matches.keys.astype(np.int64), 1.0 - matches.distances.astype(np.float32)

    def remove(self) -> None:
        """Delete the file."""
        self._index = self._loaded = None
        self._stamp_path.unlink(missing_ok=True)
        self._path.unlink(missing_ok=True)

    def _opened_index(self, stamp: GraphStamp) -> "Index | None":
        if self._loaded != stamp:
            self._index, self._loaded = None, stamp
            # A graph with a flipped byte can crash the process that searches it, so the checksum
            # of the whole file is verified once.
            if _file_checksum(self._path) == stamp.checksum:
                self._index = _empty_index(stamp.dimension)
                self._index.view(str(self._path))
        return self._index

    def _save(self, index: "Index", generation: int, last_row: int) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # The stamp is deleted first and written last: after a crash in between, the graph
        # has no stamp and is not used.
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


def _empty_index(dimension: int) -> "Index":
    # Before usearch: loaded after it, onnxruntime 1.31 crashes the process (usearch 2.26).
    import ai_smartness.adapters.onnx_runtime  # noqa: F401, I001
    from usearch.index import Index

    return Index(
        ndim=dimension,
        metric="cos",
        dtype="f16",
        connectivity=_CONNECTIVITY,
        expansion_add=_EXPANSION_ADD,
        expansion_search=_EXPANSION_SEARCH,
    )


def _add_rows(index: "Index", keys: "NDArray[np.uint64]", rows: "NDArray[np.float16]") -> None:
    """Add rows with threads of low priority: they occupy every core, for minutes.

    They run no Python, so nobody waits for the interpreter while they wait for a processor.
    """
    with ThreadPoolExecutor(1, "graph", initializer=_lower_priority) as thread:
        thread.submit(index.add, keys, rows).result()


def _lower_priority() -> None:
    # Elsewhere it would be that of the whole process.
    if sys.platform == "linux":
        os.nice(NICENESS)


def _file_checksum(path: Path) -> int | None:
    total = 0
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                total = zlib.crc32(block, total)
    except OSError:
        return None
    return total
