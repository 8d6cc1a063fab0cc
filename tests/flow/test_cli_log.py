"""What was changed is listed like a history, and taken back."""

from pathlib import Path

import pytest

from ai_smartness import Memory
from builders import said
from command_line import ais, captured, standing_in_a_project
from terminal import terminal
from tidy_threads import everything, plain, two_threads


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def test_the_log_reads_like_gits(project: Path) -> None:
    invoice, _ = two_threads(project)
    ais("threads", "rename", invoice, "Invoices")
    ais("threads", "archive", invoice)

    latest, first = ais("log").stdout.split("\n\nchange ")

    assert latest.startswith("change 2\nWho:   user (ais)\nDate:  ")
    assert latest.endswith(f", just now\n\n    Archived “Invoices” [{invoice[-6:]}].")
    assert first.startswith("1\nWho:")


def test_what_was_undone_says_by_which_change(project: Path) -> None:
    invoice, _ = two_threads(project)
    ais("threads", "archive", invoice)
    ais("undo")

    told = ais("log").stdout
    lines = ais("log", "--oneline").stdout.splitlines()

    assert "change 2 (undoes 1)\n" in told
    assert "change 1 (undone by 2)\n" in told
    assert lines[0].startswith("2 (undoes 1) Undid change 1: Archived “")
    assert lines[1].startswith("1 (undone by 2) Archived “")


def test_the_log_of_one_thread_has_what_was_done_to_it(project: Path) -> None:
    invoice, login = two_threads(project)
    ais("threads", "archive", invoice)
    ais("threads", "archive", login)

    assert [each["change"] for each in plain("log", login[:-2])] == [2]


def test_the_log_for_programs_has_who_did_what_with_what(project: Path) -> None:
    invoice, login = two_threads(project)
    ais("threads", "merge", login, invoice)

    (told,) = plain("log")

    assert told["who"] == {"kind": "user", "client": "ais"}
    assert (told["verb"], told["arguments"]["survivor"]) == ("merge", login)
    assert set(told["threads"]) == {login, invoice}
    assert told["moved"] == [{"from": invoice, "to": login, "messages": 4}]


@pytest.mark.parametrize("option", ["-n", "--limit"])
def test_a_long_log_is_cut_and_says_so(project: Path, option: str) -> None:
    invoice, _ = two_threads(project)
    for title in ("One", "Two", "Three"):
        ais("threads", "rename", invoice, title)

    ran = ais("log", "--oneline", option, "2")

    assert [line[:2] for line in ran.stdout.splitlines()] == ["3 ", "2 "]
    assert "--limit 4 shows more" in ran.stderr


def test_what_an_agent_recalls_is_in_the_log_only_with_all(project: Path) -> None:
    invoice, _ = two_threads(project)
    ais("threads", "suspend", invoice)
    with Memory.open(project=str(project)) as memory:
        question = memory.events(invoice)[0].text
        assert memory.recall(question).threads[0].reactivated

    shown, everything_shown = plain("log"), plain("log", "--all")

    assert [entry["verb"] for entry in shown] == ["suspend"]
    assert [entry["verb"] for entry in everything_shown] == ["recall", "suspend"]


def test_a_project_where_nothing_was_changed_says_so(project: Path) -> None:
    plain_text = ais("log")

    assert plain_text.stdout == f"Nothing was changed in the project {project} yet.\n"
    assert plain("log") == []


def test_a_terminal_gets_the_numbers_in_colour(project: Path) -> None:
    invoice, _ = two_threads(project)
    ais("threads", "archive", invoice)

    with terminal("log") as coloured, terminal("log", NO_COLOR="1") as bare:
        ended = (coloured.end(), bare.end())

    assert ended == (0, 0)
    assert b"\x1b[33mchange 1\x1b[0m" in coloured.raw
    assert b"\x1b[33m" not in bare.raw


def test_an_undo_can_be_undone(project: Path) -> None:
    invoice, login = two_threads(project)
    ais("threads", "merge", login, invoice)
    merged = everything()

    undone = ais("undo", "1")
    back = ais("undo", "2")

    assert undone.stdout.endswith("change 2; undo with: ais undo 2\n")
    assert back.stdout.startswith("Brought back change 1: Merged ")
    assert everything()["threads"] == merged["threads"]


def test_without_a_number_the_latest_change_in_force_is_undone(project: Path) -> None:
    invoice, login = two_threads(project)
    ais("threads", "archive", invoice)
    ais("threads", "archive", login)

    first, second, none_left = ais("undo"), ais("undo"), ais("undo")

    assert first.stdout.startswith("Undid change 2: ")
    assert second.stdout.startswith("Undid change 1: ")
    assert none_left.exit_code == 3
    assert "nothing to undo" in none_left.stderr


def test_a_dry_run_of_an_undo_changes_nothing(project: Path) -> None:
    invoice, _ = two_threads(project)
    ais("threads", "archive", invoice)
    before = everything()

    tried = ais("undo", "--dry-run")

    assert tried.stdout.startswith("dry run: nothing was changed.")
    assert f"Undid change 1: Archived {invoice}" in tried.stdout
    assert f"[{invoice}]: active, weight " in tried.stdout
    assert everything() == before


def test_what_stands_in_the_way_of_an_undo_is_named(project: Path) -> None:
    invoice, _ = two_threads(project)
    ais("threads", "rename", invoice, "One")
    ais("threads", "rename", invoice, "Two")
    before = everything()

    blocked, twice = ais("undo", "1"), [ais("undo", "2"), ais("undo", "2")][1]

    assert (blocked.exit_code, twice.exit_code) == (1, 1)
    assert "`ais undo 2`" in blocked.stderr
    assert "`ais undo 3`" in twice.stderr
    assert len(everything()["log"]) == len(before["log"]) + 1


@pytest.mark.parametrize(("number", "code"), [("99", 3), ("0", 2), ("x", 2), ("-1", 2)])
def test_a_number_that_no_change_has_is_an_error(project: Path, number: str, code: int) -> None:
    two_threads(project)

    ran = ais("undo", number)

    assert ran.exit_code == code
    assert ran.stderr


def test_a_change_of_another_project_is_not_undone_from_here(project: Path) -> None:
    two_threads(project)
    captured("/elsewhere", said("another project", id_="e1"))
    (elsewhere,) = (each["id"] for each in plain("--project", "elsewhere", "threads"))
    ais("--project", "elsewhere", "threads", "archive", elsewhere)

    ran = ais("undo", "1")

    assert ran.exit_code == 3
    assert "there is no change 1 in this project" in ran.stderr
    assert ais("--project", "elsewhere", "undo", "1").exit_code == 0


@pytest.mark.parametrize("command", ["log", "undo"])
def test_both_have_help_with_an_example(command: str) -> None:
    ran = ais(command, "--help")

    assert ran.exit_code == 0
    assert f"Example: ais {command} " in ran.stdout
