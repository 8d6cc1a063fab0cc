"""How far each strategy goes."""

from collections.abc import Mapping
from dataclasses import dataclass

from ai_smartness.model.compaction import Strategy

__all__ = ["STRATEGIES", "Reach"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What a strategy merges, what it puts away, and what it leaves of a weight."""

    merge_threshold: float
    archive_age_days: int
    max_active_threads: int
    weight_decay: float


STRATEGIES: Mapping[Strategy, Reach] = {
    Strategy.GENTLE: Reach(
        merge_threshold=0.95, archive_age_days=30, max_active_threads=50, weight_decay=0.95
    ),
    Strategy.NORMAL: Reach(
        merge_threshold=0.85, archive_age_days=14, max_active_threads=30, weight_decay=0.90
    ),
    Strategy.AGGRESSIVE: Reach(
        merge_threshold=0.75, archive_age_days=7, max_active_threads=15, weight_decay=0.80
    ),
}
