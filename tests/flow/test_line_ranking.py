"""What may be quoted of a message has vectors of its own, by which the lines of an answer rank."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ai_smartness import Memory
from ai_smartness.adapters.embedders.model_catalogue import CATALOGUE, DEFAULT_MODEL
from ai_smartness.model.erasure import Selection
from ai_smartness.model.statement import StatementKind
from ai_smartness.ports import Embedder
from ai_smartness.search.line_ranking import LINE_FITTED, line_ranker
from ai_smartness.testing import HashEmbedder
from ai_smartness.text.stretches import (
    OUTPUT_WITH_VECTOR,
    SPOKEN_WITH_VECTOR,
    stretches_with_vector,
)
from builders import a_memory, said

PLAN = (
    "The parser reads the delivery notes line by line, and a broken line is logged and skipped. "
    "Deploys go out on Tuesdays only, because the warehouse counts its stock on Mondays. "
    "I left the old importer in place until the new one has run for a month."
)
RULE = "Never call the carrier's API from a test; use the recorded answers in fixtures/carrier."
CHATTER = (
    "The tests of the label printer pass again after the clean build on the second machine.",
    "I have read the module and the three call sites of the address check, all look the same.",
    "The queue was empty when I looked, so the retry loop has nothing to do at the moment.",
    "The migration took four seconds on the copy of the database that we made last week.",
)


def remembering(embedder: Embedder, *texts: str) -> Memory:
    memory = a_memory(embedder=lambda: embedder)
    roles = ("user", "assistant")
    memory.capture(
        replace(said(text, id_=f"m{n}", minute=n), role=roles[n % 2])
        for n, text in enumerate(texts)
    )
    memory.embed()
    return memory


def line_vectors(memory: Memory, space: str) -> dict[int, NDArray[np.float32]]:
    store = memory._store  # noqa: SLF001 - derived data has no verb of its own
    seqs = [event.seq for event in store.events.after_seq(memory.project, 0, 100)]
    return store.statements.line_vectors(space, seqs)


def test_every_line_that_may_be_quoted_has_a_vector(real_embedder: Embedder) -> None:
    with remembering(real_embedder, PLAN) as memory:
        (vectors,) = line_vectors(memory, real_embedder.space).values()

    lines = stretches_with_vector(PLAN, "user")
    (deploys,) = (n for n, line in enumerate(lines) if "Deploys" in line)
    nearest = int((vectors @ real_embedder.query("when may we deploy?")).argmax())
    assert len(vectors) == len(lines)
    assert nearest == deploys


def test_only_the_first_lines_of_a_long_message_have_vectors() -> None:
    text = "\n".join(f"- crate {n} of the shipping list goes to the harbour" for n in range(90))

    assert len(stretches_with_vector(text, "user")) == SPOKEN_WITH_VECTOR
    assert len(stretches_with_vector(text, "tool")) == OUTPUT_WITH_VECTOR


def test_forgotten_messages_leave_no_vectors_and_a_reindex_makes_the_others_anew(
    real_embedder: Embedder,
) -> None:
    with remembering(real_embedder, PLAN, RULE) as memory:
        before = line_vectors(memory, real_embedder.space)
        memory.forget(Selection(project=memory.project, messages=("m1",)))
        rest = line_vectors(memory, real_embedder.space)
        memory.reindex()
        anew = line_vectors(memory, real_embedder.space)

    assert len(before) == 2
    assert rest.keys() == anew.keys() == {min(before)}


def test_a_model_that_nothing_was_fitted_for_keeps_no_vectors_of_lines() -> None:
    with remembering(HashEmbedder(), PLAN) as memory:
        assert line_vectors(memory, HashEmbedder().space) == {}


def test_a_rule_comes_first_for_the_work_it_applies_to(real_embedder: Embedder) -> None:
    with remembering(real_embedder, *CHATTER[:2], RULE, *CHATTER[2:]) as memory:
        result = memory.recall("write a test for the address check against the carrier")

    assert "recorded answers" in result.lines[0].text


def test_without_a_fit_for_the_model_there_is_no_ranker() -> None:
    assert line_ranker("which port?", None) is None
    assert line_ranker("which port?", HashEmbedder()) is None


def test_the_data_file_is_made_for_the_default_model_and_the_kinds_of_statements() -> None:
    with np.load(LINE_FITTED / f"{DEFAULT_MODEL}.npz", allow_pickle=False) as arrays:
        assert str(arrays["space"]) == CATALOGUE[DEFAULT_MODEL].space
        assert len(arrays["wanted_weights"]) == len(arrays["usual"]) == len(StatementKind) + 1
