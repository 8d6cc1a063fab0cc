"""Measure how central words are to a thread: how many of its messages mention them.

What a thread is about comes up again in other words of the user and in the agent's answers.
An aside, or a typing error, comes up once.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ai_smartness.describe.clause_parts import is_content_word, is_telling_word
from ai_smartness.describe.parse_message import ParsedLine, Word

__all__ = ["Centrality", "word_stem"]

CACHED_WORDS = 16_384
FEWEST_LINES = 4  # a shorter thread repeats nothing
LEAST_PART = 4  # characters of a part of a name that counts as a word
MAIN_WORDS = 2
LINES_PER_MENTION = 12  # one more mention is expected for so many messages

_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ENDING = re.compile(r"(?<=\w{3})(?:'s|e?s|ed|ing|er|ers)$")


@lru_cache(maxsize=CACHED_WORDS)
def word_stem(folded: str) -> str:
    """Return a word without its English ending, so that "segments" counts as "segment"."""
    return _ENDING.sub("", folded)


@lru_cache(maxsize=CACHED_WORDS)
def _part_stems(name: str) -> frozenset[str]:
    """Return the stems of the words in a name: `parcelLabels` mentions a parcel and labels."""
    parts = _NAME_PART.findall(name)
    return frozenset(word_stem(part.casefold()) for part in parts if len(part) >= LEAST_PART)


@dataclass(frozen=True, slots=True)
class Centrality:
    """How many messages of a thread mention each word, by its stem."""

    lines: int
    mentions: dict[str, int]

    @classmethod
    def of_lines(cls, lines: Sequence[ParsedLine]) -> "Centrality":
        """Count the messages that mention each word."""
        mentions: dict[str, int] = {}
        for line in lines:
            stems = {word_stem(folded) for folded in line.words}
            for word in line.words.values():
                if word.is_code:
                    stems |= _part_stems(word.written)
            for stem in stems:
                mentions[stem] = mentions.get(stem, 0) + 1
        return cls(len(lines), mentions)

    def mentions_of(self, word: Word) -> int:
        """Count the messages that mention a word."""
        return self.mentions.get(word_stem(word.folded), 0)

    def support(self, words: Iterable[Word]) -> float:
        """Return the share of the telling words that other messages mention too, 0-1."""
        content = [word for word in words if is_content_word(word)]
        names = [word for word in content if is_telling_word(word)] or content
        if self.lines < FEWEST_LINES or not names:
            return 1.0
        return sum(map(self.word_support, names)) / len(names)

    def main_share(self, words: Iterable[Word]) -> float:
        """Return the mean share of the messages that mention the two most frequent names, 0-1."""
        mentions = {word.folded: self.mentions_of(word) for word in words if is_telling_word(word)}
        main = sorted(mentions.values(), reverse=True)[:MAIN_WORDS]
        return sum(main) / (MAIN_WORDS * self.lines) if self.lines else 0.0

    def word_support(self, word: Word) -> float:
        """Return how well other messages support a word: 0 if it came up once."""
        expected = 1 + self.lines // LINES_PER_MENTION
        return min(1.0, max(0, self.mentions_of(word) - 1) / expected)
