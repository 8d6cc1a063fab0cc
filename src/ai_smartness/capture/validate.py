"""What a caller hands in becomes what can be stored, or is refused by name.

Everything is checked before anything is written: one message that cannot be
kept leaves the whole call without effect.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from ai_smartness.capture.clean import cleaned_text
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType, Message, as_utc, default_event_type
from ai_smartness.model.thread import Origin
from ai_smartness.redact import redacted_fields, redacted_text
from ai_smartness.text.sanitize import sanitized_text

__all__ = ["MessageDraft", "validated_drafts"]

LONGEST_ID_CHARACTERS = 512
"""Room for any client's ids; a longer one is a text that slipped into the wrong field."""

LONGEST_ROLE_CHARACTERS = 64

DEEPEST_PAYLOAD_LEVELS = 100
"""Far below what a reader deep in its own calls could still take in."""


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """An event that has no thread yet, and the thread it was given for, if one was named.

    Otherwise, `origin` is that of the thread it may open.
    """

    event: Event
    thread: str | None
    origin: Origin = Origin.PROMPT


def validated_drafts(
    messages: Iterable[Message],
    project: str,
    now: datetime,
) -> list[MessageDraft]:
    """Return the messages as events that have no thread yet, in the order given."""
    twins: Counter[str] = Counter()
    return [
        MessageDraft(
            _validated_event(message, project, now, twins),
            _checked_optional_name("thread", message.thread),
            _checked_origin(message.origin),
        )
        for message in _checked_messages(messages)
    ]


def _checked_messages(given: object) -> list[Message]:
    each = given if isinstance(given, Iterable) else [given]
    return [_checked_message(one) for one in each]


def _checked_message(given: object) -> Message:
    if not isinstance(given, Message):
        msg = (
            f"capture takes messages, not {type(given).__name__}. "
            "Write it as Message(text=...). Nothing was stored."
        )
        raise RefusedError(msg)
    return given


def _validated_event(message: Message, project: str, now: datetime, twins: Counter[str]) -> Event:
    # Before the id is made: one that is made from a secret could be checked against a guess.
    text = redacted_text(cleaned_text(_checked_text("text", message.text)))
    at = now if message.at is None else _checked_moment(message.at)
    role = _checked_name("role", message.role, LONGEST_ROLE_CHARACTERS)
    session = _checked_optional_name("session", message.session)
    given = message.id
    if given is None:
        content = "\x1f".join((session or "", role, at.isoformat(), text))
        twins[content] += 1
        given = _content_id(content, twins[content])
    return Event(
        id=_checked_name("id", given, LONGEST_ID_CHARACTERS),
        project=project,
        thread_id="",
        session=session,
        type=default_event_type(role) if message.type is None else _checked_type(message.type),
        role=role,
        text=text,
        payload=_checked_payload(message),
        at=at,
        source=_checked_name(
            "source",
            role if message.source in (None, "") else message.source,
            LONGEST_ID_CHARACTERS,
        ),
    )


def _content_id(content: str, which: int) -> str:
    """Make an id from what was said: capturing it again is no second message.

    The same words said twice at the same moment in one call are two messages.
    """
    said = content if which == 1 else f"{content}\x1f{which}"
    return "msg_" + hashlib.blake2s(said.encode(), digest_size=8).hexdigest()


def _checked_text(what: str, value: object) -> str:
    if not isinstance(value, str):
        msg = f"a message's {what} must be text, not {type(value).__name__}. Nothing was stored."
        raise RefusedError(msg)
    return value


def _checked_moment(value: object) -> datetime:
    if not isinstance(value, datetime):
        msg = (
            f"a message's at must be a datetime, not {type(value).__name__}. "
            "`datetime.fromisoformat` reads one from text. Nothing was stored."
        )
        raise RefusedError(msg)
    try:
        return as_utc(value)
    except (OverflowError, ValueError) as error:
        msg = (
            f"{value} cannot be a message's at: in UTC it is not within the years 1 to 9999. "
            "Nothing was stored."
        )
        raise RefusedError(msg) from error


def _checked_type(value: object) -> EventType:
    if not isinstance(value, EventType):
        msg = (
            f"a message's type must be an EventType, not {type(value).__name__}: "
            f"one of {', '.join(EventType)}. Nothing was stored."
        )
        raise RefusedError(msg)
    if value is EventType.COMPACTION:
        msg = (
            "a message cannot be a COMPACTION: that is what `condense` writes to stand for others. "
            "Nothing was stored."
        )
        raise RefusedError(msg)
    return value


def _checked_origin(value: object) -> Origin:
    if not isinstance(value, Origin):
        msg = (
            f"a message's origin must be an Origin, not {type(value).__name__}: "
            f"one of {', '.join(Origin)}. Nothing was stored."
        )
        raise RefusedError(msg)
    return value


def _checked_optional_name(what: str, value: object) -> str | None:
    return None if value is None else _checked_name(what, value, LONGEST_ID_CHARACTERS)


def _checked_name(what: str, value: object, longest: int) -> str:
    name = _checked_text(what, value)
    if not name or len(name) > longest or name != sanitized_text(name):
        shown = name if len(name) <= LONGEST_ROLE_CHARACTERS else f"{name[:40]}… ({len(name)} long)"
        msg = (
            f"{shown!r} cannot be a message's {what}: it must have 1 to {longest} characters, "
            "no control characters and no halves of characters. Nothing was stored."
        )
        raise RefusedError(msg)
    return name


def _checked_payload(message: Message) -> dict[str, object]:
    given: object = message.payload
    if not isinstance(given, Mapping):
        raise _payload_error(message, f"it must be a mapping, not {type(given).__name__}")
    try:
        written = json.dumps(dict(given), ensure_ascii=False, allow_nan=False)
        # Half of a character passes as JSON, and only then is no text for the store.
        written.encode()
        copy: dict[str, object] = json.loads(written)
    except RecursionError as error:
        raise _payload_error(message, _TOO_DEEP) from error
    except (TypeError, ValueError) as error:
        raise _payload_error(message, str(error)) from error
    if _is_too_deep(copy):
        raise _payload_error(message, _TOO_DEEP)
    return redacted_fields(copy)


_Nest: TypeAlias = dict[str, object] | list[object]
_TOO_DEEP = f"it is nested deeper than {DEEPEST_PAYLOAD_LEVELS} levels"


def _is_too_deep(payload: dict[str, object]) -> bool:
    level: list[_Nest] = [payload]
    for _ in range(DEEPEST_PAYLOAD_LEVELS):
        level = [inner for each in level for inner in _nested_values(each)]
        if not level:
            return False
    return True


def _nested_values(value: _Nest) -> list[_Nest]:
    within = value.values() if isinstance(value, dict) else value
    return [each for each in within if isinstance(each, dict | list)]


def _payload_error(message: Message, why: str) -> RefusedError:
    return RefusedError(
        f"the payload of message {message.id or message.text[:40]!r} cannot be kept: {why}. "
        "It must be plain JSON. Nothing was stored.",
    )
