"""See on the command line what could be done for the memory, and by which command."""

import json
import os
import shlex
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from ai_smartness import Memory, Message
from ai_smartness.statements.judge import SentenceJudge
from builders import a_statement
from command_line import ais, captured, standing_in_a_project
from embedding_server import embedding_server

SAME = "The JWT access tokens of the login expire after fifteen minutes and are rotated"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def twins(project: Path) -> tuple[str, str]:
    """Keep two threads that say the same; return their ids."""
    start = datetime.now(UTC) - timedelta(days=3)
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        for number in range(2):
            at = start + timedelta(days=number)
            said = Message(id=f"m{number}", session=f"s{number}", text=SAME, at=at)
            memory.capture([said])
        first = memory.message("m0").thread_id
        if memory.message("m1").thread_id == first:
            (child,) = [
                each.id
                for each in memory.split(first, [_part("Twin", "m1")]).threads
                if each.id != first
            ]
            memory.unlock(child)
            return first, child
        return first, memory.message("m1").thread_id


def _part(title: str, message: str) -> Any:  # noqa: ANN401 - a part
    from ai_smartness.model.split import SplitPart  # noqa: PLC0415 - used once

    return SplitPart(title, (message,))


def plain(*args: str) -> Any:  # noqa: ANN401 - any JSON
    ran = ais("suggestions", *args, "--json")
    assert ran.exit_code == 0, ran.output
    return json.loads(ran.stdout)


def test_a_new_memory_is_healthy_and_has_nothing_suggested() -> None:
    ran = ais("suggestions")

    assert ran.exit_code == 0
    assert ran.stdout.startswith("health\n  active threads    0 of ")
    assert "nothing was shown yet" in ran.stdout


def test_for_programs_it_is_what_the_tool_answers() -> None:
    told = plain()

    assert {"merge_candidates", "split_candidates", "recall_hints", "health"} <= set(told)
    assert {"active_threads", "context_pressure", "recommendation"} <= set(told["health"])


def test_threads_that_are_alike_are_suggested_with_the_command_that_merges_them(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with embedding_server() as server:
        monkeypatch.setenv("AIS_EMBEDDER_MODEL", server.url)
        ids = twins(project)
        told = plain()
        ran = ais("suggestions")
        (command,) = [line for line in ran.stdout.splitlines() if "ais threads merge" in line]
        merged = ais(*shlex.split(command)[1:])

    (candidate,) = told["merge_candidates"]
    assert {candidate["thread_a"], candidate["thread_b"]} == set(ids)
    assert candidate["command"].startswith("ai_merge('thread_")
    assert f", {candidate['similarity']:.2f} alike: " in ran.stdout
    assert merged.exit_code == 0


def test_what_was_said_of_the_context_before_is_hinted_at(project: Path) -> None:
    twins(project)

    ran = ais("suggestions", "working", "on", "JWT", "tokens")

    hints = plain("working on JWT tokens")["recall_hints"]
    assert ran.exit_code == 0
    assert ("\nrecall\n" in f"\n{ran.stdout}") == bool(hints)


RULE = "Never log the session id."


def contradict_a_rule(project: Path) -> tuple[str, str]:
    """State a rule, and let a thread of another session contradict it; return both ids."""
    captured(
        project,
        Message(id="rule", session="s0", text=RULE),
        Message(id="debug", session="s1", text="The session id is logged while we debug."),
    )
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        rule, debug = memory.message("rule"), memory.message("debug")
        statement = a_statement(rule)
        statements = memory._store.statements  # noqa: SLF001 - as if it had been found
        statements.clear(memory.project)
        judge = SentenceJudge(memory.embedder).name
        statements.save(memory.project, judge, [statement], debug.seq)
    reason = f'"The session id is logged while we debug." stands against "{RULE}"'
    ais("bridges", "add", debug.thread_id, "contradicts", rule.thread_id, "--reason", reason)
    return rule.thread_id, statement.short_id


def offered_commands(condition: str) -> list[str]:
    """Return the commands that are offered on a condition."""
    lines = ais("suggestions").stdout.partition(f"  {condition}:\n")[2].splitlines()
    return list(takewhile(lambda line: line.startswith("ais "), map(str.strip, lines)))


def test_what_may_no_longer_hold_is_mended_by_the_commands_that_are_offered(project: Path) -> None:
    thread, statement = contradict_a_rule(project)

    reject, archive = offered_commands("if it no longer holds")

    assert reject == f"ais statements reject {statement}"
    assert archive == f"ais threads archive {thread[-6:]}"
    assert ais(*shlex.split(reject)[1:]).exit_code == 0
    assert offered_commands("if it no longer holds") == [archive]
    assert ais(*shlex.split(archive)[1:]).exit_code == 0
    assert "may no longer hold" not in ais("suggestions").stdout


def test_what_holds_after_all_is_not_suggested_again(project: Path) -> None:
    contradict_a_rule(project)

    (remove,) = offered_commands("if both hold")

    assert ais(*shlex.split(remove)[1:]).exit_code == 0
    assert "may no longer hold" not in ais("suggestions").stdout


def test_much_recent_use_is_explained_and_alarms_nobody(project: Path) -> None:
    assert "recent use        0.00 of 1\n" in ais("suggestions").stdout
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        for number in range(12):
            memory.pin(f"The port of the service number {number} is {8000 + number}.")

    text = " ".join(ais("suggestions").stdout.split())

    assert "recent use 1.00 of 1 " in text
    assert "Recent use, also called context pressure, is the weight of all active threads" in text
    assert "and asks for nothing: unused threads lose weight by themselves." in text
    assert "high" not in text.partition("health")[2].partition("Recent use")[0]
    assert "`ais compact --dry-run` shows what a clean-up would change." in text
