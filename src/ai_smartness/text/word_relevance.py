"""How much a word tells, and how well a message answers by its words alone.

Search and the hook's search without a daemon share this. Standard library only.
"""

from math import exp, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["GROWN_EVENTS", "SAYS_NOTHING", "keyword_relevance", "word_information", "word_weights"]

WORDS_ALONE_WEIGHT = 8.0
WORDS_ALONE_OFFSET = -3.1

SAYS_NOTHING = 10.0
"""Added to what a question's words tell, in nats: "yes" and "go on" ask for nothing."""

GROWN_EVENTS = 1_000
"""In a memory of this size a word can tell as much as the constants were chosen for."""

YOUNG_EVENTS = 50
"""In a memory not much larger than this, an unknown word says little."""


def keyword_relevance(share: float) -> float:
    """Measure how well a message answers that has this share of the question's information."""
    return 1.0 / (1.0 + exp(-(WORDS_ALONE_WEIGHT * share + WORDS_ALONE_OFFSET)))


def word_weights(event_counts: "Mapping[str, int]", events: int) -> "dict[str, float]":
    """Return how much each word of a question tells, by the number of events that have it."""
    unknown_share = events / (events + YOUNG_EVENTS)
    return {
        word: word_information(count, events) * (1.0 if count else unknown_share)
        for word, count in event_counts.items()
    }


def word_information(count: int, events: int) -> float:
    """Measure how much a word tells that so many of the events have, in nats."""
    return log(1 + (events - count + 0.5) / (count + 0.5))
