"""One event as a client tells of it: believed in nothing.

A field that is missing or of another kind than it should be reads as empty.
"""

import os

__all__ = ["Fields", "HookEvent", "object_field", "text_field"]

Fields = dict[str, object]


class HookEvent:
    """The fields of one event."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.event_name = text_field(fields, "hook_event_name")
        self.session = text_field(fields, "session_id")
        self.tool = text_field(fields, "tool_name")
        self.call_id = text_field(fields, "tool_use_id")
        self.tool_input = object_field(fields, "tool_input")

    @property
    def cwd(self) -> str:
        """The folder the agent works in; its hooks are started there."""
        return text_field(self.fields, "cwd") or os.getcwd()

    def text_field(self, name: str) -> str:
        """Return a field that is a text."""
        return text_field(self.fields, name)


def text_field(fields: Fields, *names: str) -> str:
    """Return the first of these fields that is a text with something in it; empty if none is."""
    values = (fields.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), "")


def object_field(fields: Fields, name: str) -> Fields:
    """Return a field that has fields itself; empty if it has none."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}
