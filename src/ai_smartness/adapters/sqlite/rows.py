"""Table rows: convert values to rows and back, and look a row up by a prefix of its id."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, cast

from ai_smartness.adapters.sqlite.database import Row, Value
from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Event, EventType, as_utc
from ai_smartness.model.focus import Focus
from ai_smartness.model.thread import Kind, Origin, Rating, SplitLock, Status, Thread

__all__ = [
    "BRIDGE_COLUMNS",
    "EVENT_COLUMNS",
    "FOCUS_COLUMNS",
    "NO_SESSION",
    "THREAD_COLUMNS",
    "VectorSet",
    "bridge_from_row",
    "bridge_row",
    "compact_json",
    "event_from_row",
    "event_row",
    "focus_from_row",
    "focus_row",
    "from_microseconds",
    "json_list",
    "prefix_range",
    "text_or_none",
    "thread_from_row",
    "thread_row",
    "to_microseconds",
    "unique_match",
]

EVENT_COLUMNS = "seq, id, thread_id, session, type, role, text, payload, at, source, trust"
THREAD_COLUMNS = (
    "id, title, kind, importance, status, summary, topics, tags, weight, last_active, created_at, "
    "activation_count, origin, parent_id, child_ids, split_lock, ratings, relevance, drift, "
    'revision, files, "commit", title_given, lock_session, topics_given, set_aside'
)
BRIDGE_COLUMNS = (
    "id, source, target, relation, weight, reason, confidence, made_by, last_used, unwanted"
)
FOCUS_COLUMNS = "topic, weight, set_at, session, until"

NO_SESSION = ""
"""The session of a lasting focus."""

_AMBIGUOUS_SHOWN = 3
_Found = TypeVar("_Found")
_THREAD_NAMES = THREAD_COLUMNS.replace('"', "").split(", ")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_microseconds(at: datetime) -> int:
    """Return a time as whole microseconds since 1970."""
    return (as_utc(at) - _EPOCH) // _MICROSECOND


def from_microseconds(value: Value) -> datetime:
    """Return the time this many microseconds after 1970."""
    return _EPOCH + int(cast("int", value)) * _MICROSECOND


def event_row(event: Event) -> Row:
    """Return an event's `EVENT_COLUMNS`, without `seq`."""
    return (
        event.id,
        event.thread_id,
        event.session,
        event.type.value,
        event.role,
        event.text,
        compact_json(event.payload),
        to_microseconds(event.at),
        event.source,
        event.trust,
    )


def event_from_row(row: Row, project: str) -> Event:
    """Return the event with these `EVENT_COLUMNS`."""
    seq, id_, thread_id, session, type_, role, text, payload, at, source, trust = row
    return Event(
        seq=cast("int", seq),
        id=str(id_),
        project=project,
        thread_id=str(thread_id),
        session=text_or_none(session),
        type=EventType(str(type_)),
        role=str(role),
        text=str(text),
        # Nearly all are empty, and a long thread has many.
        payload={} if payload == "{}" else cast("Mapping[str, object]", json.loads(str(payload))),
        at=from_microseconds(at),
        source=str(source),
        trust=float(cast("float", trust)),
    )


def thread_row(thread: Thread) -> Row:
    """Return a thread's `THREAD_COLUMNS`."""
    return (
        thread.id,
        thread.title,
        thread.kind.value,
        thread.importance,
        thread.status.value,
        thread.summary,
        compact_json(thread.topics),
        compact_json(thread.tags),
        thread.weight,
        to_microseconds(thread.last_active),
        to_microseconds(thread.created_at),
        thread.activation_count,
        thread.origin.value,
        thread.parent_id,
        compact_json(thread.child_ids),
        thread.split_locked_until,
        compact_json(
            [[r.useful, to_microseconds(r.at), r.reason, r.strength] for r in thread.ratings]
        ),
        thread.relevance,
        thread.drift,
        thread.revision,
        compact_json(thread.files),
        thread.commit,
        int(thread.title_given),
        thread.lock_session,
        compact_json(thread.topics_given),
        compact_json(thread.set_aside),
    )


def thread_from_row(row: Row, project: str) -> Thread:
    """Return the thread with these `THREAD_COLUMNS`."""
    text = dict(zip(_THREAD_NAMES, row, strict=True))
    number = cast("dict[str, float]", text)
    return Thread(
        id=str(text["id"]),
        project=project,
        title=str(text["title"]),
        kind=Kind(str(text["kind"])),
        importance=number["importance"],
        status=Status(str(text["status"])),
        summary=str(text["summary"]),
        topics=_text_tuple(text["topics"]),
        tags=_text_tuple(text["tags"]),
        weight=number["weight"],
        last_active=from_microseconds(text["last_active"]),
        created_at=from_microseconds(text["created_at"]),
        activation_count=int(number["activation_count"]),
        origin=Origin(str(text["origin"])),
        parent_id=text_or_none(text["parent_id"]),
        child_ids=_text_tuple(text["child_ids"]),
        split_lock=None if text["split_lock"] is None else SplitLock(str(text["split_lock"])),
        ratings=tuple(
            Rating(bool(useful), from_microseconds(at), reason, *strength)
            for useful, at, reason, *strength in json_list(text["ratings"])
        ),
        relevance=number["relevance"],
        drift=number["drift"],
        revision=int(number["revision"]),
        files=_text_tuple(text["files"]),
        commit=text_or_none(text["commit"]),
        title_given=bool(text["title_given"]),
        lock_session=text_or_none(text["lock_session"]),
        # A journal entry from an older layout lacks the last two.
        topics_given=_text_tuple(text["topics_given"] or "[]"),
        set_aside=tuple(json.loads(str(text["set_aside"] or "[]"))),
    )


def bridge_row(bridge: Bridge) -> Row:
    """Return a bridge's `BRIDGE_COLUMNS`."""
    return (
        bridge.id,
        bridge.source,
        bridge.target,
        bridge.relation.value,
        bridge.weight,
        bridge.reason,
        bridge.confidence,
        bridge.made_by,
        to_microseconds(bridge.last_used),
        int(bridge.unwanted),
    )


def bridge_from_row(row: Row) -> Bridge:
    """Return the bridge with these `BRIDGE_COLUMNS`."""
    id_, source, target, relation, weight, reason, confidence, made_by, last_used, unwanted = row
    return Bridge(
        id=str(id_),
        source=str(source),
        target=str(target),
        relation=Relation(str(relation)),
        weight=cast("float", weight),
        reason=str(reason),
        confidence=cast("float", confidence),
        made_by=str(made_by),
        last_used=from_microseconds(last_used),
        unwanted=bool(unwanted),
    )


def focus_row(focus: Focus) -> Row:
    """Return a focus's `FOCUS_COLUMNS`."""
    return (
        focus.topic,
        focus.weight,
        to_microseconds(focus.set_at),
        focus.session or NO_SESSION,
        None if focus.until is None else to_microseconds(focus.until),
    )


def focus_from_row(row: Row) -> Focus:
    """Return the focus with these `FOCUS_COLUMNS`."""
    topic, weight, set_at, session, until = row
    return Focus(
        topic=str(topic),
        weight=cast("float", weight),
        set_at=from_microseconds(set_at),
        session=str(session) or None,
        until=None if until is None else from_microseconds(until),
    )


def compact_json(value: object) -> str:
    """Return a value as JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _text_tuple(value: Value) -> tuple[str, ...]:
    return tuple(json_list(value))


def json_list(value: Value) -> list[Any]:
    """Parse a JSON list; most are empty, and parsing them takes longer than the rest of a row."""
    return [] if value == "[]" else cast("list[Any]", json.loads(str(value)))


def text_or_none(value: Value) -> str | None:
    """Return a text column that may be NULL."""
    return None if value is None else str(value)


@dataclass(frozen=True, slots=True)
class VectorSet:
    """A row of `embedded`: the vectors of one project in one space.

    `generation` grows with every deletion of vectors.
    """

    project_id: int
    space_id: int
    rows: int
    generation: int

    @property
    def graph_name(self) -> str:
        """Return the name of the set's graph file."""
        return f"project-{self.project_id}-space-{self.space_id}.graph"


def prefix_range(prefix: str) -> tuple[str, str, int]:
    """Return the values for `id >= ? AND id < ? ORDER BY id LIMIT ?`; an empty prefix has none."""
    return prefix, prefix + "\U0010ffff", _AMBIGUOUS_SHOWN + 1 if prefix else 0


def unique_match(
    what: str, prefix: str, found: Mapping[str, _Found], missing: NotFoundError
) -> _Found:
    """Return the value with this id, or the only one whose id starts with it."""
    if prefix in found:
        return found[prefix]
    if not found:
        raise missing
    if len(found) > 1:
        some = ", ".join(list(found)[:_AMBIGUOUS_SHOWN])
        msg = f"{prefix} is the start of several {what} ids ({some} …). Give more of it."
        raise RefusedError(msg)
    return next(iter(found.values()))
