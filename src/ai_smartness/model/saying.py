"""How stored words and times are written out: on one line, and unable to pose as ours."""

import re
from datetime import datetime, timedelta

__all__ = ["ago", "one_line", "shortened"]

_UNITS = (
    ("year", timedelta(days=365)),
    ("month", timedelta(days=30)),
    ("day", timedelta(days=1)),
    ("hour", timedelta(hours=1)),
    ("minute", timedelta(minutes=1)),
)
_JOINERS = frozenset("\u200c\u200d")
"""Invisible, and part of how emoji and some scripts are written."""
_OUR_TAGS = re.compile(r"<(?=/?(?:ai-smartness|system-reminder))", re.IGNORECASE)


def ago(at: datetime, now: datetime) -> str:
    """Write how long ago something was, in its largest whole unit."""
    for unit, length in _UNITS:
        count = (now - at) // length
        if count >= 1:
            return f"{count:,} {unit}{'s' if count > 1 else ''} ago"
    return "just now" if at <= now else "in the future"


def one_line(text: str) -> str:
    """Put stored words on one line, invisible characters written out, no tag of ours in them."""
    line = "".join(
        each if each.isprintable() or each in _JOINERS else _written_out(each)
        for each in " ".join(text.split())
    )
    return _OUR_TAGS.sub("&lt;", line)


def shortened(text: str, characters: int) -> str:
    """Return a text cut where it is longer."""
    return text if len(text) <= characters else text[: characters - 1].rstrip() + "…"


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode()
