"""Cut the stretch out of a long message that answers a question best.

Standard library only, and without regular expressions: the hook imports this.
"""

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["matching_excerpt"]

LEAD_CHARACTERS = 60
"""Shown before the first matching word."""

_SENTENCE_BEFORE_CHARACTERS = 80
_SENTENCE_AFTER_CHARACTERS = 40
"""How far from the start of the stretch a sentence may begin to be preferred."""

_SENTENCE_ENDS = frozenset(".!?。！？")


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
