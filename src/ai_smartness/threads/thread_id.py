"""The id of a thread: when it began, and six characters of what it began with."""

import hashlib
from datetime import datetime

from ai_smartness.model.event import Event

__all__ = ["thread_id"]


def thread_id(first: Event, attempt: int = 0, salt: str = "") -> str:
    """Make the id of the thread that this event begins; attempt and salt give other ones."""
    parts = (first.project, first.session or "", first.id, str(attempt), *filter(None, [salt]))
    origin = "\x1f".join(parts)
    tail = hashlib.blake2s(origin.encode(), digest_size=3).hexdigest()
    return f"thread_{_stamp(first.at)}_{tail}"


def _stamp(at: datetime) -> str:
    return f"{at.year:04}{at:%m%d_%H%M%S}"
