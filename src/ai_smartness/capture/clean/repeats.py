"""Fold log lines that say the same thing again and again.

The first and the last of them stay, with a count between. Lines are the same
when they differ only in numbers, times and ids.
"""

import re
from itertools import groupby

__all__ = ["without_repeats"]

LONGEST_KEPT_LOG_LINES = 4
"""Lines with a time, or equal to the letter, are a log: from the fifth on they are folded."""

LONGEST_KEPT_LINES = 9
"""Lines that differ in a number may be a table or a test; only a long stretch of them is a log."""

LEAST_LETTERS = 8
"""Closing brackets, rows of figures and blank lines repeat for good reason."""

_VARYING = re.compile(
    r"\b0[xX][0-9a-fA-F]++"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b(?=[a-f]{0,40}[0-9])[0-9a-f]{7,40}\b"
    r"|[0-9][0-9.,:]*+"
)
_LETTER = re.compile(r"[^\W\d_]")
_TIMED = re.compile(r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{10}")
_TABLE_ROW = re.compile(r"\s*\|")


def without_repeats(text: str) -> str:
    """Fold each stretch of lines that say the same to its first, its last and a count."""
    lines = text.split("\n")
    if len(lines) <= LONGEST_KEPT_LOG_LINES:
        return text
    # No pattern spans a line, so the shapes are those of the lines, one for one.
    shapes = _VARYING.sub("#", text).split("\n")
    kept: list[str] = []
    start = 0
    for shape, group in groupby(shapes):
        end = start + sum(1 for _ in group)
        kept += _folded(lines[start:end], shape)
        start = end
    return "\n".join(kept)


def _folded(lines: list[str], shape: str) -> list[str]:
    if len(lines) <= LONGEST_KEPT_LOG_LINES or not _is_log(lines, shape):
        return lines
    return [lines[0], f"[… {len(lines) - 2:,} lines like this …]", lines[-1]]


def _is_log(lines: list[str], shape: str) -> bool:
    if _TABLE_ROW.match(shape) or len(_LETTER.findall(shape)) < LEAST_LETTERS:
        return False
    if len(lines) > LONGEST_KEPT_LINES:
        return True
    return _TIMED.search(lines[0]) is not None or all(line == lines[0] for line in lines)
