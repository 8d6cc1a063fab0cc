"""Statements are listed, read and reviewed through `Memory`, a path and a tool."""

import pytest

from ai_smartness.entrypoints.tools.call import call_tool
from ai_smartness.memory import Memory
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.statement import Statement, StatementKind
from builders import a_memory
from made_secrets import made
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


def test_a_mistyped_id_is_answered_with_the_nearest(memory: Memory) -> None:
    (rule,) = memory.statements("rule")
    typo = rule.id[:-1] + ("0" if rule.id[-1] != "0" else "1")

    with pytest.raises(NotFoundError, match=f"no statement {typo} in .* The nearest is {rule.id}"):
        memory.statement(typo)


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


def test_a_review_is_a_change_that_can_be_undone(memory: Memory) -> None:
    (rule,) = memory.statements("rule")

    confirmed = memory.confirm_statement(rule.id[:6])
    corrected = memory.correct_statement(rule.id, "Never log any id.")
    rejected = memory.reject_statement(rule.id, reason="outdated")

    assert [one.verb for one in (confirmed, corrected, rejected)] == [
        "confirm_statement",
        "correct_statement",
        "reject_statement",
    ]
    assert memory.statements("rule") == []
    assert [one.text for one in memory.statements("rule", rejected=True)] == [RULE]
    for _ in range(3):
        memory.undo()
    assert memory.statements("rule") == [rule]


def test_a_secret_in_a_correction_or_a_reason_is_redacted(memory: Memory) -> None:
    (rule,) = memory.statements("rule")
    secret = made("github", 1)

    memory.correct_statement(rule.id, f"The key is {secret}.")
    memory.reject_statement(rule.id, reason=f"it has {secret}")

    assert secret not in repr(memory.log())


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "cannot correct a statement with nothing"),
        ({"text": " "}, "a statement cannot be empty"),
        ({"text": "x" * 1_001}, "has 1,001 characters. Give one of at most 1000"),
        ({"kind": "poem"}, "'poem' is no kind of statement"),
    ],
)
def test_a_bad_correction_is_named(memory: Memory, arguments: dict[str, str], problem: str) -> None:
    (rule,) = memory.statements("rule")

    with pytest.raises(RefusedError, match=problem):
        memory.correct_statement(rule.id, **arguments)  # type: ignore[arg-type]


def test_what_holds_is_read_page_by_page_with_what_each_statement_replaced(memory: Memory) -> None:
    stated = state_things(memory)
    (kind,) = {stated[REDIS].kind}

    (first,) = memory.held_statements(kind, limit=1)
    pages = [first]
    while page := memory.held_statements(
        kind, limit=1, after=pages[-1].statements[-1].statement.id
    ):
        pages += page

    held = [held for page in pages for held in page.statements]
    assert texts([one.statement for one in held]) == texts(memory.statements(kind))
    assert {page.total for page in pages} == {len(held)}
    assert {one.statement.text: texts(list(one.replaced)) for one in held}[POSTGRES] == [REDIS]


def test_what_holds_is_searched_by_words(memory: Memory) -> None:
    state_things(memory)

    groups = memory.held_statements(query="invoice tests")

    assert [held.statement.text for group in groups for held in group.statements] == [TASK]
    assert memory.held_statements(query="kubernetes") == []


def test_rejected_statements_are_listed(memory: Memory) -> None:
    rejected = state_things(memory)[RULE]
    memory.reject_statement(rejected.id)

    assert texts(memory.rejected_statements()) == [RULE]
    assert RULE not in [
        held.statement.text for group in memory.held_statements() for held in group.statements
    ]
