"""Make thresholds mean the same with every model.

One model gives 0.7 to texts that have nothing in common, another 0.05. Two
anchors straighten that: what a model says of unrelated texts becomes 0, what
it says of one thing put in other words becomes 1.
"""

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from ai_smartness.adapters.embedders.pairs import SAME, UNRELATED

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ai_smartness.ports import Embedder

__all__ = ["LEAST_SPREAD", "Anchors", "measured", "similarity"]

LEAST_SPREAD = 0.01
"""The cosine between the anchors of a model that tells nothing apart; keeps the map a map."""


BELOW_UNRELATED = 0.38
"""How far below the median of unrelated documents, in steps from there to the same said again,
two documents are strangers: even unrelated ones mostly share a language and a tone."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """The cosines that a model gives to unrelated texts, and to the same said in other words.

    Of a query and a document; `strangers` is of two documents that could not
    have less to do with each other.
    """

    unrelated: float
    same: float
    strangers: float


def similarity(cosine: float, unrelated: float, same: float) -> float:
    """Map a cosine to 0 to 1: straight between the anchors, flat outside."""
    spread = max(same - unrelated, LEAST_SPREAD)
    return min(1.0, max(0.0, (cosine - unrelated) / spread))


def measured(embedder: "Embedder") -> Anchors:
    """Measure a model's anchors: the median cosine in each set of pairs.

    A model that reads queries and documents differently gives two documents
    other cosines than a query and a document.
    """
    asked = [embedder.query(said) for said, _ in SAME]
    told = [rows[0] for rows in embedder.documents([said for said, _ in SAME])]
    found = {text: rows[0] for text, rows in _embedded(embedder).items()}
    apart, alike = ([found[text] for _, text in pairs] for pairs in (UNRELATED, SAME))
    unrelated, same = _median(told, apart), _median(told, alike)
    return Anchors(
        unrelated=_median(asked, apart),
        same=_median(asked, alike),
        strangers=unrelated - BELOW_UNRELATED * (same - unrelated),
    )


def _embedded(embedder: "Embedder") -> "dict[str, NDArray[np.float32]]":
    """Embed what the pairs answer with; both sets answer with the same sentences."""
    texts = [text for _, text in SAME]
    return dict(zip(texts, embedder.documents(texts), strict=True))


def _median(
    asked: "Sequence[NDArray[np.float32]]", found: "Sequence[NDArray[np.float32]]"
) -> float:
    return median(float(a @ b) for a, b in zip(asked, found, strict=True))
