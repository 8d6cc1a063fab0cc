"""Small linear models over sentence vectors and explicit features, fitted by `scripts/fit`.

There is one data file for each embedding model, named after it. Without a file for the model in
use, or without a model, the plain rules judge instead.
"""

from array import array
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.model.statement import Speaker, StatementKind
from ai_smartness.statements.features import sentence_features

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ai_smartness.statements.sentences import Sentence

__all__ = [
    "FITTED",
    "KIND_LABELS",
    "NO_STATEMENT",
    "Heads",
    "LinearHead",
    "kind_rows",
    "load_heads",
    "supersede_rows",
]

FITTED = Path(__file__).with_name("fitted")
"""The folder of the data files."""

NO_STATEMENT = "none"
KIND_LABELS = (*map(str, StatementKind), NO_STATEMENT)
"""The classes of the kind head, in their order in the data file."""

VECTOR_WEIGHT = 4.0  # of a vector's numbers beside features of 0 and 1
VERSION_BYTES = 4
KNOWN_SENTENCES = 10_000  # whose features are found once: a search compares the same lines again
HEAD_PARTS = ("weights", "bias")


@dataclass(frozen=True, slots=True)
class LinearHead:
    """A logistic regression: one row of weights for each class, or a single row for yes or no."""

    weights: "NDArray[np.float32]"
    bias: "NDArray[np.float32]"

    def probabilities(self, rows: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """Return the probability of each class, or of yes, for each row of features."""
        scores = rows @ self.weights.T + self.bias
        if len(self.weights) == 1:
            return np.asarray(1 / (1 + np.exp(-scores[:, 0])), np.float32)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """The fitted heads of one embedding model.

    `lasting` has the input and classes of `kind`, and is fitted on real sessions as well: it
    tells which of the statements that were found are worth telling.
    """

    space: str
    version: str
    kind: LinearHead
    lasting: LinearHead
    supersedes: LinearHead
    need: LinearHead


def kind_rows(
    sentences: "Sequence[Sentence]",
    speakers: "Sequence[Speaker]",
    vectors: "NDArray[np.float32]",
) -> "NDArray[np.float32]":
    """Return the input of the kind head: a row for each sentence."""
    features = b"".join(map(_packed_features, sentences, speakers))
    rows = np.frombuffer(features, np.float32).reshape(len(sentences), -1)
    return np.hstack([VECTOR_WEIGHT * vectors, rows])


@lru_cache(KNOWN_SENTENCES)
def _packed_features(sentence: "Sentence", speaker: "Speaker") -> bytes:
    return array("f", sentence_features(sentence, speaker)).tobytes()


def supersede_rows(
    features: "Sequence[Sequence[float]]", newer: "NDArray[np.float32]"
) -> "NDArray[np.float32]":
    """Return the input of the head for supersession: a row for each pair.

    The vector of the later statement tells whether it announces a change, in any language.
    """
    return np.hstack([np.asarray(features, np.float32), VECTOR_WEIGHT * newer])


@cache
def load_heads(space: str) -> Heads | None:
    """Return the heads that were fitted for a model's vector space, if there are any."""
    name = space.partition("@")[0]
    path = next((path for path in FITTED.glob("*.npz") if path.stem == name), None)
    if path is None:
        return None
    with np.load(path, allow_pickle=False) as arrays:
        if str(arrays["space"]) != space:
            return None
        heads = {
            name: LinearHead(*(arrays[f"{name}_{part}"].astype(np.float32) for part in HEAD_PARTS))
            for name in ("kind", "lasting", "supersedes", "need")
        }
    version = blake2b(path.read_bytes(), digest_size=VERSION_BYTES).hexdigest()
    return Heads(space=space, version=version, **heads)
