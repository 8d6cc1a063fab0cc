"""Statements on the command line: listed by kind, and read one by one."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ai_smartness import Memory
from ai_smartness.model.statement import Statement
from command_line import ais, standing_in_a_project
from stating import POSTGRES, REDIS, RULE, TASK, state_things


@pytest.fixture
def stated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Statement]:
    project = standing_in_a_project(tmp_path, monkeypatch)
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        return state_things(memory)


def plain(*args: str) -> Any:  # noqa: ANN401 - any JSON
    ran = ais(*args, "--json")
    assert ran.exit_code == 0, ran.output
    return json.loads(ran.stdout)


def test_what_holds_is_listed_by_kind(stated: dict[str, Statement]) -> None:
    lines = ais("statements").stdout.splitlines()

    assert [line for line in lines if line and line[0] != " "] == [
        "Rules",
        "Decisions",
        "Open tasks",
    ]
    assert lines[1].split()[0] == stated[RULE].id
    assert lines[1].endswith(RULE)
    assert REDIS not in ais("statements").stdout


def test_all_of_them_say_until_when_they_held(stated: dict[str, Statement]) -> None:
    text = ais("statements", "--all", "--kind", "decision").stdout

    old = next(line for line in text.splitlines() if REDIS in line)
    assert old.split()[:4] == [stated[REDIS].id, "until", "2", "Mar"]
    assert old.endswith(f"{REDIS} (now {stated[POSTGRES].id})")


@pytest.mark.usefixtures("stated")
def test_a_query_and_a_limit_choose() -> None:
    assert [one["text"] for one in plain("statements", "--query", "invoice")] == [TASK]
    limited = ais("statements", "--limit", "1")

    assert TASK in limited.stdout
    assert "There are more; --limit 2 shows them." in limited.stderr


def test_data_has_every_field_and_says_whether_it_holds(stated: dict[str, Statement]) -> None:
    (rule,) = plain("statements", "list", "--kind", "rule")

    assert (rule["id"], rule["text"], rule["holds"]) == (stated[RULE].id, RULE, True)
    assert rule["at"] == "2026-03-02T12:02:00Z"
    assert (rule["speaker"], rule["review"]) == ("user", "proposed")


def test_a_project_without_statements_says_how_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing_in_a_project(tmp_path, monkeypatch)

    assert "There are no statements in the project" in ais("statements").stdout
    assert "No statement in force fits that." in ais("statements", "--kind", "rule").stdout
    assert plain("statements") == []


def test_one_statement_is_shown_with_what_it_superseded(stated: dict[str, Statement]) -> None:
    new = ais("statements", "show", stated[POSTGRES].id).stdout
    old = ais("statements", "show", stated[REDIS].id[2:]).stdout

    assert new.startswith(f"{POSTGRES}\n\n")
    assert f"superseded  {stated[REDIS].id}: {REDIS}" in new
    assert f"held until  2026-03-02 12:01 UTC; now {stated[POSTGRES].id}: {POSTGRES}" in old
    data = plain("statements", "show", stated[POSTGRES].id)
    assert [one["id"] for one in data["superseded"]] == [stated[REDIS].id]


@pytest.mark.usefixtures("stated")
def test_a_wrong_id_or_kind_is_answered_with_what_there_is() -> None:
    unknown = ais("statements", "show", "s_none")
    poem = ais("statements", "--kind", "poem")

    assert unknown.exit_code != 0
    assert "there is no statement s_none" in unknown.stderr
    assert "'error_cure'" in poem.stderr
