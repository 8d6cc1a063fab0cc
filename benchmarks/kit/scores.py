"""Measures of a ranking and of a gate, with their 95 % intervals by bootstrap over questions."""

from collections.abc import Collection, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "MEASURES",
    "Floats",
    "Interval",
    "at_floor",
    "auroc",
    "difference",
    "false_at_recall",
    "interval",
    "misses_removed",
    "quality",
]

MEASURES = ("R@5", "R@10", "NDCG@10", "MRR")
BOOTSTRAPS = 1_000
Floats: TypeAlias = NDArray[np.float64]
Interval: TypeAlias = tuple[float, float, float]
"""A value, and the bounds that it is within 95 times of a hundred."""


def quality(ranking: Sequence[str], gold: Collection[str]) -> list[float]:
    """Return R@5, R@10, NDCG@10 and MRR; not a number where nothing is labelled."""
    if not gold:
        return [float("nan")] * len(MEASURES)
    hits = [place for place, id_ in enumerate(ranking) if id_ in gold]
    ideal = sum(1 / np.log2(place + 2) for place in range(min(10, len(gold))))
    gain = sum(1 / np.log2(place + 2) for place in hits if place < 10)  # noqa: PLR2004 # NDCG@10
    return [
        sum(place < 5 for place in hits) / len(gold),  # noqa: PLR2004 # R@5
        sum(place < 10 for place in hits) / len(gold),  # noqa: PLR2004 # R@10
        float(gain / ideal),
        1 / (hits[0] + 1) if hits else 0.0,
    ]


def interval(values: Floats) -> Interval | None:
    """Return the mean of the questions that are labelled, with its interval."""
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    means = known[_picks(len(known))].mean(axis=1)
    return (float(known.mean()), *_bounds(means))


def difference(ours: Floats, theirs: Floats) -> Interval | None:
    """Return by how much we are better on the same questions, with its interval."""
    return interval(ours - theirs)


def misses_removed(ours: Floats, theirs: Floats) -> float:
    """Return which share of their misses we do not have."""
    missed, they_missed = 1 - float(np.nanmean(ours)), 1 - float(np.nanmean(theirs))
    return 1 - missed / they_missed if they_missed else 0.0


def auroc(wanted: Floats, unwanted: Floats) -> Interval:
    """Return how often a prompt that needs memory scores above one that needs none."""

    def area(above: Floats, below: Floats) -> float:
        ranked = np.sort(below)
        lower = np.searchsorted(ranked, above, "left") + np.searchsorted(ranked, above, "right")
        return float(lower.mean() / 2 / len(below))

    pairs = zip(_picks(len(wanted)), _picks(len(unwanted), seed=2), strict=True)
    areas = np.array([area(wanted[one], unwanted[other]) for one, other in pairs])
    return (area(wanted, unwanted), *_bounds(areas))


def false_at_recall(wanted: Floats, unwanted: Floats, recall: float = 0.8) -> Interval:
    """Return how many prompts that need none get memory when so many that do get it."""

    def share(yes: Floats, no: Floats) -> float:
        floor = np.sort(yes)[::-1][int(np.ceil(recall * len(yes))) - 1]
        return float((no >= floor).mean())

    pairs = zip(_picks(len(wanted)), _picks(len(unwanted), seed=2), strict=True)
    shares = np.array([share(wanted[one], unwanted[other]) for one, other in pairs])
    return (share(wanted, unwanted), *_bounds(shares))


def at_floor(wanted: Floats, unwanted: Floats, floor: float) -> tuple[float, float]:
    """Return which share of both gets memory at a floor."""
    return float((wanted >= floor).mean()), float((unwanted >= floor).mean())


def _picks(count: int, seed: int = 1) -> NDArray[np.int64]:
    return np.random.default_rng(seed).integers(0, count, (BOOTSTRAPS, count))


def _bounds(values: Floats) -> tuple[float, float]:
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)
