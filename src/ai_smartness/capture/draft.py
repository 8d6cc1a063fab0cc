"""What a caller hands in becomes what can be stored, or is refused by name.

Everything is checked before anything is written: one message that cannot be
kept leaves the whole call without effect.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from ai_smartness.capture.clean import cleaned, harmless
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, Message, as_utc, type_of_role

__all__ = ["Draft", "drafted"]

LONGEST_ID_CHARACTERS = 512
"""Room for any client's ids; a longer one is a text that slipped into the wrong field."""

LONGEST_ROLE_CHARACTERS = 64


@dataclass(frozen=True, slots=True)
class Draft:
    """An event that has no thread yet, and the thread it was given for, if one was named."""

    event: Event
    thread: str | None


def drafted(messages: Iterable[Message], project: str, now: datetime) -> list[Draft]:
    """Return the messages as events that have no thread yet, in the order given."""
    twins: Counter[str] = Counter()
    return [Draft(_event(message, project, now, twins), message.thread) for message in messages]


def _event(message: Message, project: str, now: datetime, twins: Counter[str]) -> Event:
    text = cleaned(_text("text", message.text))
    at = now if message.at is None else as_utc(message.at)
    role = _name("role", message.role, LONGEST_ROLE_CHARACTERS)
    session = message.session
    if session is not None:
        session = _name("session", session, LONGEST_ID_CHARACTERS)
    given = message.id
    if given is None:
        content = "\x1f".join((session or "", role, at.isoformat(), text))
        twins[content] += 1
        given = _made_id(content, twins[content])
    return Event(
        id=_name("id", given, LONGEST_ID_CHARACTERS),
        project=project,
        thread_id="",
        session=session,
        type=message.type or type_of_role(role),
        role=role,
        text=text,
        payload=_payload(message),
        at=at,
        source=message.source or role,
    )


def _made_id(content: str, which: int) -> str:
    """Make an id from what was said: capturing it again is no second message.

    The same words said twice at the same moment in one call are two messages.
    """
    said = content if which == 1 else f"{content}\x1f{which}"
    return "msg_" + hashlib.blake2s(said.encode(), digest_size=8).hexdigest()


def _text(what: str, value: object) -> str:
    if not isinstance(value, str):
        msg = f"a message's {what} must be text, not {type(value).__name__}. Nothing was stored."
        raise RefusedError(msg)
    return value


def _name(what: str, value: object, longest: int) -> str:
    name = _text(what, value)
    if not name or len(name) > longest or name != harmless(name):
        shown = name if len(name) <= LONGEST_ROLE_CHARACTERS else f"{name[:40]}… ({len(name)} long)"
        msg = (
            f"{shown!r} cannot be a message's {what}: it must have 1 to {longest} characters "
            "and no control characters. Nothing was stored."
        )
        raise RefusedError(msg)
    return name


def _payload(message: Message) -> dict[str, object]:
    try:
        copy: dict[str, object] = json.loads(json.dumps(dict(message.payload)))
    except (TypeError, ValueError) as error:
        msg = (
            f"the payload of message {message.id or message.text[:40]!r} cannot be kept: {error}. "
            "It must be plain JSON. Nothing was stored."
        )
        raise RefusedError(msg) from error
    return copy
