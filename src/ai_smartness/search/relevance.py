"""How well a message answers a question at all, 0–1, comparable between searches.

A ranking always has a first; whether it is worth showing is another question.
Three things tell: how similar the two are in meaning, how far that stands out from
what any message of the memory has, and how many of the telling words are there.
Chosen and checked over five sets of conversations: see docs/recall.md.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ai_smartness.model.search import QueryWords

__all__ = ["MeaningScore", "is_non_latin", "message_relevance", "word_shares"]

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

LAST_LATIN = "\u024f"
"""The small models in use know English best: what they say of Cyrillic or Chinese is little."""

YOUNG_POWER = 1.5
"""How much sooner a few words are enough in a memory that has hardly any."""

YOUNG_EVENTS = 50
"""In a memory not much larger than this, that it does not know a word says little."""


@dataclass(frozen=True, slots=True)
class MeaningScore:
    """How near a message is by meaning: 0–1, and how much nearer than a typical one."""

    similarity: float
    standout: float


def message_relevance(
    meaning: MeaningScore | None, words: float, *, non_latin: bool = False
) -> float:
    """Measure how well a message answers.

    To a question in a script that a model was hardly taught (`is_foreign`), its
    words may answer as well as without the model.
    """
    by_words = _sigmoid(WORDS_ALONE_WEIGHT * words + WORDS_ALONE_OFFSET)
    if meaning is None:
        return by_words
    with_meaning = _sigmoid(
        SIMILARITY_WEIGHT * meaning.similarity
        + STANDOUT_WEIGHT * meaning.standout
        + WORDS_WEIGHT * words
        + OFFSET
    )
    return max(with_meaning, by_words) if non_latin else with_meaning


def is_non_latin(query: str) -> bool:
    """Say whether most letters of a question are beyond the Latin script."""
    letters = [character for character in query if character.isalpha()]
    return sum(character > LAST_LATIN for character in letters) * 2 > len(letters)


def word_shares(compared: QueryWords) -> Mapping[int, float]:
    """Measure for each message which share of the question's telling words it has.

    What the session has just said counts for no message: the agent has it in
    sight. A word that the memory does not know counts against all of them.
    """
    events = compared.events
    told = {
        word: _word_information(count, events)
        * (1.0 if count else events / (events + YOUNG_EVENTS))
        for word, count in compared.spread.items()
    }
    most = (
        min(1.0, _word_information(0, events) / _word_information(0, GROWN_EVENTS)) ** YOUNG_POWER
    )
    total = sum(told.values()) + SAYS_NOTHING * most
    return {
        seq: sum(told[word] for word in words - compared.said) / total
        for seq, words in compared.held.items()
    }


def _word_information(count: int, events: int) -> float:
    """Measure how much a word tells that so many of the events have, in nats."""
    return math.log(1 + (events - count + 0.5) / (count + 0.5))


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value))
