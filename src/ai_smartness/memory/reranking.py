"""One use of the reranker: it has a time limit, tells what it cost, and never breaks a search."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING

from ai_smartness.model.errors import StoreError

if TYPE_CHECKING:
    from ai_smartness.model.search import SearchMatch
    from ai_smartness.ports import Reranker

__all__ = ["TimedReranking"]

_LOG = logging.getLogger(__name__)


class TimedReranking:
    """Reorders the first matches of a search until a time on the clock, and sums up its time."""

    def __init__(
        self,
        reranker: Reranker,
        *,
        until: float = math.inf,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._reranker = reranker
        self._until = until
        self._clock = clock
        self.took = 0.0

    def reordered(
        self,
        query: str,
        matches: Sequence[SearchMatch],
        load_texts: Callable[[Sequence[int]], Mapping[int, str]],
    ) -> list[SearchMatch]:
        """Return the matches in their new order, or as they are if the reranker fails."""
        from ai_smartness.search.cross_encoder import (
            RERANKED_MATCHES,
            reordered_matches,
            texts_to_judge,
        )

        head = matches[:RERANKED_MATCHES]
        started = self._clock()
        try:
            texts = texts_to_judge(query, head, load_texts([match.seq for match in head]))
            return reordered_matches(matches, self._scores_in_time(query, texts))
        except StoreError as error:
            _LOG.warning("searching without the reranker: %s", error)
            return list(matches)
        finally:
            self.took += self._clock() - started

    def _scores_in_time(self, query: str, texts: Iterable[str]) -> list[float]:
        """Score texts as long as there is time for one more, by the slowest so far."""
        scores: list[float] = []
        slowest = 0.0
        for text in texts:
            before = self._clock()
            if before + slowest > self._until:
                break
            scores.append(self._reranker.score(query, text))
            slowest = max(slowest, self._clock() - before)
        return scores
