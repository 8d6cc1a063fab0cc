"""One hook event. Nothing in it is trusted: a missing or mistyped field reads as empty."""

import os

from ai_smartness.clients.fast_json import loads_bounded

__all__ = ["CLAUDE_CODE", "Fields", "HookEvent", "event_fields", "object_field", "text_field"]

Fields = dict[str, object]

CLAUDE_CODE = "claude-code"
"""The client of an event that names none: the first one, whose records never named it."""


class HookEvent:
    """One event of a session, with the fields that the client sent."""

    def __init__(self, fields: Fields, client: str = CLAUDE_CODE) -> None:
        self.fields = fields
        self.client = client
        self.event_name = text_field(fields, "hook_event_name")
        self.session = text_field(fields, "session_id")
        self.tool = text_field(fields, "tool_name")
        self.call_id = text_field(fields, "tool_use_id")
        self.tool_input = object_field(fields, "tool_input")

    @property
    def cwd(self) -> str:
        """The folder the agent works in, which is also where its hooks are started."""
        cwd = text_field(self.fields, "cwd")
        # No folder has a null in its name, and the system would not look for it.
        return cwd if cwd and "\0" not in cwd else os.getcwd()

    def with_fields(self, **fields: object) -> "HookEvent":
        """Return the same event with other values in some of its fields."""
        return HookEvent({**self.fields, **fields}, self.client)

    def text_field(self, name: str) -> str:
        """Return a text field of the event; empty if it is none."""
        return text_field(self.fields, name)


def event_fields(text: str) -> Fields:
    """Parse the text of an event; raise ValueError if it is no JSON object."""
    fields = loads_bounded(text)
    if not isinstance(fields, dict):
        msg = "a hook's input is a JSON object"
        raise ValueError(msg)  # noqa: TRY004 - whoever reads catches one kind
    return fields


def text_field(fields: Fields, *names: str) -> str:
    """Return the first of these fields that is a non-empty text."""
    values = (fields.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), "")


def object_field(fields: Fields, name: str) -> Fields:
    """Return a field that is an object itself; empty if it is none."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}
