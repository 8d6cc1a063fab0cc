"""Make a text safe, and remove the noise from it before it is stored.

Control characters, lone surrogates and characters that hide or reorder text are removed;
joiners that a language or an emoji needs stay.

Colours, progress bars, encoded files, repeated log lines and library frames are removed, each
replaced by a short note where it said something. Ordinary prose and code pass unchanged, and
cleaning twice is cleaning once.
"""

import re
from itertools import groupby

from ai_smartness.capture.clean.blobs import SHORTEST_BLOB_CHARACTERS, without_blobs
from ai_smartness.capture.clean.stack_traces import without_library_frames
from ai_smartness.capture.clean.terminal_output import final_screen, without_escapes
from ai_smartness.text.markers import MEMORY_CLOSE, MEMORY_OPEN

__all__ = ["cleaned_text", "sanitized_text", "whole_text"]

MOST_PASSES = 4  # removing one thing can expose another, but not without end
LONGEST_KEPT_LOG_LINES = 4
"""Lines with a time, or identical ones, are a log: from the fifth on they are folded."""

LONGEST_KEPT_LINES = 9
"""Lines that differ in a number may be a table or a test; only a long run of them is a log."""

LEAST_LETTERS = 8  # closing brackets, rows of figures and blank lines repeat for good reason

# A client may wrap a hook's text in a reminder and say where it comes from. If a limit cut off
# the closing line, the whole rest is ours.
_OPENING = (
    rf"(?:^|(?<={MEMORY_CLOSE})|(?<=<system-reminder>))[ \t]*+"
    rf"(?:[^<\n]{{0,60}}hook[^<\n]{{0,40}}:[ \t]*+)?{MEMORY_OPEN}(?=[\s>])"
)
_CLOSING = rf"{MEMORY_CLOSE}[ \t]*+\n?"
_INJECTED = re.compile(
    rf"{_OPENING}(?s:.*?)(?:{_CLOSING}|\Z)|^[ \t]*+{MEMORY_CLOSE}[ \t]*+(?:\n|\Z)", re.MULTILINE
)
_EMPTY_REMINDER = re.compile(r"<system-reminder>\s*+(?:</system-reminder>[ \t]*+\n?|\Z)")
_VARYING_PART = re.compile(
    r"\b0[xX][0-9a-fA-F]++"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b(?=[a-f]{0,40}[0-9])[0-9a-f]{7,40}\b"
    r"|[0-9][0-9.,:]*+"
)
_LETTER = re.compile(r"[^\W\d_]")
_TIMED = re.compile(r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{10}")
_TABLE_ROW = re.compile(r"\s*\|")

# Joiners mean something between emoji and in Persian and the scripts of India; elsewhere
# they only make two equal-looking words differ.
_JOINED = "\u0600-\u1aff\u20e3\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"

# Tag characters spell invisible ASCII. Only the flag of a region may carry a few.
_TAGS = re.compile(
    "(\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f)"
    "|[\U000e0000-\U000e007f]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_NEWLINE = re.compile("\r\n?|\x85")
_HARMFUL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u2060-\u2064\ufeff\ufff9-\ufffb]"
    "|[\u202a-\u202e\u2066-\u2069]"
    f"|(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])"
)
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b-\u200d\u202a-\u202e\u2060-\u2069"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def cleaned_text(text: str) -> str:
    """Return the text without noise; blank only if it contains no words at all."""
    if _is_short_line(text):
        return text
    for _ in range(MOST_PASSES):
        before, text = text, _cleaned_once(text)
        if text == before:
            break
    return text


def whole_text(text: str) -> str:
    """Return the whole text, without harmful characters and what the memory said itself."""
    return _without_injected(sanitized_text(text))


def sanitized_text(text: str) -> str:
    r"""Drop control, zero-width and bidi-override characters; end every line with `\n`."""
    if _SUSPECT.search(text) is None:
        return text
    if _SURROGATE.search(text):
        # Through UTF-16, two halves that belong together become the character they meant.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _TAGS.sub(r"\1", _HARMFUL.sub("", _NEWLINE.sub("\n", text)))


def _is_short_line(text: str) -> bool:
    """Say whether a text is one short line without control characters, where no noise fits."""
    return (
        len(text) < SHORTEST_BLOB_CHARACTERS
        and text.isprintable()
        and MEMORY_OPEN not in text
        and MEMORY_CLOSE not in text
    )


def _cleaned_once(text: str) -> str:
    screen = _without_injected(sanitized_text(final_screen(text)))
    quiet = _without_repeats(without_library_frames(without_blobs(screen)))
    if quiet.strip() or not _without_injected(sanitized_text(without_escapes(text))).strip():
        return quiet
    return f"[terminal output, {len(text):,} characters]"


def _without_injected(text: str) -> str:
    """Drop text that the memory injected itself: it must not store its own output."""
    if MEMORY_OPEN not in text and MEMORY_CLOSE not in text:
        return text
    return _EMPTY_REMINDER.sub("", _INJECTED.sub("", text))


def _without_repeats(text: str) -> str:
    """Fold each run of similar lines to its first, a count and its last.

    Lines are similar if they differ only in numbers, times and ids.
    """
    lines = text.split("\n")
    if len(lines) <= LONGEST_KEPT_LOG_LINES:
        return text
    # The pattern never spans lines, so there is one shape per line.
    shapes = _VARYING_PART.sub("#", text).split("\n")
    folded: list[str] = []
    start = 0
    for shape, group in groupby(shapes):
        end = start + sum(1 for _ in group)
        run, start = lines[start:end], end
        if _is_log(run, shape):
            run = [run[0], f"[… {len(run) - 2:,} lines like this …]", run[-1]]
        folded += run
    return "\n".join(folded)


def _is_log(lines: list[str], shape: str) -> bool:
    if len(lines) <= LONGEST_KEPT_LOG_LINES:
        return False
    if _TABLE_ROW.match(shape) or len(_LETTER.findall(shape)) < LEAST_LETTERS:
        return False
    if len(lines) > LONGEST_KEPT_LINES:
        return True
    return _TIMED.search(lines[0]) is not None or all(line == lines[0] for line in lines)
