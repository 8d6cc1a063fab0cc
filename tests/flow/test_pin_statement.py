"""A pin with a kind of statement is a confirmed statement at once."""

import pytest

from ai_smartness.entrypoints.tools.call import call_tool
from ai_smartness.memory import Memory
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.journal import Actor
from ai_smartness.model.statement import ReviewState, Speaker, Statement, StatementKind
from ai_smartness.model.thread import Kind, Status
from ai_smartness.testing import HashEmbedder
from ai_smartness.threads.pin_statement import THREAD_KINDS
from builders import a_memory

pytestmark = pytest.mark.every_engine

RULE = "Quarterly figures go to the board\non the first Monday"
"""Nothing in it looks like a rule to the memory itself."""

LINE = "Quarterly figures go to the board on the first Monday"


@pytest.fixture(params=[lambda: None, HashEmbedder], ids=["without a model", "with a model"])
def memory(request: pytest.FixtureRequest) -> Memory:
    return a_memory(embedder=request.param)


def stated(memory: Memory) -> list[Statement]:
    return [one for one in memory.statements() if one.review is not ReviewState.PROPOSED]


@pytest.mark.parametrize("kind", StatementKind)
def test_every_kind_of_statement_makes_one(memory: Memory, kind: StatementKind) -> None:
    outcome = memory.pin(RULE, kind=kind, session="s1")

    (statement,) = stated(memory)
    (thread,) = outcome.threads
    assert (statement.kind, statement.text) == (kind, LINE)
    assert (statement.review, statement.confidence) == (ReviewState.CONFIRMED, 1.0)
    assert (statement.thread_id, statement.session) == (thread.id, "s1")
    assert thread.kind is THREAD_KINDS[kind]
    assert outcome.said.endswith(f"; states the {kind} {statement.short_id}")


@pytest.mark.parametrize("kind", [None, Kind.FACT, "work", Kind.GOAL])
def test_a_kind_of_thread_makes_none(memory: Memory, kind: Kind | None) -> None:
    memory.pin(RULE, kind=kind)

    assert stated(memory) == []


def test_an_unknown_kind_is_answered_with_all_there_are(memory: Memory) -> None:
    with pytest.raises(RefusedError, match=r"'poem' is no kind of pin\. Give one of work, .*rule"):
        memory.pin(RULE, kind="poem")


def test_an_agent_states_with_the_tool(memory: Memory) -> None:
    agent = memory.used_by(Actor("agent", "mcp"))

    said = call_tool(agent, "ai_pin", {"content": RULE, "kind": "rule"}, "s9").text

    (statement,) = stated(memory)
    assert statement.speaker is Speaker.ASSISTANT
    assert statement.short_id in said


def test_pinning_it_twice_states_it_once_and_another_kind_replaces_the_first(
    memory: Memory,
) -> None:
    memory.pin(RULE, kind="rule")
    again = memory.pin(RULE, kind="rule")
    changed = memory.pin(RULE, kind="decision")

    assert again.number is None
    assert changed.number == 2
    assert [one.kind for one in stated(memory)] == [StatementKind.DECISION]
    memory.undo()
    assert [one.kind for one in stated(memory)] == [StatementKind.RULE]


def test_undoing_the_pin_takes_the_statement_back(memory: Memory) -> None:
    outcome = memory.pin(RULE, kind="rule")
    (statement,) = stated(memory)

    undone = memory.undo()

    assert LINE not in [one.text for one in memory.statements(superseded=True, rejected=True)]
    assert memory.thread(outcome.threads[0].id).status is Status.ARCHIVED
    memory.undo(undone.number)
    assert stated(memory) == [statement]


def test_it_is_there_again_after_a_reindex(memory: Memory) -> None:
    memory.pin(RULE, kind="rule")
    before = stated(memory)

    memory.reindex()

    assert stated(memory) == before


def test_it_can_be_corrected_and_rejected_like_any_other(memory: Memory) -> None:
    memory.pin(RULE, kind="rule")
    (statement,) = stated(memory)

    memory.correct_statement(statement.id, "Figures go to the board on Mondays.")
    memory.pin(RULE, kind="decision")

    (corrected,) = stated(memory)
    assert (corrected.text, corrected.kind) == ("Figures go to the board on Mondays.", "decision")
    memory.reject_statement(statement.id)
    assert stated(memory) == []
    assert [one.id for one in memory.statements(rejected=True)] == [statement.id]


def test_a_long_pin_is_cut_where_it_is_listed_and_stays_whole_itself(memory: Memory) -> None:
    text = "word " * 1_000

    outcome = memory.pin(text, kind="environment")

    (statement,) = stated(memory)
    assert len(statement.text) == 1_000
    assert memory.events(outcome.threads[0].id)[0].text == text
