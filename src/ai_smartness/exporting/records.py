"""The records of an export, line by line: what each one is, and refused if it is none."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ai_smartness.exporting.plain import from_plain
from ai_smartness.exporting.secrets import without_secrets
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event
from ai_smartness.model.exported import EXPORT, VERSION, Header, ProjectMarks, Spent
from ai_smartness.model.focus import Focus
from ai_smartness.model.journal import JournalEntry
from ai_smartness.model.note import Note
from ai_smartness.model.session import LedgerEntry, LedgerPage, Session
from ai_smartness.model.thread import Thread
from ai_smartness.ports.history import Mark

__all__ = ["KINDS", "Forgotten", "Record", "read_header", "records"]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The hash of something that was forgotten."""

    mark: str


KINDS: dict[str, type] = {
    "project": ProjectMarks,
    "forgotten": Forgotten,
    "thread": Thread,
    "event": Event,
    "session": Session,
    "bridge": Bridge,
    "focus": Focus,
    "change": JournalEntry,
    "turn": LedgerPage,
    "shown": LedgerEntry,
    "spent": Spent,
    "mark": Mark,
}
"""Every kind of record, in the order they stand in a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One line: its number, its kind, its value, and what belongs to that."""

    line: int
    kind: str
    value: Any
    project: str = ""
    path: str = ""
    note: Note | None = None


def read_header(line: bytes) -> Header:
    """Read the first line; refuse what is no export, and one from the future."""
    try:
        header = from_plain(Header, json.loads(line)[EXPORT])
    except (ValueError, KeyError, TypeError) as error:
        msg = "cannot import it: its first line does not say that it is an export of a memory."
        raise RefusedError(msg) from error
    if header.version > VERSION:
        msg = (
            f"cannot import it: a newer ai_smartness exported it (format {header.version}, this "
            f"one knows {VERSION}). Run `pip install --upgrade ai-smartness` first."
        )
        raise RefusedError(msg)
    return header


def records(lines: Iterable[bytes]) -> Iterator[Record]:
    """Read the lines after the first; refuse one that is no record."""
    for number, line in enumerate(lines, 2):
        try:
            ((kind, given),) = json.loads(line).items()
            yield _record(number, kind, without_secrets(kind, given))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            msg = (
                f"cannot import it: line {number} is no record of an export ({error}). It was cut "
                "off or changed; nothing of it was stored."
            )
            raise RefusedError(msg) from error


def _record(line: int, kind: str, given: Mapping[str, Any]) -> Record:
    note = given.get("note") if kind == "event" else None
    return Record(
        line=line,
        kind=kind,
        value=from_plain(KINDS[kind], given),
        project=str(given.get("project", "")),
        path=str(given["path"]) if kind == "mark" else "",
        note=None if note is None else from_plain(Note, note),
    )
