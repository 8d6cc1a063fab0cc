"""How well statements are judged, on sentences and pairs of a writer who was never fitted on."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ai_smartness.model.statement import Speaker
from ai_smartness.statements.heads import NO_STATEMENT
from ai_smartness.statements.judge import SentenceJudge, SpokenSentence
from ai_smartness.statements.sentences import sentence_after

if TYPE_CHECKING:
    from ai_smartness.ports import Embedder

TABLES = Path(__file__).parents[1] / "tables"

Item = dict[str, str]


def table(name: str) -> list[Item]:
    lines = (TABLES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def precision_and_recall(right: list[bool], claimed: list[bool]) -> tuple[float, float]:
    hits = sum(one and other for one, other in zip(right, claimed, strict=True))
    return hits / max(1, sum(claimed)), hits / max(1, sum(right))


def judged_kinds(embedder: "Embedder | None") -> list[str]:
    spoken = [
        SpokenSentence(sentence_after(item["before"], item["text"]), Speaker(item["speaker"]))
        for item in table("statements")
    ]
    judged = SentenceJudge(embedder).statements_among(spoken)
    return [str(one.kind) if one else NO_STATEMENT for one in judged]


@pytest.mark.parametrize(
    ("with_model", "precision", "recall", "accuracy"),
    [(True, 0.9, 0.9, 0.65), (False, 0.75, 0.15, 0.3)],
)
def test_statements_are_told_from_other_sentences(
    request: pytest.FixtureRequest,
    *,
    with_model: bool,
    precision: float,
    recall: float,
    accuracy: float,
) -> None:
    labels = [item["kind"] for item in table("statements")]

    kinds = judged_kinds(request.getfixturevalue("real_embedder") if with_model else None)

    right, claimed = ([kind != NO_STATEMENT for kind in one] for one in (labels, kinds))
    measured = precision_and_recall(right, claimed)
    exact = float(np.mean([label == kind for label, kind in zip(labels, kinds, strict=True)]))
    print(f"statements: precision, recall {measured}, kind right {exact:.3f}")  # noqa: T201 - for -s
    assert measured[0] >= precision
    assert measured[1] >= recall
    assert exact >= accuracy
