"""`ais why` and what `ais status` says of what was shown."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from ai_smartness import Memory, Message
from ai_smartness.model.statement import StatementKind
from ai_smartness.statements.judge import SentenceJudge
from ai_smartness.views.ledger import MOST_SKIPPED
from builders import a_statement
from command_line import ais, captured, standing_in_a_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = standing_in_a_project(tmp_path, monkeypatch)
    captured(
        root,
        Message(
            id="keys",
            session="old",
            text="the JWT signing keys live in vault, see config/jwt_keys.yaml",
        ),
        Message(id="logo", session="other", text="the login page needs a bigger logo"),
    )
    return root


def a_turn(project: Path, answer: str = "") -> str:
    """Let a session ask, and perhaps answer."""
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        memory.inject("where do the JWT signing keys live?", session="earlier")
        memory.inject("where do the JWT signing keys live?", session="new")
        if answer:
            memory.capture(Message(role="assistant", session="new", text=answer))
        return memory.message("keys").thread_id


def test_why_says_what_was_shown_what_was_not_and_how_long_it_took(project: Path) -> None:
    thread = a_turn(project, "config/jwt_keys.yaml has them")

    ran = ais("why", "new")

    assert ran.exit_code == 0
    head, when, prompt, shown, line, numbers, *_ = ran.stdout.splitlines()
    assert head == "turn 1 of session new"
    assert " UTC, took " in when
    assert prompt == "  prompt: where do the JWT signing keys live?"
    assert shown.startswith("  shown: JWT signing keys")
    assert f" [{thread[-6:]}]" in shown
    assert shown.endswith(" tokens, used; recent")
    assert line.endswith(" user: the JWT signing keys live in vault, see config/jwt_keys.yaml")
    assert numbers.startswith("      relevance 0.")
    assert "no. 1 by keyword (" in numbers


def test_why_says_what_was_left_out_with_its_best_line(project: Path) -> None:
    thread = a_turn(project)
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        memory.inject("where do the JWT signing keys live?", session="new")

    lines = ais("why", "new", "--limit", "1").stdout.splitlines()

    assert "  nothing was shown" in lines
    place = next(number for number, line in enumerate(lines) if line.startswith("  left out: "))
    assert f" [{thread[-6:]}]: in sight: shown in turn 1, and not changed since" in lines[place]
    assert lines[place + 1] == "    the JWT signing keys live in vault, see config/jwt_keys.yaml"


def test_why_lists_only_the_first_of_what_was_left_out(project: Path) -> None:
    captured(
        project,
        *(
            Message(id=f"k{n}", session=f"k{n}", text=f"the JWT signing keys of {town} are paper")
            for n, town in enumerate(("Rome", "Oslo", "Bonn", "Lyon", "Graz", "Cork", "Bari"))
        ),
    )
    for _ in range(2):
        a_turn(project)

    ran = ais("why", "new", "--limit", "1").stdout
    whole = ais("why", "new", "--limit", "1", "--all").stdout
    (page,) = json.loads(ais("why", "new", "--limit", "1", "--json").stdout)

    skipped = len(page["skipped"])
    assert skipped > MOST_SKIPPED
    assert ran.count("  left out: ") == MOST_SKIPPED
    assert f"  and {skipped - MOST_SKIPPED} more left out; `--all` shows them\n" in ran
    assert whole.count("  left out: ") == skipped


def test_why_names_the_brief_of_a_session(project: Path) -> None:
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        memory.pin("never log the signing keys")
        memory.greeting("new")

    assert "  the brief at the start of the session\n" in ais("why", "new").stdout


def test_why_of_all_sessions_shows_the_latest_first(project: Path) -> None:
    a_turn(project)

    ran = ais("why")
    one = ais("why", "--limit", "1")

    assert [line for line in ran.stdout.splitlines() if line.startswith("turn")] == [
        "turn 1 of session new",
        "turn 1 of session earlier",
    ]
    assert one.stdout.count("turn ") == 1


def test_why_for_programs(project: Path) -> None:
    thread = a_turn(project)

    (page,) = json.loads(ais("why", "new", "--json").stdout)

    assert (page["session"], page["turn"], page["shown"][0]["thread_id"]) == ("new", 1, thread)
    assert page["skipped"] == []
    assert page["at"].endswith("Z")


def test_why_says_that_nothing_was_asked_yet(project: Path) -> None:
    assert (
        ais("why").stdout
        == f"No prompt has been answered in any session of the project {project} yet.\n"
    )
    assert "in session nobody of" in ais("why", "nobody").stdout
    assert json.loads(ais("why", "--json").stdout) == []


def test_status_shows_how_much_was_injected_and_how_much_was_used(project: Path) -> None:
    assert "0 threads before prompts, 0 used" in ais("status").stdout
    a_turn(project, "config/jwt_keys.yaml has them")

    ran, plain = ais("status"), json.loads(ais("status", "--json").stdout)

    assert "2 threads before prompts, 1 used" in ran.stdout
    assert (plain["injected"], plain["used"]) == (2, 1)


@pytest.mark.parametrize(
    ("kind", "phrase"),
    [
        (StatementKind.RULE, "a rule"),
        (StatementKind.ENVIRONMENT, "a fact about the environment"),
        (StatementKind.ERROR_CURE, "an error and its cure"),
        (StatementKind.OPEN_TASK, "an open task"),
    ],
)
def test_a_statement_in_the_brief_is_named_by_its_kind_in_plain_words(
    project: Path, kind: StatementKind, phrase: str
) -> None:
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        statement = replace(a_statement(memory.message("keys")), kind=kind, confidence=0.9)
        statements = memory._store.statements  # noqa: SLF001 - as if it had been found
        statements.clear(memory.project)
        judge = SentenceJudge(memory.embedder).name
        statements.save(memory.project, judge, [statement], memory.message("logo").seq)
        memory.greeting("new")

    assert f"      {phrase} that stands in the brief\n" in ais("why", "new").stdout
