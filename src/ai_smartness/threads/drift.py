"""Measure how far a thread's recent messages are from its subject.

One number for each message, from 0 (on the subject) to 1 (as far as any other text):
something to plot, and one reason among others to suggest a split.
"""

from collections import deque
from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LEAST_SPREAD", "cosine_of_sums", "drift_series"]

WINDOW_MESSAGES = 8
"""What counts as recent. Eight messages tell those of another session from a thread's own with
.71 (area under the curve), four with .68; a single odd one moves the drift by an eighth."""

LEAST_SPREAD = 0.01  # from equal to unrelated, for a model that tells nothing apart


def drift_series(
    vectors: "Sequence[NDArray[np.float32]]", unrelated_cosine: float, window: int = WINDOW_MESSAGES
) -> list[float]:
    """Measure, after each message, how far the last few are from the centre of all before.

    `unrelated_cosine` is the embedder's cosine of unrelated texts. While nothing comes
    before the recent messages, the drift is 0.
    """
    spread = max(1.0 - unrelated_cosine, LEAST_SPREAD)
    recent: deque[NDArray[np.float64]] = deque(maxlen=max(1, window))
    series: list[float] = []
    before: NDArray[np.float64] | None = None
    for vector in vectors:
        if len(recent) == recent.maxlen:
            before = recent[0] if before is None else before + recent[0]
        recent.append(vector.astype("float64"))
        cosine = 1.0
        if before is not None:
            total = recent[0]
            for other in list(recent)[1:]:
                total = total + other
            cosine = cosine_of_sums(total, before)
        series.append(min(1.0, max(0.0, (1.0 - cosine) / spread)))
    return series


def cosine_of_sums(a: "NDArray[np.floating]", b: "NDArray[np.floating]") -> float:
    """Compare two sums of vectors; a sum that cancels out counts as equal to any."""
    lengths = sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / lengths if lengths > 0 else 1.0
