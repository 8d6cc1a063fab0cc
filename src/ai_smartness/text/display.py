"""How stored words and times are written out: on one line, and unable to pose as ours.

Show what is stored as what it is: data, on one line, that cannot pass for words of ours.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

__all__ = ["listed_names", "one_line", "quoted_start", "shortened_text", "time_ago"]


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


def time_ago(at: datetime, now: datetime) -> str:
    """Write how long ago something was, in its largest whole unit."""
    for unit, length in _UNITS:
        count = (now - at) // length
        if count >= 1:
            return f"{count:,} {unit}{'s' if count > 1 else ''} ago"
    return "just now" if at <= now else "in the future"


def one_line(text: str) -> str:
    """Put stored words on one line, invisible characters written out, no tag of ours in them."""
    line = "".join(
        each if each.isprintable() or each in _JOINERS else _escaped_character(each)
        for each in " ".join(text.split())
    )
    return _OUR_TAGS.sub("&lt;", line)


def shortened_text(text: str, characters: int) -> str:
    """Return a text cut where it is longer."""
    return text if len(text) <= characters else text[: characters - 1].rstrip() + "…"


def _escaped_character(character: str) -> str:
    return character.encode("unicode_escape").decode()


MAX_QUOTED_CHARACTERS = 400
"""Of a text of which a line is shown; what follows would not be seen."""


def quoted_start(text: str, most: int) -> str:
    """Show the beginning of a text between quotation marks."""
    beginning = one_line(text.lstrip()[:MAX_QUOTED_CHARACTERS]).replace('"', '\\"')
    return f'"{shortened_text(beginning, most)}"'


def listed_names(names: tuple[str, ...], most: int) -> str:
    """List as many names as there is room for, and say how many more there are."""
    shown = list(_fitting_names(names, most))
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" … and {more:,} more" if more else "")


def _fitting_names(names: tuple[str, ...], most: int) -> Iterator[str]:
    room = most
    for name in names:
        room -= len(name) + 2
        if room < 0:
            return
        yield name
