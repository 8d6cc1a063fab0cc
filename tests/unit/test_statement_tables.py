"""How well statements are judged, on sentences and pairs of a writer who was never fitted on."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ai_smartness.model.bridge import Relation
from ai_smartness.model.statement import Speaker, Statement, StatementKind
from ai_smartness.statements.heads import NO_STATEMENT, kind_rows, load_heads
from ai_smartness.statements.in_force import StatementsInForce
from ai_smartness.statements.judge import SentenceJudge, SpokenSentence, sentence_vectors
from ai_smartness.statements.sentences import Sentence, sentence_after
from builders import NOON

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


def a_judged_statement(
    text: str, speaker: Speaker, seq: int, embedder: "Embedder | None"
) -> "tuple[Statement, NDArray[np.float32] | None]":
    """Return a sentence as a statement, judged by the kind head if there is a model."""
    kind, confidence, vector = StatementKind.DECISION, 1.0, None
    if embedder and (heads := load_heads(embedder.space)):
        vectors = sentence_vectors(embedder, [text])
        shares = heads.kind.probabilities(kind_rows([Sentence(text)], [speaker], vectors))[0]
        kind = tuple(StatementKind)[int(shares[:-1].argmax())]
        confidence, vector = 1 - float(shares[-1]), vectors[0]
    statement = Statement(
        id=f"s_{seq}",
        project="p",
        seq=seq,
        thread_id="t",
        session=f"s{seq}",  # people change their minds on another day
        speaker=speaker,
        at=NOON,
        kind=kind,
        text=text,
        confidence=confidence,
    )
    return statement, vector


def superseding_relation(item: Item, embedder: "Embedder | None") -> Relation | None:
    """Return how the later statement of a pair relates to the earlier one, if it supersedes it."""
    in_force = StatementsInForce(load_heads(embedder.space) if embedder else None, embedder)
    for seq, side in enumerate(("earlier", "later")):
        speaker = Speaker(item[f"{side}_speaker"])
        in_force.add(*a_judged_statement(item[side], speaker, seq, embedder))
    found = in_force.superseded_by("s_1")
    return found[0].relation if found else None


@pytest.mark.parametrize(
    ("with_model", "precision", "recall"), [(True, 0.72, 0.45), (False, 0.6, 0.1)]
)
def test_what_supersedes_is_told_from_what_adds_repeats_or_is_about_something_else(
    request: pytest.FixtureRequest, *, with_model: bool, precision: float, recall: float
) -> None:
    items = table("supersedes")
    embedder = request.getfixturevalue("real_embedder") if with_model else None

    claimed = [superseding_relation(item, embedder) is not None for item in items]

    measured = precision_and_recall([item["label"] == "supersedes" for item in items], claimed)
    print(f"supersedes: precision, recall {measured}")  # noqa: T201 - for -s
    assert measured[0] >= precision
    assert measured[1] >= recall
