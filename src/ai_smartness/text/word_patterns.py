"""Look for many patterns of words at once, by the words that each of them can begin with.

A pattern of a hundred words is tried at every word of a text, and nearly always in vain. What a
match can begin with is read from the patterns, and found out once for each word of a vocabulary:
at most words none of the patterns is tried.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

__all__ = ["WordPatterns"]

KNOWN_WORDS = 10_000  # for which it is known which patterns can begin with them
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
        self._heads = [set(_heads(pattern)) for pattern in patterns]
        letters = "".join(sorted({head.letters[0] for heads in self._heads for head in heads}))
        begin = rf"{before}(?=[{re.escape(letters)}])(?:\w+|.)"
        self._all = tuple(range(len(patterns)))
        self._lower = re.compile(begin), [re.compile(one) for one in whole]
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
        folded = word.lower()
        return tuple(
            place
            for place, heads in enumerate(self._heads)
            if any(head.begins(folded) for head in heads)
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
