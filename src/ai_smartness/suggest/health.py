"""How full the memory is, how well it is used, and the one thing to do about it."""

from collections.abc import Sequence
from dataclasses import dataclass

from ai_smartness.model.session import LedgerPage
from ai_smartness.model.suggestion import Health

__all__ = ["Found", "Shown", "health", "recommendation"]

FULL_WEIGHT = 10.0
"""What active threads weigh together when the pressure is 1."""

HIGH_PRESSURE = 0.7

LEAST_HIT_RATE = 0.05
JUDGED_ENTRIES = 50
"""Entries that were shown, before it says anything how few of them were of use."""

HEALTHY = "Healthy state, no action needed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """How many suggestions there are of each sort."""

    merges: int = 0
    splits: int = 0
    conflicts: int = 0
    pins: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What was shown to agents: the latest turns, and in all how much, and how much was of use."""

    pages: Sequence[LedgerPage]
    injected: int
    used: int
    token_budget: int

    @property
    def tokens(self) -> int:
        """What a prompt was given on average."""
        given = sum(entry.tokens for page in self.pages for entry in page.shown)
        return round(given / len(self.pages)) if self.pages else 0

    @property
    def hit_rate(self) -> float | None:
        """The share that came back in what agents did."""
        return self.used / self.injected if self.injected else None


def health(weights: Sequence[float], allowed: int, shown: Shown, found: Found) -> Health:
    """Measure the memory by what its active threads weigh now."""
    pressure = min(1.0, sum(weights) / FULL_WEIGHT)
    return Health(
        active_threads=len(weights),
        allowed_threads=allowed,
        context_pressure=pressure,
        tokens_injected=shown.tokens,
        token_budget=shown.token_budget,
        hit_rate=shown.hit_rate,
        recommendation=recommendation(len(weights) - allowed, pressure, shown, found),
    )


def recommendation(too_many: int, pressure: float, shown: Shown, found: Found) -> str:
    """Say what helps most: less to carry, then what is true, then what is in its place."""
    pressing = too_many > 0 or pressure >= HIGH_PRESSURE
    steps = (
        (pressing and found.merges, "merging similar threads to reduce pressure"),
        (too_many > 0, f"compacting: {too_many:,} more active threads than should be"),
        (found.conflicts, "archiving what newer threads contradict or replace"),
        (found.splits, "splitting threads that drifted"),
        (found.pins, "archiving pins that are of no use"),
        (_is_noise(shown), "rating what is shown: little of it is of use"),
    )
    return next((f"Consider {step}" for needed, step in steps if needed), HEALTHY)


def _is_noise(shown: Shown) -> bool:
    rate = shown.hit_rate
    return rate is not None and rate < LEAST_HIT_RATE and shown.injected >= JUDGED_ENTRIES
