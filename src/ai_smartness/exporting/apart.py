"""Refuse to take in what says otherwise than what is here under the same id."""

from dataclasses import fields
from typing import NoReturn

from ai_smartness.exporting.records import Record
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.thread import Thread

__all__ = ["refuse_contradictions"]

_NUMBERED = frozenset({"seq", "thread_id"})


def refuse_contradictions(record: Record, here: Thread | Event) -> None:
    """Refuse a record that has the id of something else here."""
    match here:
        case Thread():
            if here.project != record.value.project:
                _refuse(record, f"thread {here.id} is of project {here.project} here")
        case Event():
            _refuse_event(record, here)


def _refuse_event(record: Record, here: Event) -> None:
    given: Event = record.value
    # What a compaction holds is numbered otherwise here.
    left = _NUMBERED | ({"payload"} if given.type is EventType.COMPACTION else set[str]())
    names = [each.name for each in fields(Event) if each.name not in left]
    other = [name for name in names if getattr(given, name) != getattr(here, name)]
    if other:
        _refuse(record, f"message {here.id} has another {' and '.join(other)} here")
    if given.thread_id != here.thread_id:
        _refuse(
            record,
            f"message {here.id} is on {here.thread_id} here, and on {given.thread_id} in the file",
        )


def _refuse(record: Record, because: str) -> NoReturn:
    msg = (
        f"cannot import it: {because} (line {record.line}). The two memories have gone separate "
        "ways, and nothing of it was stored. Import it into a memory of its own: "
        "`ais --home FOLDER import FILE`."
    )
    raise RefusedError(msg)
