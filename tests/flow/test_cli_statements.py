"""Statements on the command line: listed by kind, read one by one, and reviewed."""

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
    assert lines[1].split()[0] == stated[RULE].short_id
    assert lines[1].endswith(RULE)
    assert REDIS not in ais("statements").stdout


def test_all_of_them_say_until_when_they_held(stated: dict[str, Statement]) -> None:
    text = ais("statements", "--all", "--kind", "decision").stdout

    old = next(line for line in text.splitlines() if REDIS in line)
    assert old.split()[:4] == [stated[REDIS].short_id, "until", "2", "Mar"]
    assert old.endswith(f"{REDIS} (now {stated[POSTGRES].short_id})")


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


def reviews() -> dict[str, str]:
    return {one["text"]: one["review"] for one in plain("statements", "--all")}


def test_several_statements_are_confirmed_each_as_a_change_of_its_own(
    stated: dict[str, Statement],
) -> None:
    ran = ais("statements", "confirm", stated[RULE].id, stated[TASK].id, stated[RULE].id)

    assert ran.stdout.splitlines() == [
        f"Confirmed {stated[RULE].short_id}: “{RULE}”.",
        "change 1; undo with: ais undo 1",
        f"Confirmed {stated[TASK].short_id}: “{TASK}”.",
        "change 2; undo with: ais undo 2",
    ]
    assert reviews()[RULE] == reviews()[TASK] == "confirmed"


def test_a_rejected_statement_is_gone_until_the_rejection_is_undone(
    stated: dict[str, Statement],
) -> None:
    ais("statements", "reject", stated[RULE].id, "--why", "it was a joke")

    assert RULE not in ais("statements").stdout
    assert f"{RULE} (rejected)" in ais("statements", "--all").stdout
    (entry,) = plain("log")
    assert entry["arguments"] == {"statement": stated[RULE].id, "reason": "it was a joke"}
    ais("undo")
    assert RULE in ais("statements").stdout


def test_what_held_before_holds_again_if_its_successor_is_rejected(
    stated: dict[str, Statement],
) -> None:
    ais("statements", "reject", stated[POSTGRES].id)

    assert REDIS in ais("statements").stdout


def test_text_and_kind_are_corrected(stated: dict[str, Statement]) -> None:
    id_ = stated[TASK].id
    ran = ais("statements", "correct", id_, "--text", "The export  needs a test.", "--kind", "rule")

    assert ran.stdout.startswith(
        f"Corrected {id_[:10]}: “{TASK}” is “The export needs a test.” now."
    )
    shown = plain("statements", "show", id_)
    assert (shown["text"], shown["kind"], shown["review"], shown["confidence"]) == (
        "The export needs a test.",
        "rule",
        "corrected",
        1.0,
    )


@pytest.mark.parametrize("verb", [["confirm"], ["reject"], ["correct", "--kind", "rule"]])
def test_a_dry_run_changes_nothing(stated: dict[str, Statement], verb: list[str]) -> None:
    name, *options = verb
    ran = ais("statements", name, stated[TASK].id, *options, "--dry-run")

    assert ran.stdout.startswith("dry run: nothing was changed. It would say:\n")
    assert reviews()[TASK] == "proposed"
    assert plain("log") == []


def test_if_one_of_several_is_refused_none_is_reviewed(stated: dict[str, Statement]) -> None:
    unknown = ais("statements", "confirm", stated[RULE].id, "s_none")
    ais("statements", "confirm", stated[TASK].id)
    twice = ais("statements", "confirm", stated[RULE].id, stated[TASK].id)

    assert "there is no statement s_none" in unknown.stderr
    assert f"cannot confirm {stated[TASK].short_id}: it is confirmed already" in twice.stderr
    assert reviews()[RULE] == "proposed"


def test_an_outcome_as_data_has_the_review_before_and_after(stated: dict[str, Statement]) -> None:
    (outcome,) = plain("statements", "confirm", stated[RULE].id)

    (edit,) = outcome["reviews"]
    assert (edit["before"], edit["after"]["state"]) == (None, "confirmed")
    assert outcome["change"] == 1


def test_a_correction_needs_something_to_correct(stated: dict[str, Statement]) -> None:
    nothing = ais("statements", "correct", stated[RULE].id)
    same = ais("statements", "correct", stated[RULE].id, "--text", RULE)

    assert "Say what to correct: --text, --kind or both." in nothing.stderr
    assert f"it is a rule and reads “{RULE}” already" in same.stderr


@pytest.mark.parametrize("group", ["statements", "threads", "bridges", "model", "config"])
def test_the_help_of_a_group_names_the_options_that_it_takes_without_a_subcommand(
    group: str,
) -> None:
    text = ais(group, "--help").stdout
    options = [
        line.split()[0]
        for line in ais(group, "list", "--help").stdout.splitlines()
        if line.startswith("  --")
    ]

    assert "Options without a subcommand:" in text
    assert options
    assert [option for option in options if f"\n  {option}" not in text] == []
