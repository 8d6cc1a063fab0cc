"""The lines of a file of any size, from an offset on, none of them longer than memory allows.

A last line that is not ended yet is left for next time: somebody is writing it.
"""

from collections.abc import Iterator
from typing import IO, NamedTuple

__all__ = ["LONGEST_LINE_BYTES", "Line", "lines"]

LONGEST_LINE_BYTES = 16_000_000
"""Room for several pictures in one message; a longer line is passed over."""

_BLOCK_BYTES = 1 << 20


class Line(NamedTuple):
    """One line, and where the next one begins; `text` is nothing where it is too long."""

    text: bytes | None
    length: int
    end: int


def lines(file: IO[bytes], start: int, longest: int = LONGEST_LINE_BYTES) -> Iterator[Line]:
    """Return the whole lines from an offset on."""
    file.seek(start)
    rest, at, too_long = b"", start, 0
    while block := file.read(_BLOCK_BYTES):
        pieces = (rest + block).split(b"\n")
        rest = pieces.pop()
        for piece in pieces:
            length = too_long + len(piece)
            at += length + 1
            whole = not too_long and length <= longest
            yield Line(piece if whole else None, length, at)
            too_long = 0
        if too_long or len(rest) > longest:
            # Nothing of it is kept but its length.
            too_long, rest = too_long + len(rest), b""
