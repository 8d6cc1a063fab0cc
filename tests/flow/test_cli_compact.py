"""Tidy everything at once on the command line, or see first what that would do."""

import json
import os
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ai_smartness import Memory, Message
from command_line import ais, standing_in_a_project
from terminal import terminal

STARTED = datetime.now(UTC) - timedelta(days=12)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


@pytest.fixture
def crowded(project: Path) -> Path:
    """Keep twenty threads: one of now, the others of twelve days ago."""
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        for number in range(20):
            day = datetime.now(UTC) if number == 19 else STARTED + timedelta(hours=number)
            words = f"subject{number} is done with tool{number} and nothing else{number}"
            memory.capture([Message(id=f"m{number}", session=f"s{number}", text=words, at=day)])
    return project


def plain(*args: str) -> Any:  # noqa: ANN401 - any JSON
    ran = ais(*args, "--json")
    assert ran.exit_code == 0, ran.output
    return json.loads(ran.stdout)


def statuses() -> dict[str, str]:
    return {each["id"]: each["status"] for each in plain("threads")}


@pytest.mark.usefixtures("crowded")
def test_a_dry_run_shows_the_plan_with_what_was_and_what_will_be() -> None:
    before = statuses()

    ran = ais("compact", "--strategy", "aggressive", "--dry-run")

    lines = ran.stdout.splitlines()
    assert ran.exit_code == 0
    assert lines[0] == "dry run: nothing was changed. It would say:"
    assert lines[1].startswith("Compaction complete. 20 → 1 active threads.")
    assert any(line.startswith("archive  thread_") and line.endswith("age") for line in lines)
    assert any(line.split()[:2] == ["active", "threads"] for line in lines)
    assert "Weights drop to 80%; pins keep theirs." in lines
    assert lines[-1] == "carry it out with: ais compact --strategy aggressive"
    assert statuses() == before


def test_a_dry_run_with_nothing_to_do_says_so(project: Path) -> None:
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        memory.capture([Message(id="m1", session="s1", text="we fixed the upload today")])

    ran = ais("compact", "--dry-run")

    assert ran.stdout.startswith("dry run: there is nothing to do. Nothing to merge or archive: 1")
    assert "complete" not in ran.stdout
    assert "carry it out" not in ran.stdout


@pytest.mark.usefixtures("crowded")
def test_the_command_of_a_dry_run_does_what_it_showed_and_can_be_undone() -> None:
    before = statuses()
    dry = plain("compact", "--strategy", "aggressive", "--dry-run")
    command = ais("compact", "--strategy", "aggressive", "--dry-run").stdout.splitlines()[-1]

    ran = ais(*shlex.split(command.partition(": ais ")[2]))

    said, undo = ran.stdout.splitlines()[-2:]
    was, will = dry["before"]["active_threads"], dry["after"]["active_threads"]
    assert said.startswith(f"Compaction complete. {was} → {will} active threads.")
    assert undo.startswith("change 1; undo with: ais undo 1")
    gone = {each["thread"] for each in dry["actions"] if each["action"] == "archive"}
    assert {id_ for id_, status in statuses().items() if status == "archived"} == gone
    ais("undo")
    assert statuses() == before


@pytest.mark.usefixtures("crowded")
def test_for_programs_it_is_the_report_of_the_document() -> None:
    told = plain("compact", "--dry-run")

    assert told["strategy"] == "normal"
    assert told["dry_run"] is True
    assert set(told["before"]) == set(told["after"]) == {"active_threads", "total_weight"}
    assert told["weight_decay"] == 0.9
    assert told["change"] is None


def test_where_there_is_nothing_to_do_that_is_said() -> None:
    ran = ais("compact", "--dry-run")

    assert ran.exit_code == 0
    assert "Nothing to compact" in ran.stdout
    assert "carry it out" not in ran.stdout


def test_a_strategy_that_is_none_is_refused() -> None:
    assert ais("compact", "--strategy", "brutal").exit_code == 2


@pytest.mark.usefixtures("crowded")
def test_a_plan_fits_a_terminal_of_80_columns_and_no_id_is_broken() -> None:
    ids = set(statuses())

    with terminal("compact", "--strategy", "aggressive", "--dry-run", columns=80) as screen:
        assert screen.end() == 0

    lines = screen.screen.partition("\n\n")[2].splitlines()
    assert max(map(len, lines)) <= 80
    shown = [word for line in lines for word in line.split() if word.startswith("thread_")]
    assert shown
    assert set(shown) <= ids


def light_threads(project: Path, count: int) -> None:
    """Keep threads of weeks ago that have faded almost to being suspended."""
    day = datetime.now(UTC) - timedelta(days=45)
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        for number in range(count):
            words = f"subject{number} is done with tool{number} and nothing else{number}"
            memory.capture([Message(id=f"m{number}", session=f"s{number}", text=words, at=day)])
            memory.focus(memory.message(f"m{number}").thread_id)


def test_a_dry_run_names_every_thread_that_goes(project: Path) -> None:
    light_threads(project, 12)

    ran = ais("compact", "--strategy", "aggressive", "--dry-run")

    assert "Compaction complete. 12 → 0 active threads." in ran.stdout
    suspended = [line for line in ran.stdout.splitlines() if line.startswith("suspend  thread_")]
    assert len(suspended) == 12
    assert suspended[0].endswith("too light")


def test_a_long_plan_names_the_first_dozens_and_counts_the_rest(crowded: Path) -> None:
    with Memory.open(project=crowded, home=os.environ["AIS_HOME"]) as memory:
        for number in range(20, 80):
            words = f"subject{number} is done with tool{number} and nothing else{number}"
            when = STARTED + timedelta(hours=number)
            memory.capture([Message(id=f"m{number}", session=f"s{number}", text=words, at=when)])

    ran = ais("compact", "--strategy", "aggressive", "--dry-run")
    actions = plain("compact", "--strategy", "aggressive", "--dry-run")["actions"]

    rows = [line for line in ran.stdout.splitlines() if line.startswith("archive  thread_")]
    assert len(actions) == 79
    assert len(rows) == 48
    assert "and 31 more; --json lists all." in ran.stdout
