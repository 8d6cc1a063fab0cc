"""Look for many patterns of words at once, by the first two letters of each word of a text.

A pattern of a hundred words is tried at every word of a text, and nearly always in vain. What a
match can begin with is read from the patterns; at any other word none of them is tried.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

__all__ = ["WordPatterns"]

_ANY = "*"  # in place of the second letter, if it may be any
_GROUP = "(?:"
_LETTERS = re.compile(r"([^\W\d_]|[=-])(?![?*{])([\w '>-](?![?*{]))?")
"""The first letter of an alternative, and the second one if every match has it."""


class WordPatterns:
    """Patterns of words: each is a list of alternatives, in lower case.

    `before` and `after` are the patterns of what surrounds a match.
    """

    def __init__(
        self, patterns: Sequence[str], before: str = r"(?<![\w-])", after: str = r"(?!\w)"
    ) -> None:
        whole = [f"{before}(?:{pattern}){after}" for pattern in patterns]
        openings = [set(_openings(pattern)) for pattern in patterns]
        self._all = tuple(range(len(patterns)))
        self._places = {
            opening: tuple(
                place
                for place, of in enumerate(openings)
                if opening in of or opening[0] + _ANY in of
            )
            for opening in _all_openings(openings)
        }
        first = re.escape("".join(sorted({opening[0] for opening in self._places})))
        begin = rf"{before}(?=([{first}](?s:.)?))"
        # At most words of a text nothing begins: that is decided within the expression.
        lower_begin = rf"{before}(?=({_opening_pattern(self._places)}))"
        self._lower = re.compile(lower_begin), [re.compile(one) for one in whole]
        self._any_case = (
            re.compile(begin, re.IGNORECASE),
            [re.compile(one, re.IGNORECASE) for one in whole],
        )

    def found_in(self, text: str) -> list[bool]:
        """Say for each pattern whether it is somewhere in a text, in any case of letters."""
        # Twice as fast as patterns for both cases; other letters may change with their case.
        is_plain = text.isascii()
        begin, patterns = self._lower if is_plain else self._any_case
        text = text.lower() if is_plain else text
        found, possible_places = [False] * len(patterns), self._places.get
        for match in begin.finditer(text):
            opening = match[1] if is_plain else match[1].lower()
            # What a match begins with was read for plain letters.
            for place in possible_places(opening, () if opening.isascii() else self._all):
                if not found[place] and patterns[place].match(text, match.start()):
                    found[place] = True
        return found


def _opening_pattern(openings: Iterable[str]) -> str:
    """Return a pattern of the openings, one alternative for each first letter."""
    seconds: dict[str, set[str]] = {}
    for opening in sorted(openings):
        seconds.setdefault(opening[0], set()).add(opening[1:])
    return "|".join(
        # Alone it is there only if the second letter may be any.
        rf"{re.escape(first)}(?s:.)?" if "" in of else f"{re.escape(first)}[{_escaped(of)}]"
        for first, of in seconds.items()
    )


def _escaped(letters: Iterable[str]) -> str:
    return "".join(map(re.escape, sorted(letters)))


def _all_openings(openings: Sequence[set[str]]) -> set[str]:
    """Return all openings; one whose second letter may be any is there with each of them."""
    known = set[str]().union(*openings)
    first = {opening[0] for opening in known if opening[1:] == _ANY}
    return {*known, *first, *(letter + chr(other) for letter in first for other in range(128))}


def _openings(pattern: str) -> Iterator[str]:
    """Yield the first two letters of all that a pattern matches."""
    for alternative in _alternatives(pattern):
        if not alternative.startswith(_GROUP):
            letters = _LETTERS.match(alternative)
            if letters is None:
                msg = f"a pattern of words cannot begin like {alternative[:20]!r}"
                raise ValueError(msg)
            yield letters[1] + (letters[2] or _ANY)
            continue
        end = _group_end(alternative)
        yield from _openings(alternative[len(_GROUP) : end])
        if alternative.startswith(("?", "*"), end + 1):
            yield from _openings(alternative[end + 2 :])


def _alternatives(pattern: str) -> Iterator[str]:
    """Yield the alternatives of a pattern; a bar within a group divides only the group."""
    depth = start = 0
    for place, sign in enumerate(pattern):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and not depth:
            yield pattern[start:place]
            start = place + 1
    yield pattern[start:]


def _group_end(pattern: str) -> int:
    """Return the place of the bracket that closes the first group."""
    depth = 0
    for place, sign in enumerate(pattern):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return place
    return len(pattern)
