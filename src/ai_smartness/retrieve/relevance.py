"""How well a message answers a question at all, 0–1, comparable between searches.

A ranking always has a first; whether it is worth showing is another question.
Three things tell: how similar the two are in meaning, how far that stands out from
what any message of the memory has, and how many of the telling words are there.
Chosen and checked over five sets of conversations: see docs/recall.md.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ai_smartness.model.found import Compared

__all__ = ["Meaning", "relevance", "word_shares"]

SIMILARITY_WEIGHT = 4.5
STANDOUT_WEIGHT = 3.0
WORDS_WEIGHT = 9.0
OFFSET = -7.4
"""One configuration for all sets; the optimum is flat."""

WORDS_ALONE_WEIGHT = 8.0
WORDS_ALONE_OFFSET = -3.1

SAYS_NOTHING = 10.0
"""Added to what a question's words tell, in nats: "yes" and "go on" ask for nothing."""

GROWN_EVENTS = 1_000
"""In a memory of this size a word can tell as much as the constants were chosen for."""

YOUNG_EVENTS = 50
"""In a memory not much larger than this, that it does not know a word says little."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """How near a message is by meaning: 0–1, and how much nearer than a typical one."""

    similarity: float
    standout: float


def relevance(meaning: Meaning | None, words: float) -> float:
    """Measure how well a message answers."""
    if meaning is None:
        return _share(WORDS_ALONE_WEIGHT * words + WORDS_ALONE_OFFSET)
    return _share(
        SIMILARITY_WEIGHT * meaning.similarity
        + STANDOUT_WEIGHT * meaning.standout
        + WORDS_WEIGHT * words
        + OFFSET
    )


def word_shares(compared: Compared) -> Mapping[int, float]:
    """Measure for each message which share of the question's telling words it has.

    What the session has just said counts for no message: the agent has it in
    sight. A word that the memory does not know counts against all of them.
    """
    events = compared.events
    told = {
        word: _told(count, events) * (1.0 if count else events / (events + YOUNG_EVENTS))
        for word, count in compared.spread.items()
    }
    most = min(1.0, _told(0, events) / _told(0, GROWN_EVENTS))
    total = sum(told.values()) + SAYS_NOTHING * most
    return {
        seq: sum(told[word] for word in words - compared.said) / total
        for seq, words in compared.held.items()
    }


def _told(count: int, events: int) -> float:
    """Measure how much a word tells that so many of the events have, in nats."""
    return math.log(1 + (events - count + 0.5) / (count + 0.5))


def _share(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value))
