"""Measure how relevant a message is to a question, 0–1, comparable between searches.

A ranking always has a best match, which may still not be worth showing. Relevance goes by
the similarity in meaning, by how far that stands out from a typical message, and by the
share of telling words. The weights were fitted on five sets of conversations: see
docs/recall.md.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ai_smartness.model.search import QueryWords
from ai_smartness.text.words import keyword_relevance, question_information

__all__ = ["MeaningScore", "is_non_latin", "message_relevance", "word_shares"]

SIMILARITY_WEIGHT = 4.5
STANDOUT_WEIGHT = 3.0
WORDS_WEIGHT = 9.0
OFFSET = -7.4  # one configuration for all sets; the optimum is flat

LAST_LATIN = "\u024f"  # small models know English best and tell little about Cyrillic or Chinese

YOUNG_POWER = 1.5  # how much sooner a few words are enough in a small memory


@dataclass(frozen=True, slots=True)
class MeaningScore:
    """The similarity of a message in meaning, 0–1, and how far it exceeds a typical one."""

    similarity: float
    standout: float


def message_relevance(
    meaning: MeaningScore | None, words: float, *, non_latin: bool = False
) -> float:
    """Measure how well a message answers.

    For a question in a script that models hardly know, the words alone may decide.
    """
    by_words = keyword_relevance(words)
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
    """Say whether most letters of a question are outside the Latin script."""
    letters = [character for character in query if character.isalpha()]
    return sum(character > LAST_LATIN for character in letters) * 2 > len(letters)


def word_shares(compared: QueryWords) -> Mapping[int, float]:
    """Measure for each message its share of the question's telling words.

    Words that the session has just seen count for no message. A word that the memory
    does not know counts against all of them.
    """
    information, total = question_information(compared.spread, compared.events, YOUNG_POWER)
    return {
        seq: sum(information[word] for word in words - compared.said) / total
        for seq, words in compared.held.items()
    }


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value))
