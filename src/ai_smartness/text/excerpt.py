"""What matters of a long message: the stretch of it that answers best."""

import re
from collections.abc import Collection

__all__ = ["matching_excerpt"]

LEAD_CHARACTERS = 60
"""What stands before the first word that matters."""

_SENTENCE_BREAK = re.compile(r"(?<=[.!?。！？\n])\s+")


def matching_excerpt(text: str, words: Collection[str], characters: int) -> str:
    """Return the message if it is short, else the stretch with most of the words in it."""
    line = " ".join(text.split())
    if len(line) <= characters:
        return line
    folded = line.casefold()
    places = sorted(found for word in words if (found := folded.find(word.casefold())) >= 0)
    start = max(0, _densest_start(places, characters - LEAD_CHARACTERS) - LEAD_CHARACTERS)
    start = _sentence_start(line, start) if start else 0
    end = min(len(line), start + characters)
    return f"{'… ' if start else ''}{line[start:end].strip()}{' …' if end < len(line) else ''}"


def _densest_start(places: list[int], width: int) -> int:
    """Return where the stretch begins that holds most of the places."""
    best, most = 0, 0
    for number, place in enumerate(places):
        held = sum(other < place + width for other in places[number:])
        if held > most:
            best, most = place, held
    return best


def _sentence_start(line: str, start: int) -> int:
    """Return the beginning of the sentence or word that the place is in."""
    breaks = [
        found.end() for found in _SENTENCE_BREAK.finditer(line, max(0, start - 80), start + 40)
    ]
    near = [place for place in breaks if place <= start + 40]
    if near:
        return near[-1]
    space = line.rfind(" ", 0, start)
    return space + 1
