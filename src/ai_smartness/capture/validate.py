"""Validate, clean and redact messages before they are stored.

All messages are checked before any is written: one invalid message leaves the whole call
without effect, and the error names it.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NoReturn, TypeVar

from ai_smartness.capture.clean import cleaned_text, sanitized_text, whole_text
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType, Message, as_utc, default_event_type
from ai_smartness.model.thread import Origin
from ai_smartness.redact import redacted_fields, redacted_text

__all__ = ["MessageDraft", "validated_drafts"]

LONGEST_ID_CHARACTERS = 512
"""Enough for the ids of any client; a longer one is a text in the wrong field."""

LONGEST_TEXT_CHARACTERS = 12_000_000
"""Of a message: thirty times what a hook keeps. Reading it takes some seconds."""

LONGEST_ROLE_CHARACTERS = 64
DEEPEST_PAYLOAD_LEVELS = 100  # far below the recursion limit of any JSON reader

_T = TypeVar("_T")

_TOO_DEEP = f"it is nested deeper than {DEEPEST_PAYLOAD_LEVELS} levels"


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """An event without a thread, and the thread that the caller named, if any.

    `origin` is the origin of the thread that the event may open.
    """

    event: Event
    thread: str | None
    origin: Origin = Origin.PROMPT


def validated_drafts(messages: object, project: str, now: datetime) -> list[MessageDraft]:
    """Return the messages as events without threads, in the same order."""
    twins: Counter[str] = Counter()
    items = messages if isinstance(messages, Iterable) else [messages]
    return [
        MessageDraft(
            _validated_event(message, project, now, twins),
            _checked_optional_name("thread", message.thread),
            _checked_origin(message.origin),
        )
        for message in map(_checked_message, items)
    ]


def _checked_message(item: object) -> Message:
    if not isinstance(item, Message):
        _refuse(
            f"capture takes messages, not {type(item).__name__}. Write it as Message(text=...)."
        )
    return item


def _validated_event(message: Message, project: str, now: datetime, twins: Counter[str]) -> Event:
    # Redacted before the id is made: an id made from a secret would confirm a guess.
    text = redacted_text(_stored_text(message))
    at = now if message.at is None else _checked_moment(message.at)
    role = _checked_name("role", message.role, LONGEST_ROLE_CHARACTERS)
    session = _checked_optional_name("session", message.session)
    id_ = message.id
    if id_ is None:
        content = "\x1f".join((session or "", role, at.isoformat(), text))
        twins[content] += 1
        id_ = _content_id(content, twins[content])
    source = role if message.source in (None, "") else message.source
    return Event(
        id=_checked_name("id", id_, LONGEST_ID_CHARACTERS),
        project=project,
        thread_id="",
        session=session,
        type=default_event_type(role) if message.type is None else _checked_type(message.type),
        role=role,
        text=text,
        payload=_checked_payload(message),
        at=at,
        source=_checked_name("source", source, LONGEST_ID_CHARACTERS),
    )


def _stored_text(message: Message) -> str:
    """Return the text to store: without noise, or whole if a program keeps its log in a thread."""
    text = _checked_text("text", message.text)
    if message.thread is None:
        return cleaned_text(_bounded_text(text))
    if len(text) > LONGEST_TEXT_CHARACTERS:
        most = f"{LONGEST_TEXT_CHARACTERS:,} characters"
        _refuse(f"a message's text can have {most}, not {len(text):,}: write it as several.")
    return whole_text(text)


def _bounded_text(text: str) -> str:
    """Return the beginning and the end of a text that is too long to be of use, cut at lines."""
    if len(text) <= LONGEST_TEXT_CHARACTERS:
        return text
    half = LONGEST_TEXT_CHARACTERS // 2
    head, tail = text[:half], text[-half:]
    # A secret must not be cut in two: its half would not be recognized.
    head = head[: head.rfind("\n") + 1] or head
    tail = tail[tail.find("\n") + 1 :]
    left_out = len(text) - len(head) - len(tail)
    return f"{head}\n[… {left_out:,} characters left out …]\n{tail}"


def _content_id(content: str, which: int) -> str:
    """Make an id from the content, so that capturing it again adds no second message.

    The same words twice at the same moment in one call are two messages.
    """
    identity = content if which == 1 else f"{content}\x1f{which}"
    return "msg_" + hashlib.blake2s(identity.encode(), digest_size=8).hexdigest()


def _checked_text(field: str, value: object) -> str:
    return _checked(field, value, str, "text", ".")


def _checked_moment(value: object) -> datetime:
    hint = ". `datetime.fromisoformat` reads one from text."
    try:
        return as_utc(_checked("at", value, datetime, "a datetime", hint))
    except (OverflowError, ValueError):
        _refuse(f"{value} cannot be a message's at: in UTC it is not within the years 1 to 9999.")


def _checked_type(value: object) -> EventType:
    type_ = _checked("type", value, EventType, "an EventType", f": one of {', '.join(EventType)}.")
    if type_ is EventType.COMPACTION:
        _refuse(
            "a message cannot be a COMPACTION: that is what `condense` writes to stand for others."
        )
    return type_


def _checked_origin(value: object) -> Origin:
    return _checked("origin", value, Origin, "an Origin", f": one of {', '.join(Origin)}.")


def _checked(field: str, value: object, type_: type[_T], noun: str, hint: str) -> _T:
    if not isinstance(value, type_):
        _refuse(f"a message's {field} must be {noun}, not {type(value).__name__}{hint}")
    return value


def _checked_optional_name(field: str, value: object) -> str | None:
    return None if value is None else _checked_name(field, value, LONGEST_ID_CHARACTERS)


def _checked_name(field: str, value: object, longest: int) -> str:
    name = _checked_text(field, value)
    if not name or len(name) > longest or name != sanitized_text(name):
        quoted = (
            name if len(name) <= LONGEST_ROLE_CHARACTERS else f"{name[:40]}… ({len(name)} long)"
        )
        _refuse(
            f"{quoted!r} cannot be a message's {field}: it must have 1 to {longest} characters, "
            "no control characters and no halves of characters."
        )
    return name


def _checked_payload(message: Message) -> dict[str, object]:
    payload: object = message.payload
    if not isinstance(payload, Mapping):
        _refuse_payload(message, f"it must be a mapping, not {type(payload).__name__}")
    try:
        text = json.dumps(dict(payload), ensure_ascii=False, allow_nan=False)
        # JSON accepts half of a character, and the store does not.
        text.encode()
        copy: dict[str, object] = json.loads(text)
    except RecursionError:
        _refuse_payload(message, _TOO_DEEP)
    except (TypeError, ValueError) as error:
        _refuse_payload(message, str(error))
    if _is_too_deep(copy):
        _refuse_payload(message, _TOO_DEEP)
    return redacted_fields(copy)


def _is_too_deep(payload: dict[str, object]) -> bool:
    level: list[object] = [payload]
    for _ in range(DEEPEST_PAYLOAD_LEVELS):
        level = [inner for value in level for inner in _nested_values(value)]
        if not level:
            return False
    return True


def _nested_values(value: object) -> list[object]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [item for item in inner if isinstance(item, dict | list)]


def _refuse_payload(message: Message, why: str) -> NoReturn:
    _refuse(
        f"the payload of message {message.id or message.text[:40]!r} cannot be kept: {why}. "
        "It must be plain JSON."
    )


def _refuse(reason: str) -> NoReturn:
    msg = f"{reason} Nothing was stored."
    raise RefusedError(msg)
