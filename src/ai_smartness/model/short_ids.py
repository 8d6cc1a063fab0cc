"""The short ids of messages and bridges: the first six characters after `msg_` or `bridge_`.

Every verb accepts them, and any longer start. A thread's short id is the end of its id instead:
see `short_thread_id`.
"""

import re

__all__ = ["BRIDGE_ID_START", "MESSAGE_ID_START", "id_starts", "is_short_id", "short_id"]

MESSAGE_ID_START = "msg_"
BRIDGE_ID_START = "bridge_"

_MADE_ID = re.compile(rf"(?:{MESSAGE_ID_START}|{BRIDGE_ID_START})([0-9a-f]{{6}})[0-9a-f]{{10}}")
_HASH_START = re.compile(r"[0-9a-f]{6,16}")


def short_id(whole_id: str) -> str:
    """Return the short id of a message or a bridge; an id that a program chose stays whole."""
    made = _MADE_ID.fullmatch(whole_id)
    return made[1] if made else whole_id


def is_short_id(text: str) -> bool:
    """Say whether a text has the form of a short id, or of a longer one without its first word."""
    return _HASH_START.fullmatch(text) is not None


def id_starts(kind_start: str, text: str) -> tuple[str, ...]:
    """Return the starts of ids that a text may stand for, in the order to try them."""
    return (text, kind_start + text) if is_short_id(text) else (text,)
