"""What ratings say about a thread: how useful it was when it was shown.

The latest ten count, the later the more. Two good ones are taken for granted, so
that one "no" lowers a thread and never silences it.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ai_smartness.model.thread import Rating, Thread

__all__ = ["of_use", "rated", "relevance_of"]

COUNTED_RATINGS = 10
TAKEN_FOR_GRANTED = 2.0
LATER_COUNTS = 0.1
"""What each rating counts more than the one before it."""

USE_STRENGTH = 0.25
"""To be of use unasked says less than an answer to the question."""


def relevance_of(ratings: Sequence[Rating]) -> float:
    """Measure what ratings say, 0–1; without any, 1."""
    total = good = TAKEN_FOR_GRANTED
    for place, rating in enumerate(ratings[-COUNTED_RATINGS:]):
        weight = (1.0 + place * LATER_COUNTS) * rating.strength
        total += weight
        good += weight if rating.useful else 0.0
    return good / total


def rated(thread: Thread, rating: Rating) -> Thread:
    """Return the thread with one more rating; only those that count are kept."""
    ratings = (*thread.ratings, rating)[-COUNTED_RATINGS:]
    return replace(thread, ratings=ratings, relevance=relevance_of(ratings))


def of_use(at: datetime) -> Rating:
    """Return the weak rating that use is."""
    return Rating(useful=True, at=at, reason="used in the answer", strength=USE_STRENGTH)
