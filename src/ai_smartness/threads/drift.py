"""How far a thread's recent messages are from what the thread is about.

A series, one number a message, from 0 (on the subject) to 1 (as far as any
other text): something to plot, and one reason among others to suggest a split.
"""

from collections import deque
from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["WINDOW_MESSAGES", "drift_series"]

WINDOW_MESSAGES = 8
"""What counts as recent. Telling messages of another session from a thread's own succeeds with
.71 (area under the curve) by eight messages and .68 by four; an odd one moves it by an eighth."""

LEAST_SPREAD = 0.01
"""The way from the same to the unrelated for a model that tells nothing apart."""


def drift_series(
    vectors: "Sequence[NDArray[np.float32]]", unrelated_cosine: float, window: int = WINDOW_MESSAGES
) -> list[float]:
    """Measure, after each message, how far the last few are from the centre of all before them.

    `unrelated_cosine` is what the embedder gives to texts that have nothing in
    common. While there is nothing before the recent messages, the drift is 0.
    """
    spread = max(1.0 - unrelated_cosine, LEAST_SPREAD)
    recent: deque[NDArray[np.float64]] = deque(maxlen=max(1, window))
    series: list[float] = []
    before: NDArray[np.float64] | None = None
    for vector in vectors:
        if len(recent) == recent.maxlen:
            before = recent[0] if before is None else before + recent[0]
        recent.append(vector.astype("float64"))
        cosine = 1.0 if before is None else _cosine_of_sums(_vector_sum(recent), before)
        series.append(min(1.0, max(0.0, (1.0 - cosine) / spread)))
    return series


def _vector_sum(vectors: "Sequence[NDArray[np.float64]]") -> "NDArray[np.float64]":
    total = vectors[0]
    for vector in list(vectors)[1:]:
        total = total + vector
    return total


def _cosine_of_sums(one: "NDArray[np.float64]", other: "NDArray[np.float64]") -> float:
    """Compare two sums; one that cancels out points nowhere, and so away from nothing."""
    lengths = sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / lengths if lengths > 0 else 1.0
