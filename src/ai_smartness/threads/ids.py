"""Thread ids: the time of the first message, and a hash of six characters, the short id."""

import hashlib
import re
from datetime import datetime
from itertools import count

from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Event
from ai_smartness.ports import ThreadStore

__all__ = [
    "free_thread_id",
    "is_thread_id_start",
    "names_thread",
    "thread_id_at",
    "unbracketed_id",
]

# An id begins with its date; `thread_dead` or `thread_cafe` is somebody's identifier.
_ID_START = re.compile(r"thread_[0-9]{1,8}(?:_[0-9]{0,6}(?:_[0-9a-f]{0,6})?)?")

_SHORT_ID = re.compile(r"[0-9a-f]{6}")


def free_thread_id(store: ThreadStore, first: Event, salt: str = "") -> str:
    """Make the id of the thread that this event begins; a salt gives another one."""
    origin = (first.project, first.session or "", first.id)
    salts = (salt,) if salt else ()
    ids = (thread_id_at(first.at, *origin, str(attempt), *salts) for attempt in count())
    return next(id_ for id_ in ids if not store.threads.is_taken(id_))


def thread_id_at(at: datetime, *parts: str) -> str:
    """Make the id of a thread from the time it began, and the texts that identify it."""
    tail = hashlib.blake2s("\x1f".join(parts).encode(), digest_size=3).hexdigest()
    # %Y has fewer than four digits for early years on some systems.
    return f"thread_{at.year:04}{at:%m%d_%H%M%S}_{tail}"


def is_thread_id_start(text: str) -> bool:
    """Say whether a text is the id of a thread, or the start of one."""
    return _ID_START.fullmatch(text.strip()) is not None


def names_thread(store: ThreadStore, text: str) -> bool:
    """Say whether a text is an id, the start of one, or the short id of a thread that exists.

    "facade" and "decade" have the form of a short id and are words all the same.
    """
    if is_thread_id_start(text):
        return True
    if not _SHORT_ID.fullmatch(text.strip()):
        return False
    try:
        store.threads.get(text.strip())
    except NotFoundError:
        return False
    except RefusedError:
        return True
    return True


def unbracketed_id(text: str) -> str:
    """Return an id without the brackets around it in an agent's context."""
    bare = text.strip()
    return bare[1:-1].strip() if bare.startswith("[") and bare.endswith("]") else bare
