"""What the fits share: labelled items, a scaled logistic regression, and how weights are saved."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from ai_smartness.model.statement import Speaker, StatementKind
from ai_smartness.statements.heads import LinearHead, kind_rows
from ai_smartness.statements.pair_features import ComparedStatement
from ai_smartness.statements.sentences import Sentence

TRAINING = Path(__file__).parents[1] / "training"
MOST_STEPS = 5_000
SEED = 0

Item = dict[str, Any]
Rows = NDArray[np.float32]
Arrays = dict[str, NDArray[Any]]
Weights = tuple[NDArray[Any], NDArray[Any]]


def training_items(name: str) -> list[Item]:
    """Read one of the files of labelled items."""
    lines = (TRAINING / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


class HeadFit(Protocol):
    """The fit of one head."""

    def report(self) -> None:
        """Print how good it is on unseen writers."""

    def arrays(self) -> Arrays:
        """Return the head as it is saved."""


def scaled_fit(
    rows: Rows, labels: NDArray[np.bool_], strength: float, scaled: int, shares: NDArray[Any] | None
) -> Weights:
    """Fit yes or no; the scale of the first features becomes part of the weights."""
    scaler = StandardScaler().fit(rows[:, :scaled])
    level = rows.copy()
    level[:, :scaled] = scaler.transform(rows[:, :scaled])
    model = LogisticRegression(C=strength, max_iter=MOST_STEPS)
    model.fit(level, labels, sample_weight=shares)
    weights = model.coef_.copy()
    weights[:, :scaled] /= scaler.scale_
    return weights, model.intercept_ - weights[:, :scaled] @ scaler.mean_


def scored_chances(rows: Rows, weights: Weights) -> NDArray[Any]:
    """Return the chance of yes for each row."""
    return 1 / (1 + np.exp(-(rows @ weights[0].T + weights[1])[:, 0]))


def compared_lines(
    head: LinearHead, spoken: Sequence[tuple[str, str]], vectors: Rows
) -> list[ComparedStatement]:
    """Return texts with their speakers as statements, judged by the kind head."""
    sentences = [Sentence(text) for text, _ in spoken]
    speakers = [Speaker(speaker) for _, speaker in spoken]
    shares = head.probabilities(kind_rows(sentences, speakers, vectors))
    kinds = [tuple(StatementKind)[place] for place in shares[:, :-1].argmax(axis=1)]
    return [
        ComparedStatement(sentence.words, speaker, kind, 1 - float(share))
        for sentence, speaker, kind, share in zip(
            sentences, speakers, kinds, shares[:, -1], strict=True
        )
    ]


def rounded(weights: NDArray[Any]) -> NDArray[np.float16]:
    """Return weights in two bytes: the same on machines whose sums differ in the last digit."""
    return np.round(weights, 3).astype(np.float16)
