"""Look for many patterns of words at once, by the words that each of them can begin with.

A pattern of a hundred words is tried at every word of a text, and nearly always in vain. What a
match can begin with is read from the patterns, and found out once for each word of a vocabulary:
at most words none of the patterns is tried.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

__all__ = ["WordPatterns"]

KNOWN_WORDS = 10_000  # for which it is known which patterns can begin with them
_OPENING = 2  # letters by which heads are looked up
_GROUP = "(?:"
_HEAD = re.compile(r"(?:[^\W_](?![?*+{]))+|[=-](?![?*{])")
"""The letters that all matches of an alternative begin with, or its sign."""

_WORD_END = re.compile(r"[ '-](?![?*{])")  # behind the letters: the word ends with them


class WordPatterns:
    """Patterns of words: each is a list of alternatives, in lower case.

    `before` and `after` are the patterns of what surrounds a match.
    """

    def __init__(
        self, patterns: Sequence[str], before: str = r"(?<![\w-])", after: str = r"(?!\w)"
    ) -> None:
        whole = [f"{before}(?:{pattern}){after}" for pattern in patterns]
        self._heads: dict[str, list[tuple[int, _Head]]] = {}
        for place, pattern in enumerate(patterns):
            for head in sorted(set(_heads(pattern))):
                self._heads.setdefault(head.letters[:_OPENING], []).append((place, head))
        self._all = tuple(range(len(patterns)))
        first = re.escape("".join(sorted({opening[0] for opening in self._heads})))
        begin = rf"{before}(?=[{first}])(?:\w+|.)"
        # At most words of a text nothing begins: that is decided within the expression.
        lower_begin = rf"{before}(?={_opening_pattern(self._heads)})(?:\w+|.)"
        self._lower = re.compile(lower_begin), [re.compile(one) for one in whole]
        self._any_case = (
            re.compile(begin, re.IGNORECASE),
            [re.compile(one, re.IGNORECASE) for one in whole],
        )
        self._places_of = lru_cache(KNOWN_WORDS)(self._possible_places)

    def found_in(self, text: str) -> list[bool]:
        """Say for each pattern whether it is somewhere in a text, in any case of letters."""
        # Twice as fast as patterns for both cases; other letters may change with their case.
        is_plain = text.isascii()
        begin, patterns = self._lower if is_plain else self._any_case
        text = text.lower() if is_plain else text
        found, places_of = [False] * len(patterns), self._places_of
        for match in begin.finditer(text):
            for place in places_of(match[0]):
                if not found[place] and patterns[place].match(text, match.start()):
                    found[place] = True
        return found

    def _possible_places(self, word: str) -> tuple[int, ...]:
        """Return the patterns of which a match may begin with this word of a text."""
        if not word.isascii():  # heads were read for plain letters
            return self._all
        folded, of = word.lower(), self._heads.get
        heads = [*of(folded[0], ()), *(of(folded[:_OPENING], ()) if len(folded) > 1 else ())]
        return tuple(sorted({place for place, head in heads if head.begins(folded)}))


def _opening_pattern(openings: Iterable[str]) -> str:
    """Return a pattern of the first letters of heads, one alternative for each first letter."""
    seconds: dict[str, set[str]] = {}
    for opening in sorted(openings):
        seconds.setdefault(opening[0], set()).add(opening[1:])
    return "|".join(
        re.escape(first) + ("" if "" in of else f"[{''.join(sorted(of))}]")
        for first, of in seconds.items()
    )


class _Head(NamedTuple):
    """What a match begins with: a sign, a whole word, or the first letters of one."""

    letters: str
    is_whole: bool

    def begins(self, word: str) -> bool:
        """Say whether a match may begin with this word of a text."""
        return word == self.letters if self.is_whole else word.startswith(self.letters)


def _heads(pattern: str, *, is_group: bool = False) -> Iterator[_Head]:
    """Yield what the alternatives of a pattern begin with; behind a group there may be more."""
    for alternative in _alternatives(pattern):
        if not alternative.startswith(_GROUP):
            head = _HEAD.match(alternative)
            if head is None:
                msg = f"a pattern of words cannot begin like {alternative[:20]!r}"
                raise ValueError(msg)
            is_end = head.end() == len(alternative) and not is_group
            is_whole = is_end or _WORD_END.match(alternative, head.end()) is not None
            yield _Head(head[0], is_whole and head[0].isalpha())
            continue
        end = _group_end(alternative)
        yield from _heads(alternative[len(_GROUP) : end], is_group=True)
        if alternative.startswith(("?", "*"), end + 1):
            yield from _heads(alternative[end + 2 :], is_group=is_group)


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
