"""The lines of an export: our values as plain JSON, and back.

The fields of a record are those of its type: a field that is added to a type is in the next
export, and one that an older export lacks gets its default. Secrets are redacted when a file is
read: one from an older version, or from elsewhere, may hold some.
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
from ai_smartness.model.event import Event
from ai_smartness.model.focus import Focus
from ai_smartness.model.journal import JournalEntry
from ai_smartness.model.session import LedgerEntry, LedgerPage, Session
from ai_smartness.model.statement import StatementReview
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
    "BadExportError",
    "ExportRecord",
    "from_plain",
    "plain_value",
    "read_header",
    "read_records",
]


@dataclass(frozen=True, slots=True)
class ForgottenMark:
    """The hashed id of a forgotten message."""

    mark: str


RECORD_TYPES: dict[str, type] = {
    "project": ProjectMarks,
    "forgotten": ForgottenMark,
    "thread": Thread,
    "event": Event,
    "session": Session,
    "bridge": Bridge,
    "focus": Focus,
    "review": StatementReview,
    "change": JournalEntry,
    "turn": LedgerPage,
    "shown": LedgerEntry,
    "spent": DailySpending,
    "mark": ImportMark,
}
"""Every kind of record, in the order of a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRecord:
    """One line of an export, with the project, path or annotation that its value lacks."""

    line: int
    kind: str
    value: Any
    project: str = ""
    path: str = ""
    note: Annotation | None = None


_READING_ERRORS = (
    *(ValueError, KeyError, TypeError, AttributeError),
    # Nested too deep; a number that is too large for its field.
    *(RecursionError, OverflowError),
)
"""What Python raises for a line that is no record."""


class BadExportError(ValueError):
    """The lines are not an export that can be loaded."""


def read_header(line: bytes) -> ExportHeader:
    """Read the first line; refuse other files, and exports of a newer version."""
    try:
        header = from_plain(ExportHeader, json.loads(line)[EXPORT_KEY])
        if not all(type(count) is int for count in header.counts.values()):
            raise TypeError(header.counts)
    except _READING_ERRORS as error:
        msg = "it is not an export of a memory. Its first line is not the header."
        raise BadExportError(msg) from error
    if header.version > EXPORT_VERSION:
        msg = (
            f"a newer ai_smartness exported it (format {header.version}, this one knows "
            f"{EXPORT_VERSION}). Run `pip install --upgrade ai-smartness` first."
        )
        raise BadExportError(msg)
    return header


def read_records(lines: Iterable[bytes]) -> Iterator[ExportRecord]:
    """Read the lines after the first; refuse a line that is no record."""
    for number, line in enumerate(lines, 2):
        try:
            ((kind, plain),) = json.loads(line).items()
            record = _read_record(number, kind, _without_secrets(kind, plain))
        except _READING_ERRORS as error:
            msg = (
                f"line {number} is not a record of an export ({error}). The file was truncated or "
                "changed."
            )
            raise BadExportError(msg) from error
        yield record


def _read_record(line: int, kind: str, record: Mapping[str, Any]) -> ExportRecord:
    note = record.get("note") if kind == "event" else None
    return ExportRecord(
        line=line,
        kind=kind,
        value=from_plain(RECORD_TYPES[kind], record),
        project=str(record.get("project", "")),
        path=str(record["path"]) if kind == "mark" else "",
        note=None if note is None else from_plain(Annotation, note),
    )


T = TypeVar("T")

_FIELD_HINTS: dict[type, dict[str, Any]] = {}
"""The fields of each type and their annotations: worked out once."""


def plain_value(value: object) -> Any:  # noqa: ANN401 # whatever JSON takes
    """Return a value as dictionaries, lists, texts and numbers."""
    match value:
        case Enum():
            return value.value
        case datetime():
            return value.isoformat()
        case tuple() | list():
            return [plain_value(item) for item in value]
        case Mapping():
            return dict(value)
        case _ if is_dataclass(value):
            return {name: plain_value(getattr(value, name)) for name in _field_hints(type(value))}
    return value


def from_plain(kind: type[T], plain: Mapping[str, Any]) -> T:
    """Make a value from its plain fields; raise ValueError if they do not fit its type."""
    try:
        hints = _field_hints(kind).items()
        return kind(
            **{name: _read_value(hint, plain[name]) for name, hint in hints if name in plain}
        )
    except (TypeError, KeyError, AttributeError) as error:
        msg = f"{kind.__name__}: {error}"
        raise ValueError(msg) from error


def _read_value(hint: Any, plain: Any) -> Any:  # noqa: ANN401 # any type's, any value
    if isinstance(hint, UnionType):
        options = [option for option in get_args(hint) if option is not type(None)]
        return None if plain is None else _read_value(options[0], plain)
    if get_origin(hint) is tuple:
        return _read_tuple(get_args(hint), plain)
    # A mapping is kept as it is.
    return _read_scalar(hint, plain) if isinstance(hint, type) else plain


def _read_tuple(kinds: tuple[Any, ...], plain: Any) -> tuple[Any, ...]:  # noqa: ANN401
    if kinds[-1] is Ellipsis:
        return tuple(_read_value(kinds[0], item) for item in plain)
    return tuple(_read_value(kind, item) for kind, item in zip(kinds, plain, strict=True))


def _read_scalar(kind: type, plain: Any) -> Any:  # noqa: ANN401
    if issubclass(kind, datetime):
        return kind.fromisoformat(plain)
    if issubclass(kind, Enum):
        return kind(plain)
    if is_dataclass(kind):
        return from_plain(kind, plain)
    if kind is float and type(plain) is int:
        return float(plain)
    # `type` and not `isinstance`: True is no number.
    if type(plain) is not kind:
        msg = f"{plain!r:.60} is no {kind.__name__}"
        raise TypeError(msg)
    return plain


def _field_hints(kind: type) -> dict[str, Any]:
    if kind not in _FIELD_HINTS:
        hints = get_type_hints(kind)
        _FIELD_HINTS[kind] = {item.name: hints[item.name] for item in fields(cast("Any", kind))}
    return _FIELD_HINTS[kind]


TEXT_FIELDS: dict[str, tuple[str, ...]] = {
    "event": ("text", "payload", "note"),
    "thread": ("title", "summary", "topics", "topics_given", "ratings"),
    "bridge": ("reason",),
    "focus": ("topic",),
    "review": ("text",),
    "change": ("arguments", "said"),
    "turn": ("skipped", "prompt"),
    "shown": ("why", "lines"),
}
"""The fields of each kind that hold free text; ids are not redacted."""


_EDITED_KINDS = {"threads": "thread", "bridges": "bridge", "foci": "focus", "reviews": "review"}
"""The fields of a change that hold edits, and the kind of what is edited."""


def _without_secrets(kind: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record without the secrets in its texts."""
    clean: dict[str, Any] = {
        name: redacted_json(value) if name in TEXT_FIELDS.get(kind, ()) else value
        for name, value in record.items()
    }
    if kind == "change" and "change" in clean:
        clean["change"] = {
            name: [_edit_without_secrets(_EDITED_KINDS[name], edit) for edit in edits]
            if name in _EDITED_KINDS
            else edits
            for name, edits in clean["change"].items()
        }
    return clean


def _edit_without_secrets(kind: str, edit: Mapping[str, Any]) -> dict[str, Any]:
    return {when: record and _without_secrets(kind, record) for when, record in edit.items()}
