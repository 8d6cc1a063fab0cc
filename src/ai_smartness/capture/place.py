"""Say on which thread a message belongs.

For now every session has one thread, and it opens with the session's first
message.
"""

import hashlib
from datetime import datetime

from ai_smartness.model.event import Event
from ai_smartness.model.thread import Thread

__all__ = ["opened", "thread_id"]

TITLE_CHARACTERS = 80


def opened(first: Event, id_: str) -> Thread:
    """Return the thread that this event begins."""
    line = next((line.strip() for line in first.text.splitlines() if line.strip()), "")
    return Thread(
        id=id_,
        project=first.project,
        title=line[:TITLE_CHARACTERS] or f"session {first.session or 'without a name'}",
        created_at=first.at,
        last_active=first.at,
    )


def thread_id(first: Event, attempt: int = 0) -> str:
    """Make the id of the thread that this event begins; a further attempt gives another one."""
    origin = "\x1f".join((first.project, first.session or "", first.id, str(attempt)))
    tail = hashlib.blake2s(origin.encode(), digest_size=3).hexdigest()
    return f"thread_{_stamp(first.at)}_{tail}"


def _stamp(at: datetime) -> str:
    return f"{at.year:04}{at:%m%d_%H%M%S}"
