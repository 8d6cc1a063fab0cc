"""Make thresholds mean the same with every model.

One model gives 0.7 to texts that have nothing in common, another 0.05. Two
anchors straighten that: what a model says of unrelated texts becomes 0, what
it says of one thing put in other words becomes 1.

Sentences to measure a model with.

Two dozen pairs say one thing in two ways, as a person returning to a subject
would. The unrelated pairs are made of the same sentences, crossed, so that
subject matter and style are alike in both sets and only the meaning differs.
"""

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ai_smartness.ports import Embedder


__all__ = [
    "MIN_COSINE_RANGE",
    "SAME_PAIRS",
    "UNRELATED_PAIRS",
    "CosineAnchors",
    "calibrated_similarity",
    "measured_anchors",
]


MIN_COSINE_RANGE = 0.01
"""The cosine between the anchors of a model that tells nothing apart; keeps the map a map."""


UNRELATED_MARGIN = 0.38
"""How far below the median of unrelated documents, in steps from there to the same said again,
two documents are strangers: even unrelated ones mostly share a language and a tone."""


@dataclass(frozen=True, slots=True)
class CosineAnchors:
    """The cosines that a model gives to unrelated texts, and to the same said in other words.

    Of a query and a document; `strangers` is of two documents that could not
    have less to do with each other.
    """

    unrelated: float
    same: float
    unrelated_documents: float


def calibrated_similarity(cosine: float, unrelated: float, same: float) -> float:
    """Map a cosine to 0 to 1: straight between the anchors, flat outside."""
    spread = max(same - unrelated, MIN_COSINE_RANGE)
    return min(1.0, max(0.0, (cosine - unrelated) / spread))


def measured_anchors(embedder: "Embedder") -> CosineAnchors:
    """Measure a model's anchors: the median cosine in each set of pairs.

    A model that reads queries and documents differently gives two documents
    other cosines than a query and a document.
    """
    asked = [embedder.query(said) for said, _ in SAME_PAIRS]
    told = [rows[0] for rows in embedder.documents([said for said, _ in SAME_PAIRS])]
    found = {text: rows[0] for text, rows in _embedded_answers(embedder).items()}
    apart, alike = ([found[text] for _, text in pairs] for pairs in (UNRELATED_PAIRS, SAME_PAIRS))
    unrelated, same = _median_cosine(told, apart), _median_cosine(told, alike)
    return CosineAnchors(
        unrelated=_median_cosine(asked, apart),
        same=_median_cosine(asked, alike),
        unrelated_documents=unrelated - UNRELATED_MARGIN * (same - unrelated),
    )


def _embedded_answers(embedder: "Embedder") -> "dict[str, NDArray[np.float32]]":
    """Embed what the pairs answer with; both sets answer with the same sentences."""
    texts = [text for _, text in SAME_PAIRS]
    return dict(zip(texts, embedder.documents(texts), strict=True))


def _median_cosine(
    asked: "Sequence[NDArray[np.float32]]",
    found: "Sequence[NDArray[np.float32]]",
) -> float:
    return median(float(a @ b) for a, b in zip(asked, found, strict=True))


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
    (
        "The train to Lyon leaves at seven in the morning.",
        "Our train for Lyon departs at 7 am.",
    ),
    (
        "My daughter is allergic to peanuts.",
        "The girl must not eat peanuts, she has an allergy.",
    ),
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

# Far enough that no sentence meets one on a neighbouring subject.
_UNRELATED_SHIFT = 11

UNRELATED_PAIRS: tuple[tuple[str, str], ...] = tuple(
    (said, SAME_PAIRS[(number + _UNRELATED_SHIFT) % len(SAME_PAIRS)][1])
    for number, (said, _) in enumerate(SAME_PAIRS)
)
