"""One event as the client hands it to its hook: read with a bound, and believed in nothing.

A field that is missing or of another kind than it should be reads as empty.
"""

import os

from ai_smartness.entrypoints.daemon.quick_json import loads

__all__ = ["Given", "inner", "received", "text_of"]

LONGEST_INPUT_BYTES = 64_000_000
"""A tool's result can be a whole file; more than this is an accident."""

_PIECE_BYTES = 1 << 20


class Given:
    """The fields of one event."""

    def __init__(self, fields: "dict[str, object]") -> None:
        self.fields = fields
        self.event = text_of(fields, "hook_event_name")
        self.session = text_of(fields, "session_id")
        self.tool = text_of(fields, "tool_name")
        self.call = text_of(fields, "tool_use_id")
        self.tool_input = inner(fields, "tool_input")

    @property
    def cwd(self) -> str:
        """The folder the agent works in; its hooks are started there."""
        return text_of(self.fields, "cwd") or os.getcwd()  # noqa: PTH109 - pathlib costs ten milliseconds

    def text(self, name: str) -> str:
        """Return a field that is a text."""
        return text_of(self.fields, name)


def received(handle: int) -> Given:
    """Read the event; raise ValueError for what is none."""
    text = _whole(handle).decode("utf-8", "replace").removeprefix("\ufeff")
    fields = loads(text)
    if not isinstance(fields, dict):
        msg = "a hook's input is a JSON object"
        raise ValueError(msg)  # noqa: TRY004 - whoever reads catches one kind
    return Given(fields)


def text_of(fields: "dict[str, object]", name: str) -> str:
    """Return a field that is a text; empty if it is none."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def inner(fields: "dict[str, object]", name: str) -> "dict[str, object]":
    """Return a field that has fields itself; empty if it has none."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def _whole(handle: int) -> bytes:
    pieces, left = [], LONGEST_INPUT_BYTES
    while piece := os.read(handle, _PIECE_BYTES):
        left -= len(piece)
        if left < 0:
            msg = f"the hook's input is over {LONGEST_INPUT_BYTES:,} bytes"
            raise ValueError(msg)
        pieces.append(piece)
    return b"".join(pieces)
