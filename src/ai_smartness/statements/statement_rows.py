"""The vectors of the statements that hold, as rows of one matrix, and how near a new one is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.ports import Embedder
from ai_smartness.text.letter_ngrams import is_inflected_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ForeignNearness", "ForeignRows", "Similarities", "StatementRows"]

FIRST_ROWS = 256
# Few statements do not tell what is usual in a project: so many are added with the usual values.
ADDED_STATEMENTS = 20
USUAL_COSINE = 0.745
USUAL_DEVIATION = 0.043
USUAL_FOREIGN_COSINE = 0.25
USUAL_FOREIGN_DEVIATION = 0.13


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
    """Rows of a matrix that grows, by the id of their statement.

    `usual` is the mean and the deviation of cosines among statements of any project.
    """

    def __init__(self, usual: tuple[float, float] = (USUAL_COSINE, USUAL_DEVIATION)) -> None:
        self._usual = usual
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

    def __contains__(self, id_: str) -> bool:
        """Say whether a statement has a row."""
        return id_ in self._places

    def vector(self, id_: str) -> "NDArray[np.float32]":
        """Return the row of a statement."""
        return np.asarray(self._matrix[self._places[id_]], np.float32)

    def remove(self, id_: str) -> None:
        """Remove a row, if there is one."""
        place = self._places.pop(id_, None)
        if place is not None:
            self._sum -= self._matrix[place]
            self._matrix[place] = 0
            self._is_used[place] = False

    def similarities(self, vector: "NDArray[np.float32]", but: str, count: int) -> Similarities:
        """Return how similar all rows `but` one are to a vector, with the nearest of them."""
        usual, usual_deviation = self._usual
        if not self._ids:
            return Similarities([], np.zeros(0, np.float32), usual, usual_deviation)
        used = self._is_used[: len(self._ids)].copy()
        if but in self._places:
            used[self._places[but]] = False
        places = np.flatnonzero(used)
        cosines = (self._matrix[: len(self._ids)] @ vector)[places]
        order = np.argsort(-cosines, kind="stable")[:count]
        number = len(places) + ADDED_STATEMENTS
        mean = (float(cosines.sum()) + ADDED_STATEMENTS * usual) / number
        squares = float(((cosines - mean) ** 2).sum()) + ADDED_STATEMENTS * usual_deviation**2
        nearest = [self._ids[place] for place in places[order]]
        return Similarities(nearest, cosines, mean, (squares / number) ** 0.5)

    def mean_cosine(self, vector: "NDArray[np.float32]") -> float:
        """Return how similar the row that has this vector is to the others."""
        others = float(self._sum @ vector) - 1 if self._ids else 0.0
        number = max(0, len(self._places) - 1)
        return (others + ADDED_STATEMENTS * self._usual[0]) / (number + ADDED_STATEMENTS)


@dataclass(frozen=True, slots=True)
class ForeignNearness:
    """How near a statement in another language is to the others, by their ids."""

    deviations: dict[str, float]
    nearest: list[str]

    def deviation(self, id_: str) -> float:
        """Return by how many standard deviations a statement is nearer than usual."""
        return self.deviations.get(id_, 0.0)

    def is_nearest(self, id_: str) -> bool:
        """Say whether no other statement is nearer."""
        return self.nearest[:1] == [id_]


class ForeignRows:
    """Compares a statement in another language with the English ones, by the model for languages.

    Statements of one language are nearer to each other than to what they change in another one.
    """

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._rows = StatementRows((USUAL_FOREIGN_COSINE, USUAL_FOREIGN_DEVIATION))
        self._is_foreign_by_id: dict[str, bool] = {}

    def nearness(
        self, text: str, others: Iterable[tuple[str, str]], count: int
    ) -> ForeignNearness | None:
        """Compare a text with those in another language; nothing if it is in English."""
        model = self._embedder.other_languages if self._embedder else None
        if self._embedder is None or model is None or not self._is_foreign(text):
            return None
        ids = list[str]()
        for id_, other in others:
            if id_ not in self._is_foreign_by_id:
                self._is_foreign_by_id[id_] = self._is_foreign(other)
            if self._is_foreign_by_id[id_]:
                continue
            ids.append(id_)
            if id_ not in self._rows:
                self._rows.add(id_, model.query(other))
        vector = model.query(text)
        similar = self._rows.similarities(vector, "", count)
        deviations = {
            id_: (float(self._rows.vector(id_) @ vector) - similar.mean) / similar.deviation
            for id_ in ids
        }
        return ForeignNearness(deviations, similar.nearest)

    def _is_foreign(self, text: str) -> bool:
        is_read = self._embedder is None or self._embedder.reads(text)
        return is_inflected_text(text) or not is_read

    def remove(self, id_: str) -> None:
        """Remove a statement, if it was compared."""
        self._rows.remove(id_)
