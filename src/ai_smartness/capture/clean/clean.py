"""Take the noise out of what was captured, before it is stored.

Colours, progress bars, encoded files, repeated log lines and library frames
go, each leaving a short note where it said something. Ordinary prose and code
pass unchanged, and cleaning twice is cleaning once.
"""

import re

from ai_smartness.capture.clean.blobs import without_blobs
from ai_smartness.capture.clean.harmless import harmless
from ai_smartness.capture.clean.repeats import without_repeats
from ai_smartness.capture.clean.terminal import as_shown, without_escapes
from ai_smartness.capture.clean.traces import without_library_frames

__all__ = ["MEMORY_CLOSE", "MEMORY_OPEN", "cleaned"]

MEMORY_OPEN = "<ai-smartness-memory"
"""How the line before injected text begins; attributes and `>` follow."""

MEMORY_CLOSE = "</ai-smartness-memory>"
"""The line after injected text."""

MOST_PASSES = 4
"""Taking one thing out can lay bare another, but not without end."""

# A client may wrap a hook's text in a reminder, with a word on where it comes from. Cut off
# by a limit it has no closing line; then all the rest is ours.
_OPENING = (
    rf"(?:^|(?<={MEMORY_CLOSE})|(?<=<system-reminder>))[ \t]*+"
    rf"(?:[^<\n]{{0,60}}hook[^<\n]{{0,40}}:[ \t]*+)?{MEMORY_OPEN}(?=[\s>])"
)
_CLOSING = rf"{MEMORY_CLOSE}[ \t]*+\n?"
_OURS = re.compile(
    rf"{_OPENING}(?s:.*?)(?:{_CLOSING}|\Z)|^[ \t]*+{MEMORY_CLOSE}[ \t]*+(?:\n|\Z)", re.MULTILINE
)
_EMPTY_REMINDER = re.compile(r"<system-reminder>\s*+(?:</system-reminder>[ \t]*+\n?|\Z)")


def cleaned(text: str) -> str:
    """Return the text without noise; blank only if nothing in it was ever said."""
    for _ in range(MOST_PASSES):
        before, text = text, _cleaned_once(text)
        if text == before:
            break
    return text


def _cleaned_once(text: str) -> str:
    shown = _without_ours(harmless(as_shown(text)))
    quiet = without_repeats(without_library_frames(without_blobs(shown)))
    if quiet.strip() or not _without_ours(harmless(without_escapes(text))).strip():
        return quiet
    return f"[terminal output, {len(text):,} characters]"


def _without_ours(text: str) -> str:
    """Drop what we injected ourselves, lest memory feed on memory."""
    if MEMORY_OPEN not in text and MEMORY_CLOSE not in text:
        return text
    return _EMPTY_REMINDER.sub("", _OURS.sub("", text))
