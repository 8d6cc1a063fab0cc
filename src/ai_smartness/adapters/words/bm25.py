"""BM25 over tokens: the scores that `WordIndex.match` gives on every engine.

    score = Σ over terms of  idf · f · (K1 + 1) / (f + K1 · (1 - B + B · length / average))

`f` is how often the term occurs in the event, each time with the weight of its column. `length`
is the number of tokens of the event in all columns, `average` that of the project's events.
`idf` is ln((events - n + 0.5) / (n + 0.5)) for a term that n of the project's events have, and
at least `MIN_IDF`: a term that half of them have counts next to nothing, but never against
an event. A term of several tokens is a phrase: it occurs where they follow each other in one
column. A term without a token, such as `*`, occurs nowhere. Each term of the query counts, also
if two have the same tokens. Equal scores are ordered by `seq`.

This is what SQLite's FTS5 computes. All functions here also take NumPy arrays.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "COLUMN_WEIGHTS",
    "EventTokens",
    "bm25_scores",
    "count_phrase",
    "inverse_frequency",
    "term_score",
]

K1 = 1.2
B = 0.75
MIN_IDF = 1e-6

COLUMN_WEIGHTS = (1.0, 0.5, 0.3)
"""Of an occurrence in the event's own words, in the parts of its words, and in its context."""

Number = TypeVar("Number", float, "NDArray[np.float64]")


class EventTokens(NamedTuple):
    """The tokens of one event in the order of its text, by column."""

    text: Sequence[str]
    parts: Sequence[str] = ()
    context: Sequence[str] = ()

    @property
    def length(self) -> int:
        """The number of its tokens."""
        return sum(map(len, self))


def inverse_frequency(events: int, events_with_term: int) -> float:
    """Return the weight of a term that so many of the project's indexed events have."""
    odds = (events - events_with_term + 0.5) / (events_with_term + 0.5)
    return max(math.log(odds), MIN_IDF)


def term_score(frequency: Number, length: Number, average_length: float, idf: float) -> Number:
    """Return what a term adds to the score of an event of this length."""
    norm = K1 * (1.0 - B + B * length / average_length)
    return idf * (frequency * (K1 + 1.0)) / (frequency + norm)


def count_phrase(phrase: Sequence[str], tokens: Sequence[str]) -> int:
    """Count the places where the tokens of a phrase follow each other; they may overlap."""
    if not phrase:
        return 0
    if len(phrase) == 1:
        return tokens.count(phrase[0])
    wanted, size = list(phrase), len(phrase)
    starts = (place for place, token in enumerate(tokens) if token == phrase[0])
    return sum(list(tokens[start : start + size]) == wanted for start in starts)


def bm25_scores(
    events: Mapping[int, EventTokens], terms: Sequence[Sequence[str]]
) -> dict[int, float]:
    """Return the scores of the events that have any of the terms, each given by its tokens."""
    if not events:
        return {}
    average = sum(tokens.length for tokens in events.values()) / len(events)
    scores: dict[int, float] = {}
    for term in terms:
        frequencies = {
            seq: frequency
            for seq, tokens in events.items()
            if (frequency := _weighted_frequency(term, tokens))
        }
        idf = inverse_frequency(len(events), len(frequencies))
        for seq, frequency in frequencies.items():
            added = term_score(frequency, float(events[seq].length), average, idf)
            scores[seq] = scores.get(seq, 0.0) + added
    return scores


def _weighted_frequency(term: Sequence[str], tokens: EventTokens) -> float:
    return sum(
        weight * count_phrase(term, column)
        for weight, column in zip(COLUMN_WEIGHTS, tokens, strict=True)
    )
