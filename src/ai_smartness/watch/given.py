"""One event as a client tells of it: believed in nothing.

A field that is missing or of another kind than it should be reads as empty.
"""

import os

__all__ = ["Given", "inner", "text_of"]


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


def text_of(fields: "dict[str, object]", name: str) -> str:
    """Return a field that is a text; empty if it is none."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def inner(fields: "dict[str, object]", name: str) -> "dict[str, object]":
    """Return a field that has fields itself; empty if it has none."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}
