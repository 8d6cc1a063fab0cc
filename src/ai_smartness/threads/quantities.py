"""The numbers of a sentence that are somebody's value: amounts, versions, times, counts.

"60 minutes" is "1 hour". A number after "issue" or "step" is a label, one
beside a month or before "ago" a date, and one that stands alone says nothing.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ai_smartness.threads.change_patterns import LABELS, MONTHS, UNITS
from ai_smartness.threads.telling import EVERYDAY

__all__ = ["Quantity", "quantities", "quantity"]

BEFORE_CHARACTERS = 40
"""Before a number, where the noun stands that it belongs to."""

_SHORTEST_NOUN = 3
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_QUANTITY = re.compile(
    r"(?<![^\W\u3040-\u9fff])(?<![.,:/#$€£¥+~-])(?:(?P<money>[$€£¥]) ?)?(?P<version>v(?=\d))?"
    r"(?P<number>\d{1,12}(?:[.,]\d{1,6}){0,3})"
    rf"(?:(?P<time>:\d\d)(?![:\d])| ?(?:(?P<unit>{_UNIT})(?![^\W\d_\u4e00-\u9fff])"
    r"|(?P<counted>(?<= )[^\W\d_]{3,30})(?![\w/-])))?(?![A-Za-z0-9_:/#-]|[.,]\d)",
    re.IGNORECASE,
)
_AGO = re.compile(r" ?(?:ago|later|earlier|前|之前|назад)(?!\w)", re.IGNORECASE)
_NOUN_BEFORE = re.compile(
    r"(?P<noun>[^\W\d_]{1,30})[`'\"]?(?P<link> ?(?:=|:) ?| (?:is|are|was|of|to|at|est|sont|à|de|ist"
    r"|sind|auf|von|bei|es|son|en|a|на|до|now|jetzt|maintenant|ahora|теперь) ){0,2} ?[`'\"]?$",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"(\d{1,3}(?:,\d{3})+)(\.\d+)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LABELS = frozenset((LABELS + MONTHS).split())


class Quantity(NamedTuple):
    """An amount: what it measures, how it was written, its worth in base units, and where."""

    measure: str
    value: str
    key: str
    start: int
    end: int


def quantities(sentence: str) -> Iterator[Quantity]:
    """Yield the amounts of a sentence, in order."""
    for match in _QUANTITY.finditer(sentence):
        start, end = match.span()
        measure = _measure(match, sentence[max(0, start - BEFORE_CHARACTERS) : start])
        if measure and not _AGO.match(sentence, end):
            yield Quantity(measure, _written(match), _amount(match), start, end)


def quantity(thing: str) -> Quantity | None:
    """Read a thing as an amount, if it is one."""
    match = _QUANTITY.fullmatch(thing)
    if match is None:
        return None
    return Quantity(_measure(match, "") or "number", thing, _amount(match), *match.span())


def _measure(match: re.Match[str], before: str) -> str:
    """Name what a number measures; nothing for a label and for one that stands alone."""
    if match["money"]:
        return f"money {match['money']}"
    if match["time"]:
        return "time"
    if match["unit"]:
        return UNITS[match["unit"].casefold()][0]
    noun, linked = _noun_before(before)
    counted = _told(match["counted"] or "")
    if match["version"] or match["number"].count(".") > 1:
        return f"version {noun}".strip()
    # "Limit of 12 requests" is of the limit, "completed 12 requests" of the requests.
    told = noun if linked or not counted else counted
    if _YEAR.fullmatch(match["number"]):
        return ""
    return f"count {told}" if told else ""


def _noun_before(before: str) -> tuple[str, bool]:
    found = _NOUN_BEFORE.search(before)
    return (_told(found["noun"]), found["link"] is not None) if found else ("", False)


def _told(word: str) -> str:
    """Return a noun that can be measured; nothing for glue and for what numbers only label."""
    noun = word.casefold()
    tells = len(noun) >= _SHORTEST_NOUN and noun not in EVERYDAY and noun not in _LABELS
    return noun.removesuffix("s") if tells else ""


def _written(match: re.Match[str]) -> str:
    """Return the amount with what it counts, without a word that happens to follow."""
    counted = match["counted"] or ""
    return match[0].strip() if _told(counted) else match[0].removesuffix(counted).strip()


def _amount(match: re.Match[str]) -> str:
    number = match["number"]
    if match["time"] or number.count(".") > 1:
        return number + (match["time"] or "")
    if _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    factor = UNITS[match["unit"].casefold()][1] if match["unit"] else 1.0
    try:
        return f"{float(number.replace(',', '.')) * factor:g}"
    except ValueError:
        return number
