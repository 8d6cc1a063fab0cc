"""The vectors of the statements that hold, as rows of one matrix, and how near a new one is."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Similarities", "StatementRows"]

FIRST_ROWS = 256
# Few statements do not tell what is usual in a project: so many are added with the usual values.
ADDED_STATEMENTS = 20
USUAL_COSINE = 0.745
USUAL_DEVIATION = 0.043


@dataclass(frozen=True, slots=True)
class Similarities:
    """The cosines of one vector with all rows, and what is usual among them."""

    nearest: list[str]
    cosines: "NDArray[np.float32]"
    mean: float
    deviation: float

    def rank(self, cosine: float) -> int:
        """Return how many rows are nearer than this."""
        return int((self.cosines > cosine).sum())


class StatementRows:
    """Rows of a matrix that grows, by the id of their statement."""

    def __init__(self) -> None:
        self._matrix: NDArray[np.float32]
        self._is_used: NDArray[np.bool_]
        self._sum: NDArray[np.float64]
        self._ids: list[str] = []
        self._places: dict[str, int] = {}

    def add(self, id_: str, vector: "NDArray[np.float32]") -> None:
        """Add a row; the matrix doubles when it is full."""
        count = len(self._ids)
        if not count:
            self._matrix = np.zeros((FIRST_ROWS, len(vector)), np.float32)
            self._is_used = np.zeros(FIRST_ROWS, bool)
            self._sum = np.zeros(len(vector))
        elif count == len(self._matrix):
            self._matrix = np.concatenate([self._matrix, np.zeros_like(self._matrix)])
            self._is_used = np.concatenate([self._is_used, np.zeros_like(self._is_used)])
        self._matrix[count] = vector
        self._is_used[count] = True
        self._sum += vector
        self._places[id_] = count
        self._ids.append(id_)

    def remove(self, id_: str) -> None:
        """Remove a row, if there is one."""
        place = self._places.pop(id_, None)
        if place is not None:
            self._sum -= self._matrix[place]
            self._matrix[place] = 0
            self._is_used[place] = False

    def similarities(self, vector: "NDArray[np.float32]", but: str, count: int) -> Similarities:
        """Return how similar all rows `but` one are to a vector, with the nearest of them."""
        if not self._ids:
            return Similarities([], np.zeros(0, np.float32), USUAL_COSINE, USUAL_DEVIATION)
        used = self._is_used[: len(self._ids)].copy()
        if but in self._places:
            used[self._places[but]] = False
        places = np.flatnonzero(used)
        cosines = (self._matrix[: len(self._ids)] @ vector)[places]
        order = np.argsort(-cosines, kind="stable")[:count]
        number = len(places) + ADDED_STATEMENTS
        mean = (float(cosines.sum()) + ADDED_STATEMENTS * USUAL_COSINE) / number
        squares = float(((cosines - mean) ** 2).sum()) + ADDED_STATEMENTS * USUAL_DEVIATION**2
        nearest = [self._ids[place] for place in places[order]]
        return Similarities(nearest, cosines, mean, (squares / number) ** 0.5)

    def mean_cosine(self, vector: "NDArray[np.float32]") -> float:
        """Return how similar the row that has this vector is to the others."""
        others = float(self._sum @ vector) - 1 if self._ids else 0.0
        number = max(0, len(self._places) - 1)
        return (others + ADDED_STATEMENTS * USUAL_COSINE) / (number + ADDED_STATEMENTS)
