"""Weigh the words of a thread: how often they fall in it, how rare they are elsewhere."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ai_smartness.threads.describe.reading import Reading, opened_by
from ai_smartness.threads.describe.word import Lexicon, Word

__all__ = ["Vocabulary", "Weights", "words_of"]

PRIOR_THREADS = 20.0
"""How many threads the background weighs like: a project with more of them knows better."""

RAREST = math.log(PRIOR_THREADS * 2)

USER_COUNTS = 3.0
"""One line of the person's says as much as three of the agent's: it sets the task."""

ASIDE = 0.4
"""What is left of a word that only one message of a longer thread has."""

ASIDE_LINES = 10.0
"""A short thread has had no time to take anything up: the discount grows up to this length."""

OPENING_ASIDE = 0.75
"""What is left of such a word if the thread opened with it: it was the task."""

SLIGHT = 0.3
"""What is left of a bare number, a hash or a label."""


@dataclass(slots=True)
class Vocabulary:
    """In how many threads of a project each word is."""

    threads: int = 0
    spread: dict[str, int] = field(default_factory=dict)
    lexicon: Lexicon = field(default_factory=Lexicon)

    def add(self, words: Iterable[str]) -> None:
        """Count words that a thread has not had before."""
        spread = self.spread
        for word in words:
            spread[word] = spread.get(word, 0) + 1

    def remove(self, words: Iterable[str]) -> None:
        """Take words back that a thread was counted for; one that is nowhere was never heard."""
        for word in words:
            self.spread[word] -= 1
            if not self.spread[word]:
                del self.spread[word]


@dataclass(frozen=True, slots=True)
class Weights:
    """What the words of one thread weigh, 0 to 1 each, and how each was first written."""

    of: dict[str, float]
    shown: dict[str, Word]


def words_of(readings: Sequence[Reading], vocabulary: Vocabulary) -> Weights:
    """Weigh the words of a thread."""
    said: dict[str, float] = {}
    heard: dict[str, int] = {}
    shown: dict[str, Word] = {}
    for reading in readings:
        counts = 1.0 if reading.by_agent else USER_COUNTS
        for folded, word in reading.words.items():
            said[folded] = said.get(folded, 0.0) + counts
            heard[folded] = heard.get(folded, 0) + 1
            shown.setdefault(folded, word)
    opening = opened_by(readings)
    task = opening.words if opening else {}
    half = 1.0 + math.sqrt(len(readings)) / 2
    aside = max(ASIDE, 1.0 - len(readings) / ASIDE_LINES)
    rarity = _rarity(vocabulary)
    of: dict[str, float] = {}
    for folded, times in said.items():
        word = shown[folded]
        weight = rarity(word) * times / (times + half)
        if heard[folded] == 1:
            weight *= max(aside, OPENING_ASIDE) if folded in task else aside
        of[folded] = weight * SLIGHT if word.is_slight else weight
    return Weights(of, shown)


def _rarity(vocabulary: Vocabulary) -> Callable[[Word], float]:
    """Return the measure, from 0 to 1, of how much a word sets a thread apart."""
    spread, log = vocabulary.spread, math.log
    all_threads = log(vocabulary.threads + PRIOR_THREADS)

    def rarity(word: Word) -> float:
        having = spread.get(word.folded, 0.5) + PRIOR_THREADS * word.share
        measured = (all_threads - log(having)) / RAREST
        return 0.0 if measured < 0.0 else min(measured, 1.0)

    return rarity
