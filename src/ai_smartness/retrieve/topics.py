"""The topics nearest to a question that nothing answers: where to look instead."""

from collections.abc import Iterable

from ai_smartness.model.thread import Thread

__all__ = ["nearest_topics"]

LIKE_ENOUGH = 0.2
"""Of the letter triples of two words, what they share: under it they look alike by chance."""


def nearest_topics(query: str, weak: Iterable[Thread], others: Iterable[Thread]) -> tuple[str, ...]:
    """Name up to five topics: those written most like the query, then those of weak matches."""
    wanted = _triples(query)
    likeness = {
        topic: _likeness(wanted, _triples(topic)) for thread in others for topic in thread.topics
    }
    alike = sorted(
        (topic for topic, value in likeness.items() if value >= LIKE_ENOUGH),
        key=lambda topic: (-likeness[topic], topic),
    )
    by_meaning = [topic for thread in weak for topic in thread.topics[:2]]
    return tuple(dict.fromkeys([*alike[:3], *by_meaning, *alike[3:]]))[:5]


def _triples(text: str) -> set[str]:
    words = text.casefold().split()
    return {f" {word} "[n : n + 3] for word in words for n in range(len(word))}


def _likeness(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
