"""What is written down of errors, commands and retellings: whole, once, and with the first date."""

from datetime import timedelta

import pytest

from ai_smartness.memory import Memory
from ai_smartness.model.event import Message
from ai_smartness.model.statement import Speaker, Statement, StatementKind
from builders import NOON, a_memory

FAILED_BUILD = "$ npm run build\n[exit code 1]\nError: Cannot find module 'vite'"
ERROR = "error: Error: Cannot find module 'vite'"
CURE = "The fix was to run `npm ci` first."
DECISION = "We decided to use Redis for the carts."


@pytest.fixture
def memory() -> Memory:
    return a_memory(embedder=lambda: None)


def captured_statements(memory: Memory, *lines: tuple[str, str]) -> list[Statement]:
    """Capture lines with their speakers, one a minute, and return the statements, oldest first."""
    memory.capture(
        [
            Message(id=f"m{n}", session="s1", role=role, text=text, at=NOON + timedelta(minutes=n))
            for n, (role, text) in enumerate(lines)
        ]
    )
    return memory.statements()[::-1]


def test_a_cure_is_listed_with_the_error_that_it_cures(memory: Memory) -> None:
    (statement,) = captured_statements(
        memory, ("tool", FAILED_BUILD), ("assistant", "Let me look."), ("assistant", CURE)
    )

    assert statement.kind is StatementKind.ERROR_CURE
    assert statement.text == f"{CURE} (error: Error: Cannot find module 'vite')"


def test_cause_and_cure_in_two_sentences_are_one_statement(memory: Memory) -> None:
    (statement,) = captured_statements(
        memory, ("assistant", f"Root cause: the lock file was newer than node_modules. {CURE}")
    )

    assert statement.text == f"Root cause: the lock file was newer than node_modules. {CURE}"


def test_an_error_that_nobody_explained_is_no_statement(memory: Memory) -> None:
    worked = "$ npm run build\n[exit code 0]\nbuilt in 2s"

    statements = captured_statements(memory, ("tool", FAILED_BUILD), ("tool", worked))

    assert [one.kind for one in statements] == [StatementKind.COMMAND]


def test_an_error_of_long_ago_is_not_that_of_a_cure(memory: Memory) -> None:
    between = [("assistant", f"I read file number {n}.") for n in range(20)]

    statements = captured_statements(memory, ("tool", FAILED_BUILD), *between, ("user", CURE))

    assert [one.text for one in statements] == [CURE]


OTHER_CURE = "The fix was to set the region in the profile."


def test_an_error_that_was_cured_takes_no_later_cure_of_something_else(memory: Memory) -> None:
    lines = [("tool", FAILED_BUILD), ("assistant", CURE), ("user", "and the upload?")]

    statements = captured_statements(memory, *lines, ("assistant", OTHER_CURE))

    assert [one.text for one in statements] == [f"{CURE} ({ERROR})", OTHER_CURE]


def test_an_error_that_was_cured_before_is_known_as_cured_later(memory: Memory) -> None:
    captured_statements(memory, ("tool", FAILED_BUILD), ("assistant", CURE))
    at = NOON + timedelta(hours=1)
    memory.capture([Message(id="later", session="s1", role="assistant", text=OTHER_CURE, at=at)])

    assert [one.text for one in memory.statements()] == [OTHER_CURE, f"{CURE} ({ERROR})"]


def test_an_error_that_comes_back_is_cured_anew(memory: Memory) -> None:
    lines = [("tool", FAILED_BUILD), ("assistant", CURE), ("tool", FAILED_BUILD)]

    statements = captured_statements(memory, *lines, ("assistant", OTHER_CURE))

    assert [one.text for one in statements] == [f"{CURE} ({ERROR})", f"{OTHER_CURE} ({ERROR})"]


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "cd app && make test 2>&1 | tail -5",
        "DATABASE_URL=sqlite:// python manage.py migrate",
        "./scripts/deploy.sh staging",
        "npx playwright test",
    ],
)
def test_a_command_that_worked_is_known_once(memory: Memory, command: str) -> None:
    ran = ("tool", f"$ {command}\n[exit code 0]\nall fine")

    (statement,) = captured_statements(memory, ran, ran)

    assert statement.kind is StatementKind.COMMAND
    assert statement.speaker is Speaker.TOOL
    assert statement.text.removeprefix("$ ") in command


@pytest.mark.parametrize(
    "output",
    [
        "$ pytest -q\n[exit code 1]\n1 failed",
        "$ pytest -q | tail -3\n[exit code 0]\n1 failed, 22 passed in 4.81s",
        "$ grep -rn unit_price basket/\nbasket/models.py:31: unit_price",
        "$ git status\nnothing to commit",
        "$ ls -la",
        "$ npm ls react\nreact@18.2.0",
    ],
)
def test_a_command_that_failed_or_only_looks_is_no_statement(memory: Memory, output: str) -> None:
    assert captured_statements(memory, ("tool", output)) == []


@pytest.mark.parametrize(
    "retelling",
    [
        "As agreed, the carts use Redis.",
        "Yesterday it was settled that Redis is used for the carts instead of anything else.",
        "Redis is now used for the carts.",
    ],
)
def test_an_agent_that_retells_a_decision_makes_no_new_one(memory: Memory, retelling: str) -> None:
    (statement,) = captured_statements(memory, ("user", DECISION), ("assistant", retelling))

    assert (statement.text, statement.speaker) == (DECISION, Speaker.USER)


def test_an_agent_that_reports_something_else_makes_a_statement(memory: Memory) -> None:
    report = "The sessions are now stored in Postgres."

    statements = captured_statements(memory, ("user", DECISION), ("assistant", report))

    assert [one.text for one in statements] == [DECISION, report]
