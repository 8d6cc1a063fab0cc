"""Read a record of the inbox: a message, a mark that the agent's context was reset, or both.

A hook's record is checked here, at the edge; one that cannot be a message is refused with the
reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ai_smartness.clients.event_records import BRIEF_MARK, PRINTED_MARK
from ai_smartness.clients.hook_event import CLAUDE_CODE
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import EventType, Message

__all__ = ["CONTEXT_RESET_MARKS", "InboxRecord", "read_record"]

CONTEXT_RESET_MARKS = frozenset({"compact", "clear"})
"""The marks after which an agent no longer sees earlier injections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRecord:
    """A captured message or mark, with the folder and the client it comes from.

    `transcript` is the file that the client writes the session to, if the hook was told.
    `brief_digest` says which brief the hook printed, if the mark says that it did, and
    `printed_lines` which messages of which threads it showed by its own search, before the
    prompt whose id is `prompt_id`. `fields` is the record as the hook wrote it.
    """

    id: str
    cwd: str
    client: str
    session: str | None
    mark: str | None
    message: Message | None
    transcript: str = ""
    brief_digest: str = ""
    printed_lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    prompt_id: str = ""
    fields: "dict[str, object]" = field(default_factory=dict, repr=False, compare=False)


def read_record(fields: "dict[str, object]") -> InboxRecord:
    """Return a record as a value, or refuse it."""
    id_, cwd = _text_field(fields, "id"), _text_field(fields, "cwd")
    if not id_ or not cwd:
        msg = "a record needs an `id` and a `cwd`."
        raise RefusedError(msg)
    session, mark = _text_field(fields, "session") or None, _text_field(fields, "mark") or None
    text = _text_field(fields, "text")
    message = None
    if text.strip() or mark is None:
        message = Message(
            text=text,
            role=_text_field(fields, "role") or "user",
            session=session,
            id=id_,
            at=_parsed_time(_text_field(fields, "at")),
            type=_event_type(_text_field(fields, "type")),
            source=_text_field(fields, "source") or None,
            payload=_payload_field(fields),
        )
    client = _text_field(fields, "client") or CLAUDE_CODE
    return InboxRecord(
        id=id_,
        cwd=cwd,
        client=client,
        session=session,
        mark=mark,
        message=message,
        transcript=_text_field(fields, "transcript"),
        brief_digest=_text_field(_payload_field(fields), "digest") if mark == BRIEF_MARK else "",
        printed_lines=_printed_lines(fields) if mark == PRINTED_MARK else {},
        prompt_id=_text_field(_payload_field(fields), "prompt") if mark == PRINTED_MARK else "",
        fields=fields,
    )


def _printed_lines(fields: "dict[str, object]") -> dict[str, tuple[int, ...]]:
    lines = _payload_field(fields).get("lines")
    if not isinstance(lines, dict):
        msg = "a record of printed messages needs their `lines`, by thread."
        raise RefusedError(msg)
    return {
        thread_id: tuple(seq for seq in seqs if isinstance(seq, int))
        for thread_id, seqs in lines.items()
        if isinstance(seqs, list)
    }


def _text_field(fields: "dict[str, object]", name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        msg = f"the `{name}` of a record must be text, not {type(value).__name__}."
        raise RefusedError(msg)
    return value


def _parsed_time(text: str) -> datetime | None:
    if not text:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        msg = f"a record's `at` is no moment: {text[:60]!r}."
        raise RefusedError(msg) from error


def _event_type(text: str) -> EventType | None:
    if not text:
        return None
    try:
        return EventType(text)
    except ValueError as error:
        msg = f"a record's `type` is none of ours: {text[:60]!r}."
        raise RefusedError(msg) from error


def _payload_field(fields: "dict[str, object]") -> "dict[str, object]":
    value = fields.get("payload")
    if value is None:
        return {}
    if not isinstance(value, dict):
        msg = f"a record's `payload` must be an object, not {type(value).__name__}."
        raise RefusedError(msg)
    return value
