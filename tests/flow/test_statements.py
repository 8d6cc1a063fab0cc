"""Statements are listed and read through `Memory`, a path and a tool."""

import pytest

from ai_smartness.entrypoints.tools.call import call_tool
from ai_smartness.memory import Memory
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.statement import Statement, StatementKind
from builders import a_memory
from stating import POSTGRES, REDIS, RULE, TASK, state_things


def texts(statements: list[Statement]) -> list[str]:
    return [statement.text for statement in statements]


@pytest.fixture
def memory() -> Memory:
    memory = a_memory(embedder=lambda: None)
    state_things(memory)
    return memory


def test_what_holds_is_listed_newest_first(memory: Memory) -> None:
    assert texts(memory.statements()) == [TASK, RULE, POSTGRES]


def test_what_was_superseded_comes_behind_what_holds_if_it_is_wanted(memory: Memory) -> None:
    listed = memory.statements("decision", superseded=True)

    assert texts(listed) == [POSTGRES, REDIS]
    assert [statement.holds for statement in listed] == [True, False]


def test_a_query_chooses_by_words(memory: Memory) -> None:
    assert texts(memory.statements(query="invoice tests")) == [TASK]
    assert texts(memory.statements(query="kubernetes")) == []


def test_a_limit_keeps_the_first(memory: Memory) -> None:
    assert texts(memory.statements(limit=1)) == [TASK]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"kind": "poem"}, "'poem' is no kind of statement. Give one of decision, rule, prefer"),
        ({"query": 7}, "what statements are about must be text, not int"),
        ({"query": "x" * 1_001}, "what statements are about has 1,001 characters"),
        ({"limit": 0}, "the number of statements must be a whole number above 0, not 0"),
        ({"limit": True}, "not True"),
    ],
)
def test_bad_input_is_named_with_what_is_allowed(
    memory: Memory, arguments: dict[str, object], problem: str
) -> None:
    with pytest.raises(RefusedError, match=problem.replace(".", r"\.")):
        memory.statements(**arguments)  # type: ignore[arg-type]


def test_a_statement_is_read_by_its_id_the_start_of_it_or_in_brackets(memory: Memory) -> None:
    (rule,) = memory.statements(StatementKind.RULE)

    assert memory.statement(rule.id) == rule
    assert memory.statement(rule.id[:8]) == rule
    assert memory.statement(f"[{rule.id}]") == rule


def test_an_unknown_id_says_how_to_find_the_right_one(memory: Memory) -> None:
    with pytest.raises(NotFoundError, match=r"no statement s_none in .*`ais statements` lists"):
        memory.statement("s_none")


def test_a_statement_knows_what_it_superseded(memory: Memory) -> None:
    (decision,) = memory.statements("decision")

    assert texts(memory.superseded_statements(decision.id)) == [REDIS]


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (".ai/statements", [TASK, RULE, POSTGRES]),
        (".ai/statements/rule", [RULE]),
        (".ai/statements/session%20log%20lines", [RULE]),
        (".ai/statements/open_task/", [TASK]),
        (".ai/statements/kubernetes", []),
    ],
)
def test_an_agent_reads_them_at_a_path(memory: Memory, path: str, shown: list[str]) -> None:
    page = memory.read_virtual(path)

    assert {text for text in (TASK, RULE, POSTGRES, REDIS) if text in page} == set(shown)
    assert f"# Statements ({len(shown)})" in page
    assert 'Next: Read(".ai/statements/rule") lists one kind' in page


def test_an_agent_lists_them_with_a_tool_that_changes_nothing(memory: Memory) -> None:
    everything = call_tool(memory, "ai_statements", {}, reads=True).text
    rules = call_tool(memory, "ai_statements", {"kind": "rule"}).text
    about = call_tool(memory, "ai_statements", {"query": "invoice"}).text

    assert "## Rules\n- 2 Mar" in everything
    assert (RULE in rules, POSTGRES in rules) == (True, False)
    assert (TASK in about, RULE in about) == (True, False)
    with pytest.raises(RefusedError, match="must be one of decision, rule"):
        call_tool(memory, "ai_statements", {"kind": "poem"})
