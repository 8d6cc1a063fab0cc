"""A thread that changed its subject without a word about it, judged with the real model."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ai_smartness.model.event import EventType
from ai_smartness.model.suggestion import SplitCandidate
from ai_smartness.ports import Embedder
from ai_smartness.suggest.split_candidates import ThreadMessages, split_candidate
from ai_smartness.threads.split_proposal import proposed_parts
from builders import a_thread, an_event

TABLE = Path(__file__).parents[1] / "tables" / "subject_changes.jsonl"
THREADS: list[dict[str, Any]] = [json.loads(line) for line in TABLE.read_text().splitlines()]
CHANGED = [row for row in THREADS if row["changes_at"]]
WHOLE = [row for row in THREADS if not row["changes_at"]]


def suggested(row: dict[str, Any], embedder: Embedder) -> SplitCandidate | None:
    """Return the split that is suggested for a thread in which two speak in turn."""
    kinds = (EventType.USER_MESSAGE, EventType.AGENT_MESSAGE)
    events = [
        replace(an_event(f"m{number}", a_thread(), text), type=kinds[number % 2])
        for number, text in enumerate(row["messages"])
    ]
    vectors = [rows[0] for rows in embedder.documents(row["messages"])]
    parts = proposed_parts(events, vectors, embedder.unrelated_cosine)
    messages = ThreadMessages(events, vectors)
    return split_candidate(a_thread(), messages, parts, embedder.unrelated_cosine)


def by_name(row: dict[str, Any]) -> str:
    return str(row["thread"])


@pytest.mark.parametrize("row", CHANGED, ids=by_name)
def test_a_change_of_subject_that_nobody_announces_is_suggested(
    row: dict[str, Any], real_embedder: Embedder
) -> None:
    candidate = suggested(row, real_embedder)

    assert candidate is not None
    assert len(candidate.messages) == 1


@pytest.mark.parametrize("row", WHOLE, ids=by_name)
def test_a_thread_of_one_subject_is_left_whole(
    row: dict[str, Any], real_embedder: Embedder
) -> None:
    assert suggested(row, real_embedder) is None
