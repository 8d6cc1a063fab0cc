"""A record of the inbox becomes a message, or a mark that the agent's context is new.

What a hook wrote is checked here, at the edge: a record that cannot be a message is
refused with the reason.
"""

from dataclasses import dataclass
from datetime import datetime

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import EventType, Message

__all__ = ["CONTEXT_RESET_MARKS", "InboxRecord", "read_record"]

CONTEXT_RESET_MARKS = frozenset({"compact", "clear"})
"""The marks after which an agent no longer sees what it was shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRecord:
    """What a hook captured: where, by which client, and what was said, marked or both.

    `transcript` is the file in which the client writes the session down, if it says so.
    """

    id: str
    cwd: str
    client: str
    session: str | None
    mark: str | None
    message: Message | None
    transcript: str = ""


def read_record(given: "dict[str, object]") -> InboxRecord:
    """Return a record as a value; refuse one that is none."""
    id_, cwd = _text_field(given, "id"), _text_field(given, "cwd")
    if not id_ or not cwd:
        msg = "a record needs an `id` and a `cwd`."
        raise RefusedError(msg)
    session, mark = _text_field(given, "session") or None, _text_field(given, "mark") or None
    text = _text_field(given, "text")
    message = None
    if text.strip() or mark is None:
        message = Message(
            text=text,
            role=_text_field(given, "role") or "user",
            session=session,
            id=id_,
            at=_parsed_time(_text_field(given, "at")),
            type=_event_type(_text_field(given, "type")),
            source=_text_field(given, "source") or None,
            payload=_payload_field(given),
        )
    client = _text_field(given, "client") or "claude-code"
    return InboxRecord(
        id=id_,
        cwd=cwd,
        client=client,
        session=session,
        mark=mark,
        message=message,
        transcript=_text_field(given, "transcript"),
    )


def _text_field(given: "dict[str, object]", name: str) -> str:
    value = given.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        msg = f"the `{name}` of a record must be text, not {type(value).__name__}."
        raise RefusedError(msg)
    return value


def _parsed_time(written: str) -> datetime | None:
    if not written:
        return None
    try:
        return datetime.fromisoformat(written)
    except ValueError as error:
        msg = f"a record's `at` is no moment: {written[:60]!r}."
        raise RefusedError(msg) from error


def _event_type(written: str) -> EventType | None:
    if not written:
        return None
    try:
        return EventType(written)
    except ValueError as error:
        msg = f"a record's `type` is none of ours: {written[:60]!r}."
        raise RefusedError(msg) from error


def _payload_field(given: "dict[str, object]") -> "dict[str, object]":
    value = given.get("payload")
    if value is None:
        return {}
    if not isinstance(value, dict):
        msg = f"a record's `payload` must be an object, not {type(value).__name__}."
        raise RefusedError(msg)
    return value
