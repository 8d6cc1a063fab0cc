"""Weigh the words of a thread: frequent in the thread, rare elsewhere in the project."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ai_smartness.describe.parse_message import ParsedLine, Word, WordCache, opening_line

__all__ = ["USER_LINE_WEIGHT", "Vocabulary", "WordWeights", "weighed_words"]

PRIOR_THREADS = 20.0  # how many threads the background counts as; a larger project outvotes it
FULL_RARITY = math.log(PRIOR_THREADS * 2)
USER_LINE_WEIGHT = 3.0  # a user's line counts as much as three of the agent's: it sets the task
ASIDE_SHARE = 0.4  # the remaining weight of a word that only one message of a longer thread has
ASIDE_LINES = 10.0  # the discount grows up to this length: a short thread repeats nothing
OPENING_ASIDE_SHARE = 0.75  # the same if the thread opened with it: it was the task
SLIGHT_SHARE = 0.3  # the remaining weight of a bare number, a hash or a label


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
    """The weight of each word of one thread, 0–1, and the word as first written."""

    by_word: dict[str, float]
    first_written: dict[str, Word]


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
    return WordWeights(by_word, first_written)


def _rarity_measure(vocabulary: Vocabulary) -> Callable[[Word], float]:
    """Return the function that measures, from 0 to 1, how rare a word is in the project."""
    counts, log = vocabulary.thread_counts, math.log
    all_threads = log(vocabulary.threads + PRIOR_THREADS)

    def word_rarity(word: Word) -> float:
        threads = counts.get(word.folded, 0.5) + PRIOR_THREADS * word.background_share
        measured = (all_threads - log(threads)) / FULL_RARITY
        return 0.0 if measured < 0.0 else min(measured, 1.0)

    return word_rarity
