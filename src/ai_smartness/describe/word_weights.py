"""Weigh the words of a thread: how often they fall in it, how rare they are elsewhere."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ai_smartness.describe.parse_message import ParsedLine, Word, WordCache, opening_line

__all__ = ["Vocabulary", "WordWeights", "weighed_words"]

PRIOR_THREADS = 20.0
"""How many threads the background weighs like: a project with more of them knows better."""

FULL_RARITY = math.log(PRIOR_THREADS * 2)

USER_LINE_WEIGHT = 3.0
"""One line of the person's says as much as three of the agent's: it sets the task."""

ASIDE_SHARE = 0.4
"""What is left of a word that only one message of a longer thread has."""

ASIDE_LINES = 10.0
"""A short thread has had no time to take anything up: the discount grows up to this length."""

OPENING_ASIDE_SHARE = 0.75
"""What is left of such a word if the thread opened with it: it was the task."""

SLIGHT_SHARE = 0.3
"""What is left of a bare number, a hash or a label."""


@dataclass(slots=True)
class Vocabulary:
    """In how many threads of a project each word is."""

    threads: int = 0
    thread_counts: dict[str, int] = field(default_factory=dict)
    lexicon: WordCache = field(default_factory=WordCache)

    def add(self, words: Iterable[str]) -> None:
        """Count words that a thread has not had before."""
        spread = self.thread_counts
        for word in words:
            spread[word] = spread.get(word, 0) + 1

    def remove(self, words: Iterable[str]) -> None:
        """Take words back that a thread was counted for; one that is nowhere was never heard."""
        for word in words:
            self.thread_counts[word] -= 1
            if not self.thread_counts[word]:
                del self.thread_counts[word]


@dataclass(frozen=True, slots=True)
class WordWeights:
    """What the words of one thread weigh, 0 to 1 each, and how each was first written."""

    by_word: dict[str, float]
    first_written: dict[str, Word]


def weighed_words(readings: Sequence[ParsedLine], vocabulary: Vocabulary) -> WordWeights:
    """Weigh the words of a thread."""
    said: dict[str, float] = {}
    heard: dict[str, int] = {}
    shown: dict[str, Word] = {}
    for reading in readings:
        counts = 1.0 if reading.by_agent else USER_LINE_WEIGHT
        for folded, word in reading.words.items():
            said[folded] = said.get(folded, 0.0) + counts
            heard[folded] = heard.get(folded, 0) + 1
            shown.setdefault(folded, word)
    opening = opening_line(readings)
    task = opening.words if opening else {}
    half = 1.0 + math.sqrt(len(readings)) / 2
    aside = max(ASIDE_SHARE, 1.0 - len(readings) / ASIDE_LINES)
    rarity = _rarity_measure(vocabulary)
    of: dict[str, float] = {}
    for folded, times in said.items():
        word = shown[folded]
        weight = rarity(word) * times / (times + half)
        if heard[folded] == 1:
            weight *= max(aside, OPENING_ASIDE_SHARE) if folded in task else aside
        of[folded] = weight * SLIGHT_SHARE if word.is_slight else weight
    return WordWeights(of, shown)


def _rarity_measure(vocabulary: Vocabulary) -> Callable[[Word], float]:
    """Return the measure, from 0 to 1, of how much a word sets a thread apart."""
    spread, log = vocabulary.thread_counts, math.log
    all_threads = log(vocabulary.threads + PRIOR_THREADS)

    def word_rarity(word: Word) -> float:
        having = spread.get(word.folded, 0.5) + PRIOR_THREADS * word.background_share
        measured = (all_threads - log(having)) / FULL_RARITY
        return 0.0 if measured < 0.0 else min(measured, 1.0)

    return word_rarity
