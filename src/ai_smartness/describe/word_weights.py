"""Know the words of a thread: how much each says, how many messages share it, how it is spelled.

A word weighs more the more often it stands in the thread and the rarer it is in the project. What
a thread is about comes up again in several messages; an aside, or a typing error, comes up once.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ai_smartness.describe.clause_parts import is_content_word, is_telling_word
from ai_smartness.describe.parse_message import ParsedLine, Word, WordCache, opening_line
from ai_smartness.text.stopwords import EVERYDAY_SHARE

__all__ = [
    "USER_LINE_WEIGHT",
    "Centrality",
    "Spelling",
    "Vocabulary",
    "WordWeights",
    "weighed_words",
    "word_stem",
]

PRIOR_THREADS = 20.0  # how many threads the background counts as; a larger project outvotes it
FULL_RARITY = math.log(PRIOR_THREADS * 2)
USER_LINE_WEIGHT = 3.0  # a user's line counts as much as three of the agent's: it sets the task
ASIDE_SHARE = 0.4  # the remaining weight of a word that only one message of a longer thread has
ASIDE_LINES = 10.0  # the discount grows up to this length: a short thread repeats nothing
OPENING_ASIDE_SHARE = 0.75  # the same if the thread opened with it: it was the task
SLIGHT_SHARE = 0.3  # the remaining weight of a bare number, a hash or a label

CACHED_WORDS = 16_384
FEWEST_LINES = 4  # a shorter thread repeats nothing
LEAST_PART = 4  # characters of a part of a name that counts as a word
MAIN_WORDS = 2
LINES_PER_MENTION = 12  # one more mention is expected for so many messages

_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ENDING = re.compile(r"(?<=\w{3})(?:'s|e?s|ed|ing|er|ers)$")

FEWEST_CHARACTERS, LEAST_CHARACTERS = 4, 6
LEAST_MENTIONS = 2
LONG_CHARACTERS = 8
MOST_LEFT_OUT = 2  # letters, in a word of some length: "environmt"


@dataclass(slots=True)
class Vocabulary:
    """How many threads of a project contain each word."""

    threads: int = 0
    thread_counts: dict[str, int] = field(default_factory=dict)
    lexicon: WordCache = field(default_factory=WordCache)

    def add(self, words: Iterable[str]) -> None:
        """Count words that are new in a thread."""
        counts = self.thread_counts
        for word in words:
            counts[word] = counts.get(word, 0) + 1

    def remove(self, words: Iterable[str]) -> None:
        """Take back a thread's words; a word that no thread has is dropped."""
        for word in words:
            self.thread_counts[word] -= 1
            if not self.thread_counts[word]:
                del self.thread_counts[word]


@dataclass(frozen=True, slots=True)
class WordWeights:
    """The weight of each word of one thread, 0–1, and the word as first written.

    `thread_counts` says how many threads of the project have a word.
    """

    by_word: dict[str, float]
    first_written: dict[str, Word]
    thread_counts: Mapping[str, int]


def weighed_words(lines: Sequence[ParsedLine], vocabulary: Vocabulary) -> WordWeights:
    """Weigh the words of a thread."""
    frequency: dict[str, float] = {}
    line_counts: dict[str, int] = {}
    first_written: dict[str, Word] = {}
    for line in lines:
        weight = 1.0 if line.by_agent else USER_LINE_WEIGHT
        for folded, word in line.words.items():
            frequency[folded] = frequency.get(folded, 0.0) + weight
            line_counts[folded] = line_counts.get(folded, 0) + 1
            first_written.setdefault(folded, word)
    opening = opening_line(lines)
    task = opening.words if opening else {}
    half = 1.0 + math.sqrt(len(lines)) / 2
    aside = max(ASIDE_SHARE, 1.0 - len(lines) / ASIDE_LINES)
    rarity = _rarity_measure(vocabulary)
    by_word: dict[str, float] = {}
    for folded, times in frequency.items():
        word = first_written[folded]
        weight = rarity(word) * times / (times + half)
        if line_counts[folded] == 1:
            weight *= max(aside, OPENING_ASIDE_SHARE) if folded in task else aside
        by_word[folded] = weight * SLIGHT_SHARE if word.is_slight else weight
    return WordWeights(by_word, first_written, vocabulary.thread_counts)


def _rarity_measure(vocabulary: Vocabulary) -> Callable[[Word], float]:
    """Return the function that measures, from 0 to 1, how rare a word is in the project."""
    counts, log = vocabulary.thread_counts, math.log
    all_threads = log(vocabulary.threads + PRIOR_THREADS)

    def word_rarity(word: Word) -> float:
        threads = counts.get(word.folded, 0.5) + PRIOR_THREADS * word.background_share
        measured = (all_threads - log(threads)) / FULL_RARITY
        return 0.0 if measured < 0.0 else min(measured, 1.0)

    return word_rarity


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


class Spelling:
    """The words of a thread that a typing error may stand for, by their first and last letter."""

    def __init__(self, lines: Sequence[ParsedLine], centrality: Centrality) -> None:
        self._centrality = centrality
        self._by_agent = {folded for line in lines if line.by_agent for folded in line.words}
        self._known: dict[tuple[str, str], list[Word]] = {}
        for word in {
            folded: word for line in lines for folded, word in line.words.items()
        }.values():
            if self._is_known(word) and _is_plain(word):
                self._known.setdefault((word.folded[0], word.folded[-1]), []).append(word)

    def corrected(self, word: Word) -> Word:
        """Return the word that was meant, or the word itself."""
        if not _is_plain(word) or self._is_known(word):
            return word
        for known in self._known.get((word.folded[0], word.folded[-1]), ()):
            if _is_close(word.folded, known.folded):
                is_acronym = known.written.isupper()
                return known if is_acronym else known._replace(written=known.folded)
        return word

    def _is_known(self, word: Word) -> bool:
        mentions = self._centrality.mentions_of(word)
        return word.folded in self._by_agent or mentions >= LEAST_MENTIONS


def _is_plain(word: Word) -> bool:
    is_named = not word.is_code and word.background_share < EVERYDAY_SHARE
    return is_named and len(word.folded) >= FEWEST_CHARACTERS and word.folded.isalpha()


def _is_close(folded: str, known: str) -> bool:
    """Say whether two words have the same letters but for one more or less, in any order.

    A short word has to have the same ones: "OLTP" beside "OTLP".
    """
    shorter, longer = sorted((folded, known), key=len)
    if len(folded) < LEAST_CHARACTERS and len(folded) != len(known):
        return False
    if len(shorter) >= LONG_CHARACTERS and len(longer) - len(shorter) == MOST_LEFT_OUT:
        letters = iter(longer)
        return all(letter in letters for letter in shorter)
    if len(longer) - len(shorter) > 1 or word_stem(folded) == word_stem(known):
        return False
    rest = list(longer)
    for letter in shorter:
        if letter not in rest:
            return False
        rest.remove(letter)
    return True
