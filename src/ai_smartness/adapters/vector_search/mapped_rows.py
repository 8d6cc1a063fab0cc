"""Vectors in a file that every process maps: held in memory once, and there at once.

The file only copies vectors of the database, in the order of their rows: as they are stored, and
in one byte a number for a first comparison. It is written under another name and then renamed; a
missing, cut or outdated file is not used, and written again. A file of an older version has no
coarse rows; it is used until it is written again.
"""

import os
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import numpy as np

from ai_smartness.adapters.vector_search.coarse_rows import CoarseRows, coarse_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MappedRows", "RowBatch", "RowFile"]

_MAGIC, _MAGIC_WITHOUT_COARSE = b"aisrows2", b"aisrows1"
_HEADER = struct.Struct("<8sqqqqdd")
"""The magic word, generation, last row, rows, dimension, and the error and length of the coarse."""

_HEADER_BYTES = 64
_BLOCK_ROWS = 20_000

RowBatch: TypeAlias = "tuple[int, NDArray[np.int64], NDArray[np.float16]]"
"""The last row id of a batch, the key of each row, and the vectors."""


@dataclass(frozen=True, slots=True)
class MappedRows:
    """The rows of a file, up to and including `last_row`, as they lie in memory."""

    generation: int
    last_row: int
    keys: "NDArray[np.int64]"
    rows: "NDArray[np.float16]"
    coarse: CoarseRows | None = None


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
        scales: list[NDArray[np.float32]] = []
        last_row = dimension = 0
        error = length = 0.0
        with fresh.open("w+b") as file:
            fresh.chmod(0o600)
            file.write(bytes(_HEADER_BYTES))
            for row_id, batch_keys, rows in batches:
                last_row = row_id
                dimension = rows.shape[1]
                keys.append(batch_keys)
                file.write(np.ascontiguousarray(rows, "<f2").data)
            count = sum(map(len, keys))
            for coarse in _coarse_blocks(file, count, dimension):
                scales.append(coarse.scales)
                error, length = max(error, coarse.error), max(length, coarse.length)
                file.write(coarse.numbers.data)
            for batch_scales in scales:
                file.write(np.ascontiguousarray(batch_scales, "<f4").data)
            for batch_keys in keys:
                file.write(np.ascontiguousarray(batch_keys, "<i8").data)
            file.seek(0)
            file.write(_HEADER.pack(_MAGIC, generation, last_row, count, dimension, error, length))
        fresh.replace(self._path)

    def remove(self) -> None:
        """Delete the file."""
        self._path.unlink(missing_ok=True)


def _coarse_blocks(file: BinaryIO, rows: int, dimension: int) -> "Iterator[CoarseRows]":
    """Yield the vectors that were just written in one byte a number, a block at a time."""
    for start in range(0, rows, _BLOCK_ROWS):
        count = min(_BLOCK_ROWS, rows - start)
        file.seek(_HEADER_BYTES + 2 * start * dimension)
        block = np.frombuffer(file.read(2 * count * dimension), "<f2")
        file.seek(0, os.SEEK_END)
        yield coarse_rows(block.reshape(count, dimension))


def _read_file(path: Path) -> MappedRows | None:
    try:
        whole = np.memmap(path, np.uint8, "r")
        header = _HEADER.unpack(bytes(whole[: _HEADER.size]))
    except (OSError, ValueError, struct.error):
        return None
    magic, generation, last_row, rows, dimension, error, length = header
    has_coarse = magic == _MAGIC
    vectors_end = _HEADER_BYTES + 2 * rows * dimension
    coarse_end = vectors_end + has_coarse * rows * (dimension + 4)
    is_known = has_coarse or magic == _MAGIC_WITHOUT_COARSE
    if not is_known or rows <= 0 or dimension <= 0 or len(whole) != coarse_end + 8 * rows:
        return None
    matrix = np.frombuffer(whole, "<f2", rows * dimension, _HEADER_BYTES).reshape(rows, dimension)
    # Copied: a few bytes a row need not be aligned behind the vectors.
    keys = np.frombuffer(bytes(whole[coarse_end:]), "<i8")
    if not has_coarse:
        return MappedRows(generation, last_row, keys, matrix)
    numbers = np.frombuffer(whole, np.int8, rows * dimension, vectors_end)
    scales = np.frombuffer(bytes(whole[coarse_end - 4 * rows : coarse_end]), "<f4")
    coarse = CoarseRows(numbers.reshape(rows, dimension), scales, error, length)
    return MappedRows(generation, last_row, keys, matrix, coarse)
