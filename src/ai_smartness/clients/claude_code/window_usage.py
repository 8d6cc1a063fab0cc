"""Measure how full the context window of a Claude Code session is, from its transcript.

The client records the tokens of each answer. Only the end of the file is read, and none of its
text is kept.
"""

from pathlib import Path
from typing import NamedTuple

from ai_smartness.clients.claude_code.transcript_tail import file_tail
from ai_smartness.clients.transcript_reader import Fields, object_field, parsed_object, text_field

__all__ = ["ContextUsage", "last_usage"]

TAIL_BYTES = 1 << 18  # room for the last answers
WIDE_WINDOW_TOKENS = 1_000_000
WIDE_WINDOW_SUFFIX = "[1m]"  # ends the name of a model with a wide window, as the client spells it

_TOKEN_FIELDS = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "output_tokens",
)


class ContextUsage(NamedTuple):
    """The tokens in the context after the agent's last answer, and the model that gave it."""

    tokens: int
    model: str

    def window_tokens(self, usual: int) -> int:
        """Return the model's window: a wide one if its name or its usage says so."""
        wide = self.model.endswith(WIDE_WINDOW_SUFFIX) or self.tokens > usual
        return max(usual, WIDE_WINDOW_TOKENS) if wide else usual


def last_usage(path: Path) -> ContextUsage | None:
    """Return the usage after the last answer in a transcript; nothing if it is unknown.

    Answers of subagents, which have their own window, and answers before a compaction do not
    count.
    """
    try:
        lines = file_tail(path, TAIL_BYTES).split(b"\n")
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


def _message_usage(message: Fields) -> ContextUsage:
    counts = (object_field(message, "usage").get(name) for name in _TOKEN_FIELDS)
    tokens = sum(count for count in counts if isinstance(count, int) and count > 0)
    return ContextUsage(tokens, text_field(message, "model"))
