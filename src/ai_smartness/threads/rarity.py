"""How rare a term is among the threads of a project.

What two threads share tells the more, the fewer others have it.
"""

from collections import Counter
from collections.abc import Iterable
from math import log

from ai_smartness.threads.bridges import BridgeRules

__all__ = ["Rarity"]

LEAST_WORTH = 0.5
"""Of a rare term: what is worth less is in about every seventh thread, and tells nothing."""


class Rarity:
    """In how many threads each term is."""

    def __init__(self, rules: BridgeRules) -> None:
        self._rules = rules
        self._spread: Counter[str] = Counter()
        self.threads = 0

    def add(self, term: str) -> None:
        """Count one more thread that has the term."""
        self._spread[term] += 1

    def spread(self, term: str) -> int:
        """Return the number of threads that have the term."""
        return self._spread[term]

    def is_rare(self, term: str) -> bool:
        """Say whether so few threads have the term that two of them have it for a reason."""
        return self._spread[term] <= self._few

    def worth(self, terms: Iterable[str]) -> float:
        """Count terms in rare ones: one that is less rare is worth a part, down to half."""
        rare = log((self.threads + 1) / self._few)
        if rare <= 0:
            return float(sum(1 for _ in terms))
        worths = (min(1.0, self._information(term) / rare) for term in terms)
        return sum(worth for worth in worths if worth >= LEAST_WORTH)

    def weight(self, term: str) -> float:
        """Weigh a term: one that two threads alone have says more than five of everybody's."""
        return self._information(term) ** 2

    def _information(self, term: str) -> float:
        return log((self.threads + 1) / max(1, self._spread[term]))

    @property
    def _few(self) -> float:
        return max(self._rules.rare_threads, self._rules.rare_share * self.threads)
