"""Table rows: convert values to rows and back, and look a row up by a prefix of its id."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any, Generic, NamedTuple, TypeVar

from ai_smartness.adapters.tables.sql_database import Row, Value
from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.focus import Focus
from ai_smartness.model.session import (
    LedgerEntry,
    LedgerPage,
    LineScores,
    Session,
    ShownLine,
    SkippedThread,
)
from ai_smartness.model.statement import ReviewState, StatementKind, StatementReview
from ai_smartness.model.thread import Kind, Origin, Rating, SplitLock, Status, Thread
from ai_smartness.ports.give_way import give_way

__all__ = [
    "BRIDGE_ROWS",
    "ENTRY_ROWS",
    "EVENT_ROWS",
    "FOCUS_ROWS",
    "NO_SESSION",
    "PAGE_ROWS",
    "REVIEW_ROWS",
    "SESSION_ROWS",
    "THREAD_ROWS",
    "RowLayout",
    "VectorSet",
    "compact_json",
    "from_microseconds",
    "json_list",
    "prefix_range",
    "skipped_json",
    "to_microseconds",
    "unique_match",
]

NO_SESSION = ""  # the session of a lasting focus

_AMBIGUOUS_SHOWN = 3
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

_Type = TypeVar("_Type")


def to_microseconds(at: datetime) -> int:
    """Return a time as whole microseconds since 1970."""
    moment = at if at.tzinfo else at.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(value: int) -> datetime:
    """Return the time this many microseconds after 1970."""
    return _EPOCH + value * _MICROSECOND


def compact_json(value: object) -> str:
    """Return a value as JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_list(value: str) -> list[Any]:
    """Parse a JSON list; most are empty, and parsing them takes longer than the rest of a row."""
    return [] if value == "[]" else list(json.loads(value))


def skipped_json(threads: list[list[object]]) -> str:
    """Return the threads that a ledger page skipped as JSON."""
    return json.dumps(threads, ensure_ascii=False)


class _Codec(NamedTuple):
    """How a field is written to its column, and read from it."""

    write: Callable[[Any], Value]
    read: Callable[[Any], object]


class RowLayout(Generic[_Type]):
    """Converts values of one type to rows of these columns, which are named like its fields."""

    def __init__(self, make: Callable[..., _Type], columns: str, **codecs: _Codec) -> None:
        self.columns = columns
        self.names = columns.replace('"', "").split(", ")
        self.placeholders = ", ".join("?" * len(self.names))
        self._make = make
        self._codecs = codecs
        self._reads = [(name, codec.read) for name, codec in codecs.items()]

    def updates(self, *keys: str) -> str:
        """Return the assignments that replace a row, all but those of its keys."""
        columns = (column for column in self.columns.split(", ") if column not in keys)
        return ", ".join(f"{column} = excluded.{column}" for column in columns)

    def row(self, value: _Type) -> Row:
        """Return a value's row."""
        codecs = self._codecs
        return tuple(
            codecs[name].write(getattr(value, name)) if name in codecs else getattr(value, name)
            for name in self.names
        )

    def value(self, row: Row, **fields: object) -> _Type:
        """Return the value of a row; `fields` are not in the table."""
        give_way()
        fields.update(zip(self.names, row, strict=True))
        for name, read in self._reads:
            fields[name] = read(fields[name])
        return self._make(**fields)


def _enum(kind: Callable[[str], object]) -> _Codec:
    return _Codec(attrgetter("value"), kind)


def _optional(codec: _Codec) -> _Codec:
    return _Codec(
        lambda value: None if value is None else codec.write(value),
        lambda value: None if value is None else codec.read(value),
    )


_TIME = _Codec(to_microseconds, from_microseconds)
_BOOL = _Codec(int, bool)
# A journal entry of an older layout lacks some columns.
_TUPLE = _Codec(
    compact_json, lambda value: tuple(json.loads(value)) if value and value != "[]" else ()
)

EVENT_ROWS = RowLayout(
    Event,
    "seq, id, thread_id, session, type, role, text, payload, at, source, trust",
    type=_enum(EventType),
    # Nearly all are empty, and a long thread has many.
    payload=_Codec(compact_json, lambda value: {} if value == "{}" else json.loads(value)),
    at=_TIME,
)
THREAD_ROWS = RowLayout(
    Thread,
    "id, title, kind, importance, status, summary, topics, tags, weight, last_active, created_at, "
    "activation_count, origin, parent_id, child_ids, split_lock, ratings, relevance, drift, "
    'revision, files, "commit", title_given, lock_session, topics_given, set_aside',
    kind=_enum(Kind),
    status=_enum(Status),
    topics=_TUPLE,
    tags=_TUPLE,
    last_active=_TIME,
    created_at=_TIME,
    origin=_enum(Origin),
    child_ids=_TUPLE,
    split_lock=_optional(_enum(SplitLock)),
    ratings=_Codec(
        lambda ratings: compact_json(
            [[r.useful, to_microseconds(r.at), r.reason, r.strength] for r in ratings]
        ),
        lambda value: tuple(
            Rating(bool(useful), from_microseconds(at), reason, *strength)
            for useful, at, reason, *strength in json_list(value)
        ),
    ),
    files=_TUPLE,
    title_given=_BOOL,
    topics_given=_TUPLE,
    set_aside=_TUPLE,
)
SESSION_ROWS = RowLayout(Session, "id, client, turn, epoch, beat, epoch_seq, crossed")
BRIDGE_ROWS = RowLayout(
    Bridge,
    "id, source, target, relation, weight, reason, confidence, made_by, last_used, unwanted",
    relation=_enum(Relation),
    last_used=_TIME,
    unwanted=_BOOL,
)
FOCUS_ROWS = RowLayout(
    Focus,
    "topic, weight, set_at, session, until",
    set_at=_TIME,
    session=_Codec(lambda session: session or NO_SESSION, lambda value: value or None),
    until=_optional(_TIME),
)
REVIEW_ROWS = RowLayout(
    StatementReview,
    "statement_id, state, at, text, kind, event_id, sentence_hash",
    state=_enum(ReviewState),
    at=_TIME,
    kind=_optional(_enum(StatementKind)),
)


def _line_fields(line: ShownLine) -> list[object]:
    scores = line.scores
    numbers = [scores.relevance, scores.words, scores.meaning] if scores else []
    return [line.seq, line.role, to_microseconds(line.at), line.text, line.why, *numbers]


def _shown_line(seq: int, role: str, at: int, text: str, why: str, *numbers: Any) -> ShownLine:  # noqa: ANN401
    """Read a line; one of an earlier version has no numbers."""
    scores = LineScores(*numbers) if numbers else None
    return ShownLine(seq, role, from_microseconds(at), text, why, scores)


ENTRY_ROWS = RowLayout(
    LedgerEntry,
    "session, epoch, turn, thread_id, revision, tokens, score, why, seqs, through, used, lines",
    seqs=_Codec(json.dumps, lambda value: tuple(json.loads(value))),
    used=_BOOL,
    lines=_Codec(
        lambda lines: compact_json([_line_fields(line) for line in lines]),
        lambda value: tuple(_shown_line(*fields) for fields in json_list(value)),
    ),
)
PAGE_ROWS = RowLayout(
    LedgerPage,
    "session, epoch, turn, at, took_ms, skipped, prompt, reranked_ms, block",
    at=_TIME,
    skipped=_Codec(
        lambda threads: skipped_json(
            [[t.thread_id, t.title, t.reason, t.score, t.text] for t in threads]
        ),
        lambda value: tuple(SkippedThread(*thread) for thread in json.loads(value)),
    ),
)


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


def unique_match(what: str, prefix: str, found: Mapping[str, _Type]) -> _Type | None:
    """Return the value with this id, or the only one whose id starts with it."""
    if len(found) > 1 and prefix not in found:
        some = ", ".join(list(found)[:_AMBIGUOUS_SHOWN])
        msg = f"{prefix} is the start of several {what} ids ({some} …). Give more of it."
        raise RefusedError(msg)
    return found.get(prefix) or next(iter(found.values()), None)
