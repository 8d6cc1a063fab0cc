"""Statements are found among captured messages, by the real model and without one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_smartness.memory.base import ignore_progress
from ai_smartness.model.errors import StoreError
from ai_smartness.model.event import Message
from ai_smartness.model.statement import Speaker, Statement, StatementKind
from ai_smartness.ports import Embedder, ThreadStore
from ai_smartness.statements.find import find_statements
from ai_smartness.testing import HashEmbedder
from ai_smartness.text.markers import marked_text
from builders import NOON, a_memory, said, stored
from engines import open_store

pytestmark = pytest.mark.every_engine

LINES = (
    "From now on every endpoint needs a rate limit.",
    "We decided to use Postgres for the sessions.",
    "never log the session id",
    "can you look at the build?",
    "ok",
    "I prefer short commit messages. Always run the linter before you push.",
)


def found(store: ThreadStore, project: str = "demo") -> list[Statement]:
    return sorted(store.statements.all(project), key=lambda one: (one.seq, one.text))


@given(st.lists(st.sampled_from(LINES), max_size=8), st.data())
@settings(max_examples=30)
def test_finding_in_steps_finds_what_one_run_finds(lines: list[str], data: st.DataObject) -> None:
    whole, stepwise = open_store(), open_store()
    stored(whole, *lines)
    cut = data.draw(st.integers(0, len(lines)))

    find_statements(whole, None, "demo", ignore_progress)
    stored(stepwise, *lines[:cut])
    find_statements(stepwise, None, "demo", ignore_progress)
    stored(stepwise, *lines[cut:])
    find_statements(stepwise, None, "demo", ignore_progress)

    assert found(stepwise) == found(whole)
    assert find_statements(whole, None, "demo", ignore_progress) == 0
    texts = [statement.text for statement in found(whole)]
    assert len(texts) == len(set(texts))


def test_without_a_model_plain_rules_judge_as_soon_as_threads_are_described() -> None:
    with a_memory(embedder=lambda: None) as memory:
        memory.capture(said("never log the session id. Can you look at the build?", id_="m1"))

        (statement,) = memory._store.statements.all("demo")  # noqa: SLF001 - not a verb yet

    assert (statement.text, statement.kind) == ("never log the session id.", StatementKind.RULE)
    assert (statement.speaker, statement.session) == (Speaker.USER, "s1")


def test_a_reindex_finds_the_same_statements_again() -> None:
    with a_memory() as memory:
        memory.capture([said(line, id_=f"m{n}", minute=n) for n, line in enumerate(LINES)])
        memory.embed()
        store = memory._store  # noqa: SLF001 - not a verb yet
        before = store.statements.all("demo")

        memory.reindex()

        assert before
        assert store.statements.all("demo") == before


def test_nothing_is_found_inside_the_text_that_the_memory_itself_added() -> None:
    with a_memory(embedder=lambda: None) as memory:
        memory.capture(said(f"{marked_text('never log the session id')}\nhello there", id_="m1"))

        assert memory._store.statements.all("demo") == []  # noqa: SLF001 - not a verb yet


def test_a_model_that_fails_is_named_in_the_error_and_the_next_run_goes_on() -> None:
    class Broken(HashEmbedder):
        def documents(self, texts: object) -> list[np.ndarray]:
            msg = f"out of memory, {type(texts)}"
            raise RuntimeError(msg)

    store = open_store()
    stored(store, *LINES)

    with pytest.raises(StoreError, match="did not embed: RuntimeError: out of memory"):
        find_statements(store, Broken(), "demo", ignore_progress)

    assert find_statements(store, HashEmbedder(), "demo", ignore_progress) > 0


def test_the_real_model_tells_statements_from_talk(real_embedder: Embedder) -> None:
    lines = [
        said("Deploys go out from the release branch, never from main.", id_="m1"),
        Message(id="m2", session="s1", role="assistant", text="Let me look at it.", at=NOON),
        Message(id="m3", session="s1", role="assistant", text="Float or fixed point?", at=NOON),
        said("Q16.16. soft-float lib costs 6 KB", id_="m4", minute=1),
        said("thanks!", id_="m5", minute=2),
    ]

    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(lines)
        memory.embed()
        store = memory._store  # noqa: SLF001 - not a verb yet
        statements = store.statements.all("demo")
        ids, vectors = store.statements.vectors("demo", real_embedder.space)

    assert [statement.text for statement in reversed(statements)] == [
        "Deploys go out from the release branch, never from main.",
        "Q16.16. soft-float lib costs 6 KB (asked: Float or fixed point?)",
    ]
    assert sorted(ids) == sorted(statement.id for statement in statements)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=0.01)


def test_an_error_that_somebody_reports_is_no_rule(real_embedder: Embedder) -> None:
    error = "sqlite3.ProgrammingError: SQLite objects can only be used in the same thread"
    lines = [
        said(f"the tests fail with '{error}'", id_="m1"),
        said("Objects of SQLite must only be used in the thread that made them.", id_="m2"),
    ]

    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(lines)
        memory.embed()
        texts = [statement.text for statement in memory.statements()]

    assert texts == ["Objects of SQLite must only be used in the thread that made them."]


@pytest.mark.parametrize(
    "question",
    [
        "what's the typescript difference between type and interface",
        "how does traffic get between namespaces since istio got ripped out",
        "which detector distance is the default after the move of the beamline",
        "how many bottles is the minimum order for trade customers",
        "In which order do the nightly jobs run, and which of them can be skipped?",
    ],
)
def test_a_question_is_no_statement_with_or_without_its_mark(
    real_embedder: Embedder, question: str
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said(question, id_="m1"))
        memory.embed()

        assert memory.statements() == []


@pytest.mark.parametrize(
    "told",
    [
        "What is missing is a retry for the upload.",
        "what we print on receipts must never have the card number",
        "Where a fee is rounded, always round half up.",
    ],
)
def test_what_only_begins_like_a_question_is_a_statement(
    real_embedder: Embedder, told: str
) -> None:
    with a_memory(embedder=lambda: real_embedder) as memory:
        memory.capture(said(told, id_="m1"))
        memory.embed()

        assert [one.text for one in memory.statements()] == [told]
