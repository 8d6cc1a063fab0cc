"""A message as a caller gives it, and an event as the store keeps it.

An event is immutable, numbered by one store-wide `seq`, and on exactly one thread.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from ai_smartness.model.thread import Origin
from ai_smartness.text.trust import USER, origin_label, trust_tier

__all__ = [
    "ANSWERING_ROLES",
    "DOCUMENT_SOURCE",
    "PIN_SOURCES",
    "Event",
    "EventType",
    "Message",
    "as_utc",
    "default_event_type",
    "event_origin",
    "event_tier",
    "is_by_agent",
    "is_pin",
]

ANSWERING_ROLES = frozenset({"assistant", "agent", "model", "tool", "system", "note"})

DOCUMENT_SOURCE = "document"
PIN_SOURCES = frozenset({"agent_pin", "user_pin", DOCUMENT_SOURCE})
"""The sources of pins and documents, which are never part of a conversation."""


class EventType(StrEnum):
    """The kind of an event."""

    USER_MESSAGE = "USER_MESSAGE"
    AGENT_MESSAGE = "AGENT_MESSAGE"
    TOOL_CALL = "TOOL_CALL"
    TOOL_RESULT = "TOOL_RESULT"
    NOTE = "NOTE"
    COMPACTION = "COMPACTION"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a caller gives to `capture`.

    Without an id it gets one made from its content; without a time, the present. A time without
    a zone is UTC. Without a thread it is assigned by its subject; a thread that it opens gets its
    origin.
    """

    text: str
    role: str = "user"
    session: str | None = None
    id: str | None = None
    at: datetime | None = None
    type: EventType | None = None
    source: str | None = None
    payload: Mapping[str, object] = field(default_factory=dict)
    thread: str | None = None
    origin: Origin = Origin.PROMPT


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A stored message. `seq` is 0 until it is stored."""

    id: str
    project: str
    thread_id: str
    session: str | None
    type: EventType
    role: str
    text: str
    at: datetime
    source: str
    trust: float = 1.0
    payload: Mapping[str, object] = field(default_factory=dict)
    seq: int = 0


def default_event_type(role: str) -> EventType:
    """Return the default event type of a role."""
    match role.lower():
        case "assistant" | "agent" | "model":
            return EventType.AGENT_MESSAGE
        case "tool":
            return EventType.TOOL_RESULT
        case "system" | "note":
            return EventType.NOTE
        case _:
            return EventType.USER_MESSAGE


def is_by_agent(event: Event) -> bool:
    """Say whether an agent, a tool, a program or a file wrote it, and not a person in a session."""
    return event.role.casefold() in ANSWERING_ROLES or event_tier(event) != USER


def event_tier(event: Event) -> str:
    """Return how far an event is trusted, by where it came from: a tier of `text/trust.py`."""
    return trust_tier(event.role, event.source, event.payload, event.text)


def event_origin(event: Event) -> str:
    """Return the label of a source that is neither a user nor an agent: `web (docs.rs)`."""
    return origin_label(event.role, event.source, event.payload, event.text)


def is_pin(event: Event) -> bool:
    """Say whether it is a pin or a document: it has its own thread, which nothing continues."""
    return event.type is EventType.NOTE and event.source in PIN_SOURCES


def as_utc(at: datetime) -> datetime:
    """Return the same moment in UTC; a time without a zone is UTC."""
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
