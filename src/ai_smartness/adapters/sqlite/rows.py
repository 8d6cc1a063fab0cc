"""Values as the tables hold them, and back."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from ai_smartness.adapters.sqlite.database import Row, Value
from ai_smartness.model.event import Event, EventType, as_utc
from ai_smartness.model.thread import Kind, Origin, Rating, SplitLock, Status, Thread

__all__ = [
    "EVENT_COLUMNS",
    "THREAD_COLUMNS",
    "event_from_row",
    "event_row",
    "from_microseconds",
    "thread_from_row",
    "thread_row",
    "to_microseconds",
]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

EVENT_COLUMNS = "seq, id, thread_id, session, type, role, text, payload, at, source, trust"
THREAD_COLUMNS = (
    "id, title, kind, importance, status, summary, topics, tags, weight, last_active, created_at, "
    "activation_count, origin, parent_id, child_ids, split_lock, ratings, relevance, drift, "
    'revision, files, "commit", title_given, lock_session, topics_given, set_aside'
)


_THREAD_NAMES = THREAD_COLUMNS.replace('"', "").split(", ")


def to_microseconds(at: datetime) -> int:
    """Return a moment as whole microseconds since 1970."""
    return (as_utc(at) - _EPOCH) // _MICROSECOND


def from_microseconds(value: Value) -> datetime:
    """Return the moment that so many microseconds after 1970 are."""
    return _EPOCH + int(cast("int", value)) * _MICROSECOND


def event_row(event: Event) -> Row:
    """Lay an event out by `EVENT_COLUMNS`, without its `seq`."""
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
    """Read an event from `EVENT_COLUMNS`."""
    seq, id_, thread_id, session, type_, role, text, payload, at, source, trust = row
    return Event(
        seq=cast("int", seq),
        id=str(id_),
        project=project,
        thread_id=str(thread_id),
        session=_text_or_none(session),
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
    """Lay a thread out by `THREAD_COLUMNS`."""
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
    """Read a thread from `THREAD_COLUMNS`."""
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
        parent_id=_text_or_none(text["parent_id"]),
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
        commit=_text_or_none(text["commit"]),
        title_given=bool(text["title_given"]),
        lock_session=_text_or_none(text["lock_session"]),
        # A journal entry from before they could be given has none.
        topics_given=_text_tuple(text["topics_given"] or "[]"),
        set_aside=tuple(json.loads(str(text["set_aside"] or "[]"))),
    )


def compact_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _text_tuple(value: Value) -> tuple[str, ...]:
    return tuple(json_list(value))


def json_list(value: Value) -> list[Any]:
    # Most lists are empty, and a project has thousands: reading them takes longer than the rest.
    return [] if value == "[]" else cast("list[Any]", json.loads(str(value)))


def _text_or_none(value: Value) -> str | None:
    return None if value is None else str(value)
