"""The records of an export, line by line: what each one is, and refused if it is none.

Our values as plain ones that JSON can hold, and back, exactly.

What a value is made of is read from its type, so that a field that is added to one is in
the next export without a word; one that an older export lacks has its default.

Take secrets out of records before they are stored.

What this version exported has none. A file from an older one, or by another hand, may.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from enum import Enum
from types import UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from ai_smartness.model.annotation import Annotation
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event
from ai_smartness.model.focus import Focus
from ai_smartness.model.journal import JournalEntry
from ai_smartness.model.session import LedgerEntry, LedgerPage, Session
from ai_smartness.model.thread import Thread
from ai_smartness.model.transfer import (
    EXPORT_KEY,
    EXPORT_VERSION,
    DailySpending,
    ExportHeader,
    ProjectMarks,
)
from ai_smartness.ports.transfer import ImportMark
from ai_smartness.redact import redacted_json

__all__ = [
    "RECORD_TYPES",
    "ExportRecord",
    "ForgottenMark",
    "from_plain",
    "plain_value",
    "read_header",
    "read_records",
    "record_without_secrets",
]


@dataclass(frozen=True, slots=True)
class ForgottenMark:
    """The hash of something that was forgotten."""

    mark: str


RECORD_TYPES: dict[str, type] = {
    "project": ProjectMarks,
    "forgotten": ForgottenMark,
    "thread": Thread,
    "event": Event,
    "session": Session,
    "bridge": Bridge,
    "focus": Focus,
    "change": JournalEntry,
    "turn": LedgerPage,
    "shown": LedgerEntry,
    "spent": DailySpending,
    "mark": ImportMark,
}
"""Every kind of record, in the order they stand in a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRecord:
    """One line: its number, its kind, its value, and what belongs to that."""

    line: int
    kind: str
    value: Any
    project: str = ""
    path: str = ""
    note: Annotation | None = None


def read_header(line: bytes) -> ExportHeader:
    """Read the first line; refuse what is no export, and one from the future."""
    try:
        header = from_plain(ExportHeader, json.loads(line)[EXPORT_KEY])
    except (ValueError, KeyError, TypeError) as error:
        msg = "cannot import it: its first line does not say that it is an export of a memory."
        raise RefusedError(msg) from error
    if header.version > EXPORT_VERSION:
        msg = (
            f"cannot import it: a newer ai_smartness exported it (format {header.version}, this "
            f"one knows {EXPORT_VERSION}). Run `pip install --upgrade ai-smartness` first."
        )
        raise RefusedError(msg)
    return header


def read_records(lines: Iterable[bytes]) -> Iterator[ExportRecord]:
    """Read the lines after the first; refuse one that is no record."""
    for number, line in enumerate(lines, 2):
        try:
            ((kind, given),) = json.loads(line).items()
            yield _read_record(number, kind, record_without_secrets(kind, given))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            msg = (
                f"cannot import it: line {number} is no record of an export ({error}). It was cut "
                "off or changed; nothing of it was stored."
            )
            raise RefusedError(msg) from error


def _read_record(line: int, kind: str, given: Mapping[str, Any]) -> ExportRecord:
    note = given.get("note") if kind == "event" else None
    return ExportRecord(
        line=line,
        kind=kind,
        value=from_plain(RECORD_TYPES[kind], given),
        project=str(given.get("project", "")),
        path=str(given["path"]) if kind == "mark" else "",
        note=None if note is None else from_plain(Annotation, note),
    )


T = TypeVar("T")

_FIELD_HINTS: dict[type, dict[str, Any]] = {}
"""The fields of each type with what they hold: worked out once."""


def plain_value(value: object) -> Any:  # noqa: ANN401 # whatever JSON takes
    """Return a value of ours as dictionaries, lists, texts and numbers."""
    match value:
        case Enum():
            return value.value
        case datetime():
            return value.isoformat()
        case tuple() | list():
            return [plain_value(each) for each in value]
        case Mapping():
            return dict(value)
        case _ if is_dataclass(value):
            return {name: plain_value(getattr(value, name)) for name in _field_hints(type(value))}
    return value


def from_plain(kind: type[T], given: Mapping[str, Any]) -> T:
    """Return the value of a kind that plain fields tell of; raise ValueError if they tell none."""
    try:
        values = {
            name: _read_value(hint, given[name])
            for name, hint in _field_hints(kind).items()
            if name in given
        }
        return kind(**values)
    except (TypeError, KeyError, AttributeError) as error:
        msg = f"{kind.__name__}: {error}"
        raise ValueError(msg) from error


def _read_value(hint: Any, given: Any) -> Any:  # noqa: ANN401 # any type's, any value
    if isinstance(hint, UnionType):
        meant = [each for each in get_args(hint) if each is not type(None)]
        return None if given is None else _read_value(meant[0], given)
    if get_origin(hint) is tuple:
        return _read_tuple(get_args(hint), given)
    # A mapping is kept as it is.
    return _read_scalar(hint, given) if isinstance(hint, type) else given


def _read_tuple(kinds: tuple[Any, ...], given: Any) -> tuple[Any, ...]:  # noqa: ANN401
    if kinds[-1] is Ellipsis:
        return tuple(_read_value(kinds[0], each) for each in given)
    return tuple(_read_value(kind, each) for kind, each in zip(kinds, given, strict=True))


def _read_scalar(kind: type, given: Any) -> Any:  # noqa: ANN401
    if issubclass(kind, datetime):
        return kind.fromisoformat(given)
    if issubclass(kind, Enum):
        return kind(given)
    return from_plain(kind, given) if is_dataclass(kind) else _number_or_text(kind, given)


def _number_or_text(kind: type, given: Any) -> Any:  # noqa: ANN401
    if kind is float and type(given) is int:
        return float(given)
    # `type` and not `isinstance`: True is no number.
    if type(given) is not kind:
        msg = f"{given!r:.60} is no {kind.__name__}"
        raise TypeError(msg)
    return given


def _field_hints(kind: type) -> dict[str, Any]:
    if kind not in _FIELD_HINTS:
        hints = get_type_hints(kind)
        _FIELD_HINTS[kind] = {each.name: hints[each.name] for each in fields(cast("Any", kind))}
    return _FIELD_HINTS[kind]


TEXT_FIELDS: dict[str, tuple[str, ...]] = {
    "event": ("text", "payload", "note"),
    "thread": ("title", "summary", "topics", "topics_given", "ratings"),
    "bridge": ("reason",),
    "focus": ("topic",),
    "change": ("arguments", "said"),
    "turn": ("skipped",),
    "shown": ("why",),
}
"""The fields of each kind that hold words; what is known by its id keeps it."""


def record_without_secrets(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record without the secrets in its words."""
    kept = dict(given)
    for name in TEXT_FIELDS.get(kind, ()):
        if name in kept:
            kept[name] = redacted_json(kept[name])
    if kind == "change" and "change" in kept:
        kept["change"] = _change_without_secrets(kept["change"])
    return kept


def _change_without_secrets(change: Mapping[str, Any]) -> dict[str, Any]:
    """Return a change without the secrets in what it tells of threads and bridges."""
    kinds = {"threads": "thread", "bridges": "bridge", "foci": "focus"}
    return {
        name: [_edit_without_secrets(kinds[name], each) for each in edits]
        if name in kinds
        else edits
        for name, edits in change.items()
    }


def _edit_without_secrets(kind: str, edit: Mapping[str, Any]) -> dict[str, Any]:
    return {when: given and record_without_secrets(kind, given) for when, given in edit.items()}
