"""The chance that a line of the memory answers a question.

It is judged by a fitted head over explicit features: similarity alone prefers lines that repeat
the question. Whether a rule applies to a request is better left to similarity: a head for it
ranked no better on unseen writers (`scripts/fit` prints both).
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.model.statement import Speaker
from ai_smartness.statements.pair_features import (
    ComparedStatement,
    ComparedText,
)
from ai_smartness.statements.sentences import is_question

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["prompt_rows"]

NEAR_COSINES = (0.6, 0.7)  # where the cosine of a query and a fitting line begins and is certain
MOST_SHARED_WORDS = 3
LONG_PROMPT_WORDS = 12  # a longer prompt names its subject well enough
LEAST_SPREAD = 0.02  # of the cosines, so that a few equal lines do not divide by nothing


def prompt_rows(
    prompt: str, lines: Sequence[ComparedStatement], cosines: "NDArray[np.float32]"
) -> "NDArray[np.float32]":
    """Return the input of the head: a row of features for each line of a memory."""
    asked = ComparedText(prompt)
    spread = max(float(cosines.std()), LEAST_SPREAD)
    middle, best = float(np.median(cosines)), float(cosines.max())
    rows = [
        [
            *map(float, _features(asked, line, float(cosine))),
            (float(cosine) - middle) / spread,
            float(cosine) - best,
        ]
        for line, cosine in zip(lines, cosines, strict=True)
    ]
    return np.asarray(rows, np.float32)


def _features(
    asked: ComparedText, line: ComparedStatement, cosine: float
) -> Iterator[float | bool]:
    shared = asked.stems & line.stems
    yield cosine
    yield from (max(0.0, cosine - near) for near in NEAR_COSINES)
    yield len(shared) / max(1, len(asked.stems))
    yield len(shared) / max(1, len(line.stems))
    yield min(len(shared), MOST_SHARED_WORDS)
    yield not shared
    yield is_question(asked.text)
    yield is_question(asked.text) * cosine
    yield is_question(line.text)
    yield bool(line.names & asked.names)
    yield bool(line.numbers & asked.numbers)
    yield bool(line.numbers)
    yield line.speaker is Speaker.USER
    yield line.speaker is Speaker.TOOL
    yield min(len(asked.stems), LONG_PROMPT_WORDS) / LONG_PROMPT_WORDS
    yield line.is_change
    yield line.is_negative
    yield from line.kind_shares
