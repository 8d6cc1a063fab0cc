"""Begin a thread that has no messages yet, for who keeps a log of his own."""

from datetime import datetime

from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import Change, ThreadEdit
from ai_smartness.model.thread import Thread
from ai_smartness.threads.plan import Plan
from ai_smartness.threads.rename import given
from ai_smartness.threads.thread_id import thread_id

__all__ = ["create"]


def create(project: str, title: str | None, now: datetime, salt: str) -> Plan:
    """Plan to add an empty thread; a title that is given stays."""
    named = "" if title is None else given(title)
    thread = Thread(
        id=_id(project, now, salt),
        project=project,
        title=named,
        created_at=now,
        last_active=now,
        title_given=title is not None,
    )
    said = f"Began {thread.id}" + (f" “{named}”." if named else ".")
    return Plan(project, said, Change((ThreadEdit(None, thread),)), (thread.id,))


def _id(project: str, now: datetime, salt: str) -> str:
    first = Event(
        id=salt,
        project=project,
        thread_id="",
        session=None,
        type=EventType.NOTE,
        role="note",
        text="",
        at=now,
        source="note",
    )
    return thread_id(first)
