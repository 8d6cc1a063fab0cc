"""Find the command for what one wants to do, with `ais help`."""

from pathlib import Path

import pytest

from ai_smartness.entrypoints.cli.command_table import COMMANDS, TASKS
from command_line import ais, standing_in_a_project


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def test_commands_are_listed_by_what_one_wants_to_do() -> None:
    said = ais("help").stdout

    headings = [line for line in said.splitlines() if line.endswith(":")]
    assert headings[:4] == ["Begin:", "Find something:", "See why:", "Steer what is shown:"]
    assert "  ais undo CHANGE " in said
    assert max(map(len, said.splitlines())) <= 80


@pytest.mark.parametrize("typed", [typed for commands in TASKS.values() for typed in commands])
def test_every_line_names_a_command_with_options_that_it_has(typed: str) -> None:
    words = [word for word in typed.split() if word.islower() and not word.startswith("-")]
    options = [word for word in typed.split() if word.startswith("-")]

    ran = ais("help", *words)

    assert ran.exit_code == 0
    assert ran.stdout.startswith(f"Usage: ais {' '.join(words)}")
    assert all(option in ran.stdout for option in options)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_is_what_the_command_says_itself(name: str) -> None:
    assert ais("help", name).stdout == ais(name, "--help").stdout


def test_a_command_that_is_not_there_is_refused_with_the_one_that_may_be_meant() -> None:
    ran = ais("help", "thread")

    assert ran.exit_code == 2
    assert "Did you mean `threads`?" in ran.stderr


@pytest.mark.parametrize("words", [("threads", "nosuch"), ("undo", "nosuch")])
def test_a_subcommand_that_is_not_there_is_refused(words: tuple[str, ...]) -> None:
    assert ais("help", *words).exit_code == 2


def test_the_list_of_commands_is_in_the_same_order_and_has_each_once() -> None:
    said = ais("--help").stdout

    places = [said.index(f"\n  {name} ") for name in COMMANDS]
    assert places == sorted(places)
    assert all(said.count(f"\n  {name} ") == 1 for name in COMMANDS)


def test_every_command_without_arguments_to_copy_shows_an_example() -> None:
    without = [name for name in COMMANDS if "Example: " not in ais(name, "--help").stdout]

    assert [name for name in without if name not in {"config", "tour"}] == []
