"""Put the search by words and the search by meaning together.

Each score is first set against the best of its own search: BM25 as a share
of the best, a cosine as how far it stands out from a typical one. A place in
a ranking alone says less: a best match may be far ahead, or one of many.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ai_smartness.model.search import NearestEvents, SearchMatch

__all__ = ["SearchWeights", "fused_matches"]

MIN_COSINE_SPREAD = 0.02
"""When the best stands out from the typical by less cosine than this, nothing stands out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchWeights:
    """How much each search counts, and how many events each hands on."""

    words: float = 1.0
    meaning: float = 0.8
    candidates: int = 100


def fused_matches(
    words: Sequence[SearchMatch],
    meaning: NearestEvents,
    weights: SearchWeights,
) -> list[SearchMatch]:
    """Return each event once, best first, with a score of at most 1."""
    scores: dict[int, float] = {}
    best = max((match.score for match in words), default=0.0) or 1.0
    for match in words:
        scores[match.seq] = weights.words * match.score / best
    for match in meaning.matches:
        scores[match.seq] = scores.get(match.seq, 0.0) + weights.meaning * cosine_standout(
            match,
            meaning,
        )
    most = (weights.words + weights.meaning) or 1.0
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [SearchMatch(seq, score / most) for seq, score in ranked]


def cosine_standout(match: SearchMatch, among: NearestEvents) -> float:
    """Say how far a cosine stands out, 0–1: 0 is typical, 1 is the best there is."""
    top = among.matches[0].score
    typical = top if among.typical is None else among.typical
    return min(1.0, max(0.0, match.score - typical) / max(top - typical, MIN_COSINE_SPREAD))
