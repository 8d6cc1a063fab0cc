"""The pages of docs/reference/ say what the code says."""

from pathlib import Path

import pytest

from ai_smartness.entrypoints.cli.main import COMMANDS, ais
from ai_smartness.entrypoints.cli.reference import TOOL_COMMANDS as OF_TOOLS
from ai_smartness.entrypoints.cli.reference import reference_pages

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
PAGES = dict(reference_pages(ais))


@pytest.mark.parametrize("name", [*PAGES])
def test_a_page_is_as_it_would_be_written_now(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == PAGES[name], (
        "run `python -m ai_smartness reference docs/reference`"
    )


def test_nothing_else_is_in_the_folder_but_what_is_written() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(PAGES)


def test_every_command_has_its_place_and_a_hidden_one_has_none() -> None:
    for name, command in COMMANDS.items():
        assert (f"### `ais {name}`\n" in PAGES["cli.md"]) is not command.hidden


def test_the_pages_do_not_depend_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")

    assert dict(reference_pages(ais)) == PAGES


@pytest.mark.parametrize("command", OF_TOOLS.values())
def test_every_tool_names_a_command_that_there_is(command: str) -> None:
    words = [word for word in command.split() if word.islower() and not word.startswith("-")]

    assert f"`{' '.join(words)}`\n" in PAGES["cli.md"]


def test_every_tool_has_its_place() -> None:
    assert all(f"## `{tool}`\n" in PAGES["tools.md"] for tool in OF_TOOLS)
