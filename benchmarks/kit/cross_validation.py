"""Choose the limits of redaction on some lines, to be tried on others."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product

from ai_smartness.redact import find_secrets, plausibility
from ai_smartness.redact.plausibility import Limits

__all__ = ["JudgedLine", "chosen_limits", "limits_set"]

LEAST_PRECISION = 0.9

GRID = {
    "token_bits": (2.5, 3.0, 3.5),
    "format_bits": (0.0, 2.5, 3.0),
    "common_pairs": (0.5, 0.6, 0.7),
}
"""The limits that are tried, all combinations of them."""


@dataclass(frozen=True)
class JudgedLine:
    """A line, and whether it holds a secret."""

    text: str
    is_secret: bool


def chosen_limits(lines: Sequence[JudgedLine]) -> dict[str, float]:
    """Return the limits that find most, among those that are right nine times of ten.

    Of equal ones, those nearest to the ones that the product has.
    """
    shipped = Limits()

    def rank(values: dict[str, float]) -> tuple[bool, int, float]:
        with limits_set(values):
            hits = [line.is_secret for line in lines if find_secrets(line.text)]
        precision = sum(hits) / max(1, len(hits))
        wrong = len(hits) - sum(hits)
        distance = sum(abs(value - getattr(shipped, name)) for name, value in values.items())
        return precision >= LEAST_PRECISION, sum(hits) - wrong, -distance

    return max(_combinations(), key=rank)


@contextmanager
def limits_set(values: dict[str, float]) -> Iterator[None]:
    """Redact with these limits for a while."""
    before = {name: getattr(plausibility.LIMITS, name) for name in values}
    for name, value in values.items():
        setattr(plausibility.LIMITS, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(plausibility.LIMITS, name, value)


def _combinations() -> Iterator[dict[str, float]]:
    for values in product(*GRID.values()):
        yield dict(zip(GRID, values, strict=True))
