"""Vectors in a file that every process maps: held in memory once, and there at once.

The file only copies vectors of the database, in the order of their rows. It is written under
another name and then renamed; a missing, cut or outdated file is not used, and written again.
"""

import os
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MappedRows", "RowBatch", "RowFile"]

_MAGIC = b"aisrows1"
_HEADER = struct.Struct("<8sqqqq")  # the magic word, generation, last row, rows, dimension
_HEADER_BYTES = 64

RowBatch: TypeAlias = "tuple[int, NDArray[np.int64], NDArray[np.float16]]"
"""The last row id of a batch, the key of each row, and the vectors."""


@dataclass(frozen=True, slots=True)
class MappedRows:
    """The rows of a file, up to and including `last_row`, as they lie in memory."""

    generation: int
    last_row: int
    keys: "NDArray[np.int64]"
    rows: "NDArray[np.float16]"


class RowFile:
    """A file of vectors beside the database."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._identity: tuple[int, ...] = ()
        self._mapped: MappedRows | None = None

    def mapped_rows(self, generation: int) -> MappedRows | None:
        """Return the rows of the file, if it is usable and of this generation."""
        try:
            status = self._path.stat()
        except OSError:
            self._mapped, self._identity = None, ()
            return None
        identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if identity != self._identity:
            self._mapped, self._identity = _read_file(self._path), identity
        mapped = self._mapped
        return mapped if mapped and mapped.generation == generation else None

    def write(self, generation: int, batches: "Iterable[RowBatch]") -> None:
        """Write a file of these rows in place of the present one."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = self._path.with_suffix(f".new-{os.getpid()}")
        keys: list[NDArray[np.int64]] = []
        last_row = dimension = 0
        with fresh.open("wb") as file:
            fresh.chmod(0o600)
            file.write(bytes(_HEADER_BYTES))
            for row_id, batch_keys, rows in batches:
                last_row = row_id
                dimension = rows.shape[1]
                keys.append(batch_keys)
                file.write(np.ascontiguousarray(rows, "<f2").data)
            for batch_keys in keys:
                file.write(np.ascontiguousarray(batch_keys, "<i8").data)
            file.seek(0)
            file.write(_HEADER.pack(_MAGIC, generation, last_row, sum(map(len, keys)), dimension))
        fresh.replace(self._path)

    def remove(self) -> None:
        """Delete the file."""
        self._path.unlink(missing_ok=True)


def _read_file(path: Path) -> MappedRows | None:
    try:
        whole = np.memmap(path, np.uint8, "r")
        magic, generation, last_row, rows, dimension = _HEADER.unpack(bytes(whole[: _HEADER.size]))
    except (OSError, ValueError, struct.error):
        return None
    vectors_end = _HEADER_BYTES + 2 * rows * dimension
    if magic != _MAGIC or rows <= 0 or dimension <= 0 or len(whole) != vectors_end + 8 * rows:
        return None
    matrix = np.frombuffer(whole, "<f2", rows * dimension, _HEADER_BYTES).reshape(rows, dimension)
    # Copied: eight bytes a row need not be aligned behind the vectors.
    keys = np.frombuffer(bytes(whole[vectors_end:]), "<i8")
    return MappedRows(generation, last_row, keys, matrix)
