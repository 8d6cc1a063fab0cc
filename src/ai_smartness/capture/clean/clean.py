"""Take the noise out of what was captured, before it is stored.

Colours, progress bars, encoded files, repeated log lines and library frames
go, each leaving a short note where it said something. Ordinary prose and code
pass unchanged, and cleaning twice is cleaning once.

Fold log lines that say the same thing again and again.

The first and the last of them stay, with a count between. Lines are the same
when they differ only in numbers, times and ids.
"""

import re
from itertools import groupby

from ai_smartness.capture.clean.blobs import without_blobs
from ai_smartness.capture.clean.stack_traces import without_library_frames
from ai_smartness.capture.clean.terminal_output import final_screen, without_escapes
from ai_smartness.text.markers import MEMORY_CLOSE, MEMORY_OPEN
from ai_smartness.text.sanitize import sanitized_text

__all__ = ["cleaned_text"]


MOST_PASSES = 4
"""Taking one thing out can lay bare another, but not without end."""

# A client may wrap a hook's text in a reminder, with a word on where it comes from. Cut off
# by a limit it has no closing line; then all the rest is ours.
_OPENING = (
    rf"(?:^|(?<={MEMORY_CLOSE})|(?<=<system-reminder>))[ \t]*+"
    rf"(?:[^<\n]{{0,60}}hook[^<\n]{{0,40}}:[ \t]*+)?{MEMORY_OPEN}(?=[\s>])"
)
_CLOSING = rf"{MEMORY_CLOSE}[ \t]*+\n?"
_INJECTED = re.compile(
    rf"{_OPENING}(?s:.*?)(?:{_CLOSING}|\Z)|^[ \t]*+{MEMORY_CLOSE}[ \t]*+(?:\n|\Z)", re.MULTILINE
)
_EMPTY_REMINDER = re.compile(r"<system-reminder>\s*+(?:</system-reminder>[ \t]*+\n?|\Z)")


def cleaned_text(text: str) -> str:
    """Return the text without noise; blank only if nothing in it was ever said."""
    for _ in range(MOST_PASSES):
        before, text = text, _cleaned_once(text)
        if text == before:
            break
    return text


def _cleaned_once(text: str) -> str:
    shown = _without_injected(sanitized_text(final_screen(text)))
    quiet = without_repeats(without_library_frames(without_blobs(shown)))
    if quiet.strip() or not _without_injected(sanitized_text(without_escapes(text))).strip():
        return quiet
    return f"[terminal output, {len(text):,} characters]"


def _without_injected(text: str) -> str:
    """Drop what we injected ourselves, lest memory feed on memory."""
    if MEMORY_OPEN not in text and MEMORY_CLOSE not in text:
        return text
    return _EMPTY_REMINDER.sub("", _INJECTED.sub("", text))


LONGEST_KEPT_LOG_LINES = 4
"""Lines with a time, or equal to the letter, are a log: from the fifth on they are folded."""

LONGEST_KEPT_LINES = 9
"""Lines that differ in a number may be a table or a test; only a long stretch of them is a log."""

LEAST_LETTERS = 8
"""Closing brackets, rows of figures and blank lines repeat for good reason."""

_VARYING_PART = re.compile(
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
    shapes = _VARYING_PART.sub("#", text).split("\n")
    kept: list[str] = []
    start = 0
    for shape, group in groupby(shapes):
        end = start + sum(1 for _ in group)
        kept += _folded_lines(lines[start:end], shape)
        start = end
    return "\n".join(kept)


def _folded_lines(lines: list[str], shape: str) -> list[str]:
    if len(lines) <= LONGEST_KEPT_LOG_LINES or not _is_log(lines, shape):
        return lines
    return [lines[0], f"[… {len(lines) - 2:,} lines like this …]", lines[-1]]


def _is_log(lines: list[str], shape: str) -> bool:
    if _TABLE_ROW.match(shape) or len(_LETTER.findall(shape)) < LEAST_LETTERS:
        return False
    if len(lines) > LONGEST_KEPT_LINES:
        return True
    return _TIMED.search(lines[0]) is not None or all(line == lines[0] for line in lines)
