"""How full the window of a Claude Code session is, by the last lines of its transcript.

The client writes down with each answer how many tokens it took. Only the end of the file is
read, and nothing of what was said in it is kept.
"""

import os
import stat
from pathlib import Path
from typing import NamedTuple

from ai_smartness.clients.transcript_reader import Fields, object_field, parsed_object, text_field

__all__ = ["ContextUsage", "last_usage"]

TAIL_BYTES = 1 << 18
"""Room for the last answers; a longer one is told by the next."""

WIDE_WINDOW_TOKENS = 1_000_000
WIDE_WINDOW_SUFFIX = "[1m]"
"""How the client spells the name of a model whose window is wide."""

_TOKEN_FIELDS = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "output_tokens",
)


class ContextUsage(NamedTuple):
    """How many tokens the last answer of an agent's own had before it and in it, by which model."""

    tokens: int
    model: str

    def window_tokens(self, usual: int) -> int:
        """Return the window of the model: a wide one where its name or its use says so."""
        wide = self.model.endswith(WIDE_WINDOW_SUFFIX) or self.tokens > usual
        return max(usual, WIDE_WINDOW_TOKENS) if wide else usual


def last_usage(path: Path) -> ContextUsage | None:
    """Return what the last answer in a transcript took; nothing where that is not known.

    Not of a subagent, which has a window of its own; not from before a compaction.
    """
    try:
        lines = _file_tail(path).split(b"\n")
    except OSError:
        return None
    for line in reversed(lines):
        fields = parsed_object(line) if line.startswith(b"{") else None
        if fields is None or fields.get("isSidechain") is True:
            continue
        if text_field(fields, "subtype") == "compact_boundary":
            return None
        usage = _message_usage(object_field(fields, "message"))
        if text_field(fields, "type") == "assistant" and usage.tokens:
            return usage
    return None


def _file_tail(path: Path) -> bytes:
    # Never waits: where somebody has put a pipe, nothing is read.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(handle, "rb") as file:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            return b""
        file.seek(max(0, about.st_size - TAIL_BYTES))
        return file.read(TAIL_BYTES)


def _message_usage(message: Fields) -> ContextUsage:
    counts = (object_field(message, "usage").get(name) for name in _TOKEN_FIELDS)
    whole = sum(each for each in counts if isinstance(each, int) and each > 0)
    return ContextUsage(whole, text_field(message, "model"))
