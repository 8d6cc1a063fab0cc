"""Show stored text and times: on one line, and unable to pass for text of our own.

Standard library only, and without regular expressions: the hook imports this.
"""

from ai_smartness.text.markers import OWN_TAGS

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

__all__ = ["listed_names", "one_line", "quoted_start", "shortened_text", "time_ago"]

MAX_QUOTED_CHARACTERS = 400
"""Read of a text whose first line is shown."""

_DAY_SECONDS = 86_400
_UNIT_SECONDS = (
    ("year", 365 * _DAY_SECONDS),
    ("month", 30 * _DAY_SECONDS),
    ("day", _DAY_SECONDS),
    ("hour", 3_600),
    ("minute", 60),
)
_JOINERS = "\u200c\u200d"
"""Invisible, and part of how emoji and some scripts are written."""

_LONGEST_TAG_CHARACTERS = 20


def one_line(text: str) -> str:
    """Put stored text on one line, with invisible characters escaped and our tags defused."""
    line = "".join(
        character if character.isprintable() or character in _JOINERS else _escaped(character)
        for character in " ".join(text.split())
    )
    head, *rest = line.split("<")
    return head + "".join(("&lt;" if _is_own_tag(part) else "<") + part for part in rest)


def _is_own_tag(text: str) -> bool:
    return text[:_LONGEST_TAG_CHARACTERS].casefold().removeprefix("/").startswith(OWN_TAGS)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


def shortened_text(text: str, characters: int) -> str:
    """Return the text, cut with an ellipsis if it is longer than this."""
    return text if len(text) <= characters else text[: characters - 1].rstrip() + "…"


def quoted_start(text: str, most: int) -> str:
    """Return the start of a text in quotation marks."""
    beginning = one_line(text.lstrip()[:MAX_QUOTED_CHARACTERS]).replace('"', '\\"')
    return f'"{shortened_text(beginning, most)}"'


def listed_names(names: "tuple[str, ...]", most: int) -> str:
    """List the names that fit into so many characters, and say how many more there are."""
    fitting = list(_fitting_names(names, most))
    more = len(names) - len(fitting)
    return ", ".join(fitting) + (f" … and {more:,} more" if more else "")


def _fitting_names(names: "tuple[str, ...]", most: int) -> "Iterator[str]":
    room = most
    for name in names:
        room -= len(name) + 2
        if room < 0:
            return
        yield name


def time_ago(at: "datetime", now: "datetime") -> str:
    """Write how long ago something was, in its largest whole unit."""
    age = now - at
    seconds = age.days * _DAY_SECONDS + age.seconds
    for unit, length in _UNIT_SECONDS:
        count = seconds // length
        if count >= 1:
            return f"{count:,} {unit}{'s' if count > 1 else ''} ago"
    return "just now" if at <= now else "in the future"
