"""Show stored text and times: on one line, cut to size, and unable to pass for our own text.

Standard library only, and without regular expressions: the hook imports this.
"""

from ai_smartness.text.defuse import defused_text

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

__all__ = [
    "counted_noun",
    "formatted_time",
    "listed_names",
    "matching_excerpt",
    "one_line",
    "quoted_start",
    "short_date",
    "shortened_text",
    "size_text",
    "speaker_label",
    "time_ago",
    "visible_text",
]

MAX_QUOTED_CHARACTERS = 400  # read of a text whose first line is shown
LEAD_CHARACTERS = 60  # shown before the first matching word
_SENTENCE_BEFORE_CHARACTERS = 80
_SENTENCE_AFTER_CHARACTERS = 40
"""How far from the start of the stretch a sentence may begin to be preferred."""

_SENTENCE_ENDS = frozenset(".!?。！？")

_DAY_SECONDS = 86_400
_UNIT_SECONDS = (
    ("year", 365 * _DAY_SECONDS),
    ("month", 30 * _DAY_SECONDS),
    ("day", _DAY_SECONDS),
    ("hour", 3_600),
    ("minute", 60),
)
_UNIT_BYTES = 1_000
_SIZE_UNITS = ("kB", "MB", "GB", "TB", "PB")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SHOWN_ROLES = {"assistant": "agent", "model": "agent"}
_JOINERS = "\u200c\u200d"  # invisible, and part of how emoji and some scripts are written


def visible_text(text: str) -> str:
    """Escape the invisible characters of a text, which keeps its lines."""
    return "".join(
        character
        if character.isprintable() or character in _JOINERS or character in "\n\t"
        else character.encode("unicode_escape").decode()
        for character in text
    )


def counted_noun(number: int, noun: str) -> str:
    """Return a number with its noun, as `3 threads`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def size_text(size: int) -> str:
    """Return a number of bytes with a readable unit, as `1.5 MB`."""
    if size < _UNIT_BYTES:
        return counted_noun(size, "byte")
    value, units = size / _UNIT_BYTES, iter(_SIZE_UNITS)
    unit = next(units)
    while value >= _UNIT_BYTES and (larger := next(units, "")):
        value, unit = value / _UNIT_BYTES, larger
    return f"{value:,.1f} {unit}"


def speaker_label(role: str, origin: str = "") -> str:
    """Return who said something as it is shown: where it comes from, or the role."""
    return one_line(origin) or _SHOWN_ROLES.get(role.casefold(), one_line(role))


def formatted_time(at: "datetime") -> str:
    """Return a time to the minute."""
    return f"{at:%Y-%m-%d %H:%M} UTC"


def one_line(text: str) -> str:
    """Put stored text on one line, with invisible characters escaped and tags defused."""
    line = "".join(
        character
        if character.isprintable() or character in _JOINERS
        else character.encode("unicode_escape").decode()
        for character in " ".join(text.split())
    )
    return defused_text(line)


def shortened_text(text: str, characters: int) -> str:
    """Return the text, cut with an ellipsis if it is longer than this."""
    return text if len(text) <= characters else text[: characters - 1].rstrip() + "…"


def matching_excerpt(text: str, words: "Iterable[str]", characters: int) -> str:
    """Return a short message whole, and of a long one the stretch with the most of the words."""
    line = " ".join(text.split())
    if len(line) <= characters:
        return line
    folded = line.casefold()
    places = sorted(place for word in words if (place := folded.find(word.casefold())) >= 0)
    start = max(0, _densest_start(places, characters - LEAD_CHARACTERS) - LEAD_CHARACTERS)
    start = _sentence_start(line, start) if start else 0
    end = min(len(line), start + characters)
    return f"{'… ' if start else ''}{line[start:end].strip()}{' …' if end < len(line) else ''}"


def _densest_start(places: "list[int]", width: int) -> int:
    """Return the start of the stretch that covers the most places."""
    best, most = 0, 0
    for number, place in enumerate(places):
        covered = sum(other < place + width for other in places[number:])
        if covered > most:
            best, most = place, covered
    return best


def _sentence_start(line: str, start: int) -> int:
    """Return the start of the nearest sentence, or else of the word at this place."""
    last = min(len(line), start + _SENTENCE_AFTER_CHARACTERS)
    for place in range(last, max(1, start - _SENTENCE_BEFORE_CHARACTERS), -1):
        if line[place - 1] == " " and line[place - 2] in _SENTENCE_ENDS:
            return place
    return line.rfind(" ", 0, start) + 1


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


def short_date(at: "datetime", now: "datetime") -> str:
    """Write a day as `5 Nov`, with its year where that is not the present one."""
    day = f"{at.day} {_MONTHS[at.month - 1]}"
    return day if at.year == now.year else f"{day} {at.year}"
