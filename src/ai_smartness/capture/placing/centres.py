"""Find the threads whose middle is nearest to a vector.

The one module of placing that loads numpy, and only where there are vectors.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ai_smartness.capture.placing.incoming import Vector

__all__ = ["Centres"]

BLOCK_ROWS = 512
"""Grown by blocks, so that no message waits for thousands of rows to be copied."""

COMPARED_BLOCKS = 4
"""About two thousand of the newest threads, 0.3 ms; older ones are found by their words."""


class Centres:
    """The middles of the threads that have vectors."""

    def __init__(self) -> None:
        self._row: dict[str, int] = {}
        self._names: list[str] = []
        self._blocks: list[Vector] = []

    def put(self, thread_id: str, centre: "Vector") -> None:
        """Keep a thread's middle, in the place of the former one."""
        row = self._row.setdefault(thread_id, len(self._names))
        if row == len(self._names):
            self._names.append(thread_id)
            if row % BLOCK_ROWS == 0:
                self._blocks.append(np.zeros((BLOCK_ROWS, len(centre)), np.float32))
        self._blocks[row // BLOCK_ROWS][row % BLOCK_ROWS] = centre

    def nearest(self, vector: "Vector", limit: int) -> list[str]:
        """Name the threads with the nearest middle, best first."""
        if not self._blocks or not limit:
            return []
        first = max(0, len(self._blocks) - COMPARED_BLOCKS)
        # Not `@`: a busy machine's BLAS threads make one product of this size wait for
        # milliseconds, and its sums differ with the number of rows.
        cosines = np.concatenate([np.einsum("ij,j->i", b, vector) for b in self._blocks[first:]])
        start = first * BLOCK_ROWS
        cosines = cosines[: len(self._names) - start]
        best = np.argpartition(-cosines, min(limit, len(cosines)) - 1)[:limit]
        ranked = sorted((-float(cosines[row]), int(row)) for row in best)
        return [self._names[start + row] for _, row in ranked]
