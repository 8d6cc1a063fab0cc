"""What all embedders share: chunks of long texts, and calibrated cosines.

Calibration makes thresholds mean the same with every model.
One model gives unrelated texts a cosine of 0.7, another 0.05. Two anchors map
both to one scale: the cosine of unrelated texts becomes 0, that of a paraphrase 1.

The anchors are measured on two dozen pairs of sentences that say one thing in two
ways. The unrelated pairs cross the same sentences, so that subject matter and
style are alike in both sets and only the meaning differs.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING

from ai_smartness.ports import Embedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "SAME_PAIRS",
    "UNRELATED_PAIRS",
    "CalibratedEmbedder",
    "CosineAnchors",
    "calibrated_similarity",
    "chunk_spans",
    "measured_anchors",
    "tokenizable_text",
]

MIN_COSINE_RANGE = 0.01  # keeps the scale usable for a model that cannot tell texts apart
OVERLAP_SHARE = 1 / 8
"""The share of a chunk that the next one repeats, so that no sentence is cut in both."""

UNRELATED_MARGIN = 0.38
"""How far the cosine of fully unrelated documents lies below the median of the unrelated pairs,
as a share of the range: even unrelated pairs mostly share a language and a tone."""


@dataclass(frozen=True, slots=True)
class CosineAnchors:
    """A model's cosines of a query with an unrelated document and with a paraphrase.

    `unrelated_documents` is the cosine of two documents with nothing in common.
    """

    unrelated: float
    same: float
    unrelated_documents: float


class CalibratedEmbedder(Embedder):
    """An embedder whose anchors are known, or measured when they are first needed."""

    _known_anchors: CosineAnchors | None = None

    @property
    def other_languages(self) -> Embedder | None:
        return None

    def reads(self, text: str) -> bool:  # noqa: ARG002 - a model that reads every text
        return True

    def similarity(self, cosine: float) -> float:
        return calibrated_similarity(cosine, self._anchors.unrelated, self._anchors.same)

    @property
    def cosine_range(self) -> float:
        """Return the distance between the two anchors."""
        return max(self._anchors.same - self._anchors.unrelated, MIN_COSINE_RANGE)

    @property
    def unrelated_cosine(self) -> float:
        """Return the cosine of two documents with nothing in common."""
        return self._anchors.unrelated_documents

    @cached_property
    def _anchors(self) -> CosineAnchors:
        return self._known_anchors or measured_anchors(self)


def calibrated_similarity(cosine: float, unrelated: float, same: float) -> float:
    """Map a cosine to 0 to 1: linear between the anchors, flat outside."""
    return min(1.0, max(0.0, (cosine - unrelated) / max(same - unrelated, MIN_COSINE_RANGE)))


def measured_anchors(embedder: Embedder) -> CosineAnchors:
    """Measure a model's anchors: the median cosine in each set of pairs.

    Queries and documents are measured apart: some models embed them differently.
    """
    statements, answers = zip(*SAME_PAIRS, strict=True)
    queries = [embedder.query(statement) for statement in statements]
    documents = [rows[0] for rows in embedder.documents(statements)]
    vectors = dict(zip(answers, (rows[0] for rows in embedder.documents(answers)), strict=True))
    apart, alike = ([vectors[text] for _, text in pairs] for pairs in (UNRELATED_PAIRS, SAME_PAIRS))
    unrelated, same = _median_cosine(documents, apart), _median_cosine(documents, alike)
    return CosineAnchors(
        unrelated=_median_cosine(queries, apart),
        same=_median_cosine(queries, alike),
        unrelated_documents=unrelated - UNRELATED_MARGIN * (same - unrelated),
    )


def _median_cosine(
    left: "Sequence[NDArray[np.float32]]", right: "Sequence[NDArray[np.float32]]"
) -> float:
    return median(float(one @ other) for one, other in zip(left, right, strict=True))


def chunk_spans(length: int, size: int, limit: int) -> list[slice]:
    """Return at most `limit` overlapping spans of at most `size` that cover `length`.

    If that takes too many, they are spread evenly, including beginning and end.
    """
    if length <= size:
        return [slice(0, length)]
    step = max(1, size - math.ceil(size * OVERLAP_SHARE))
    count = min(limit, 1 + math.ceil((length - size) / step))
    if count <= 1:
        return [slice(0, size)]
    starts = [number * (length - size) // (count - 1) for number in range(count)]
    return [slice(start, start + size) for start in starts]


def tokenizable_text(text: str) -> str:
    """Return the text without NUL and lone surrogates, which no tokenizer reads."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


SAME_PAIRS: tuple[tuple[str, str], ...] = (
    (
        "The login page throws a 500 when the password is empty.",
        "Submitting the sign-in form without a password crashes the server.",
    ),
    (
        "We keep the sessions in Redis with a time to live of one hour.",
        "User sessions live in Redis and expire after sixty minutes.",
    ),
    (
        "Let's use PostgreSQL instead of MySQL for the new service.",
        "We decided that the new service runs on Postgres rather than MySQL.",
    ),
    (
        "The nightly build fails because the disk of the runner is full.",
        "CI breaks every night: no space left on the build machine.",
    ),
    (
        "Rename the function parse_args to read_options everywhere.",
        "parse_args should be called read_options in the whole code base.",
    ),
    (
        "Our tests are slow since each one starts its own database.",
        "The test suite takes long as every test boots a separate database.",
    ),
    (
        "The API key must never appear in the logs.",
        "Make sure that we do not print the secret token to the log file.",
    ),
    (
        "Users ask for a dark theme in the settings.",
        "People want to be able to switch the interface to dark mode.",
    ),
    (
        "The memory of the worker grows until the kernel kills it.",
        "There is a leak: the worker process eats RAM and gets OOM-killed.",
    ),
    (
        "Dates are stored in UTC and shown in the reader's time zone.",
        "We save timestamps as UTC and convert them to local time for display.",
    ),
    (
        "Roll the release back to 2.3, the new one loses uploads.",
        "Version 2.4 drops uploaded files, so go back to the previous release.",
    ),
    (
        "The search index has to be rebuilt after changing the analyzer.",
        "Changing the analyzer means reindexing everything for search.",
    ),
    (
        "Please write commit messages in the imperative mood.",
        "A commit message should be phrased like an order: fix this, add that.",
    ),
    ("The train to Lyon leaves at seven in the morning.", "Our train for Lyon departs at 7 am."),
    ("My daughter is allergic to peanuts.", "The girl must not eat peanuts, she has an allergy."),
    (
        "Water the tomatoes every evening while we are away.",
        "During our holiday the tomato plants need watering each night.",
    ),
    (
        "The dentist moved my appointment to Thursday.",
        "My visit to the dentist was rescheduled for Thursday.",
    ),
    (
        "I run five kilometres along the river before breakfast.",
        "Every morning, before eating, I go for a 5 km jog by the river.",
    ),
    (
        "The neighbours complained about the noise of the party.",
        "People next door were upset because our party was loud.",
    ),
    (
        "Grandmother's soup needs leeks, potatoes and a little cream.",
        "For granny's soup you take potatoes, leek and some cream.",
    ),
    (
        "She plays the cello in the city's youth orchestra.",
        "In the municipal youth orchestra she is one of the cellists.",
    ),
    (
        "Der Drucker im Büro druckt nur noch schwarz-weiß.",
        "Der Bürodrucker kann keine Farbe mehr drucken.",
    ),
    (
        "Le serveur redémarre tout seul chaque nuit à trois heures.",
        "Chaque nuit, vers 3 h, le serveur se relance de lui-même.",
    ),
    (
        "La factura de la luz subió mucho este invierno.",
        "Este invierno pagamos bastante más por la electricidad.",
    ),
)

# Large enough that no sentence meets one on a neighbouring subject.
_UNRELATED_SHIFT = 11

UNRELATED_PAIRS: tuple[tuple[str, str], ...] = tuple(
    (statement, SAME_PAIRS[(number + _UNRELATED_SHIFT) % len(SAME_PAIRS)][1])
    for number, (statement, _) in enumerate(SAME_PAIRS)
)
