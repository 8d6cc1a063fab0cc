"""Lay text out on a terminal: how wide it is, where it is cut or wrapped, and rows in columns.

A Chinese character or an emoji takes two cells of a terminal, an accent that joins a letter none.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import zip_longest

__all__ = ["GAP", "TAB_COLUMNS", "cut_text", "table_rows", "text_width", "wrapped_text"]

GAP = 2  # cells between two columns
TAB_COLUMNS = 8

_WORD = re.compile(r"\s*\S+\s*")
_JOINER = "\u200d"  # what follows it is drawn over what is before it
_EMOJI_STYLE = "\ufe0f"  # draws the symbol before it as an emoji, which is wide
_FIRST_SYMBOL = "\u2190"


def text_width(text: str) -> int:
    """Return the number of cells that a line of text takes."""
    if text.isascii():
        return len(text)
    width, before = 0, ""
    for character in text:
        if character == _EMOJI_STYLE:
            width += before >= _FIRST_SYMBOL and _character_width(before) == 1
        elif before != _JOINER:
            width += _character_width(character)
        before = character
    return width


def _character_width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Mc", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut_text(text: str, width: int) -> str:
    """Return the text, cut with an ellipsis if it is wider than this."""
    return text if text_width(text) <= width else f"{_widest_start(text, width - 1)}…"


def _widest_start(text: str, width: int) -> str:
    """Return as much from the start of a text as has room, and one character in any case."""
    end = max(1, min(width // 2, len(text)))
    while end < len(text) and text_width(text[: end + 1]) <= width:
        end += 1
    # What has no width of its own belongs to the character before it.
    while 1 < end < len(text) and not _character_width(text[end]):
        end -= 1
    return text[:end]


def wrapped_text(text: str, width: int) -> list[str]:
    """Break a line between words, and in a word that is longer than a line."""
    lines = [""]
    for word in _WORD.findall(text.expandtabs(TAB_COLUMNS)):
        if text_width(lines[-1]) + text_width(word.rstrip()) <= width:
            lines[-1] += word
        else:
            lines += _word_pieces(word, width)
    return [line.rstrip() for line in lines if line] or [""]


def _word_pieces(word: str, width: int) -> Iterator[str]:
    """Yield a word in pieces that fit a line each; the last one keeps the space behind it."""
    while text_width(word.rstrip()) > width:
        piece = _widest_start(word, width)
        yield piece
        word = word[len(piece) :]
    yield word


def table_rows(
    rows: Sequence[Sequence[str]], widths: Sequence[int], room: int, *, is_cut: bool = False
) -> Iterator[list[list[str]]]:
    """Yield the lines of each row, and in each line its cells, padded.

    The first columns can have fixed widths. If the rest does not fit, the widest column gives way.
    A cell that is too long is wrapped, or cut.
    """
    fitted = _fitted_widths(_natural_widths(rows), widths, room, is_cut=is_cut)
    for row in rows:
        cells = [
            _cell_lines(cell, width, is_cut=is_cut) for cell, width in zip(row, fitted, strict=True)
        ]
        yield [
            [_padded(cell, width) for cell, width in zip(line, fitted, strict=True)]
            for line in zip_longest(*cells, fillvalue="")
        ]


def _natural_widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [
        max(text_width(line) for cell in column for line in cell.split("\n"))
        for column in zip(*rows, strict=True)
    ]


def _fitted_widths(
    natural: Sequence[int], fixed: Sequence[int], room: int, *, is_cut: bool
) -> list[int]:
    widths = [*fixed, *(min(max(1, width), room) for width in natural[len(fixed) :])]
    # A column but the last is compared with the gap behind it.
    taken = [width + GAP for width in widths[:-1]] + widths[-1:]
    flexible = range(0 if is_cut else len(fixed), len(widths)) or range(len(widths))
    while sum(taken) > room:
        widest = max(flexible, key=lambda column: (taken[column], column))
        if taken[widest] <= GAP + 1:
            break
        taken[widest] -= 1
    return [width - GAP for width in taken[:-1]] + taken[-1:]


def _cell_lines(cell: str, width: int, *, is_cut: bool) -> list[str]:
    if is_cut:
        return [cut_text(cell.partition("\n")[0], width)]
    lines = cell.split("\n")
    if max(map(text_width, lines)) <= width:
        return lines
    return [part for line in lines for part in wrapped_text(line, width)]


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - text_width(cell))
