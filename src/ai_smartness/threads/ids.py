"""Thread ids: the time of the first message, and a hash of six characters."""

import hashlib
import re

from ai_smartness.model.event import Event

__all__ = ["is_thread_id_start", "new_thread_id", "unbracketed_id"]

# An id begins with its date; `thread_dead` or `thread_cafe` is somebody's identifier.
_ID_START = re.compile(r"thread_[0-9]{1,8}(?:_[0-9]{0,6}(?:_[0-9a-f]{0,6})?)?")


def new_thread_id(first: Event, attempt: int = 0, salt: str = "") -> str:
    """Make the id of the thread that this event begins; attempt and salt give other ones."""
    parts = (first.project, first.session or "", first.id, str(attempt), *filter(None, [salt]))
    tail = hashlib.blake2s("\x1f".join(parts).encode(), digest_size=3).hexdigest()
    # %Y has fewer than four digits for early years on some systems.
    return f"thread_{first.at.year:04}{first.at:%m%d_%H%M%S}_{tail}"


def is_thread_id_start(text: str) -> bool:
    """Say whether a text is the id of a thread, or the start of one."""
    return _ID_START.fullmatch(text.strip()) is not None


def unbracketed_id(text: str) -> str:
    """Return an id without the brackets around it in an agent's context."""
    bare = text.strip()
    return bare[1:-1].strip() if bare.startswith("[") and bare.endswith("]") else bare
