"""Put the search by words and the search by meaning together.

Each score is first set against the best of its own search: BM25 as a share
of the best, a cosine as how far it stands out from a typical one. A place in
a ranking alone says less: a best match may be far ahead, or one of many.
"""

from collections.abc import Sequence

from ai_smartness.model.search import NearestEvents, SearchMatch
from ai_smartness.settings.schema import SearchSettings

__all__ = ["fused_matches"]

MIN_COSINE_SPREAD = 0.02
"""When the best stands out from the typical by less cosine than this, nothing stands out."""


def fused_matches(
    words: Sequence[SearchMatch], meaning: NearestEvents, weights: SearchSettings
) -> list[SearchMatch]:
    """Return each event once, best first, with a score of at most 1."""
    scores: dict[int, float] = {}
    best = max((match.score for match in words), default=0.0) or 1.0
    for match in words:
        scores[match.seq] = weights.words_weight * match.score / best
    for match in meaning.matches:
        scores[match.seq] = scores.get(match.seq, 0.0) + weights.meaning_weight * cosine_standout(
            match, meaning
        )
    most = (weights.words_weight + weights.meaning_weight) or 1.0
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [SearchMatch(seq, score / most) for seq, score in ranked]


def cosine_standout(match: SearchMatch, among: NearestEvents) -> float:
    """Say how far a cosine stands out, 0–1: 0 is typical, 1 is the best there is."""
    top = among.matches[0].score
    typical = top if among.typical is None else among.typical
    return min(1.0, max(0.0, match.score - typical) / max(top - typical, MIN_COSINE_SPREAD))
