"""The pages of docs/reference/ say what the code says."""

import pytest
from reference import DOCS, TOOL_COMMANDS, reference_pages

from ai_smartness.entrypoints.cli.command_table import COMMANDS

PAGES = reference_pages()
CLI, TOOLS = PAGES["reference/cli.md"], PAGES["reference/tools.md"]


@pytest.mark.parametrize("name", [*PAGES])
def test_a_page_is_as_it_would_be_written_now(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name], "run `scripts/reference.py`"


def test_nothing_else_is_in_the_folder_but_what_is_written() -> None:
    pages = {f"reference/{path.name}" for path in (DOCS / "reference").iterdir()}

    assert pages == {name for name in PAGES if name.startswith("reference/")}


def test_every_command_has_its_place() -> None:
    assert [name for name in COMMANDS if f"### `ais {name}`\n" not in CLI] == []


def test_every_command_says_more_than_its_sentence_in_the_table() -> None:
    for name, entry in COMMANDS.items():
        section = CLI.split(f"### `ais {name}`\n")[1].split("\n#")[0]
        assert section.split("```\n")[2].strip().startswith(f"{entry.help}\n\n")


def test_the_pages_do_not_depend_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")

    assert reference_pages() == PAGES


@pytest.mark.parametrize("command", TOOL_COMMANDS.values())
def test_every_tool_names_a_command_that_there_is(command: str) -> None:
    words = [word for word in command.split() if word.islower() and not word.startswith("-")]

    assert f"`{' '.join(words)}`\n" in CLI


def test_every_tool_has_its_place() -> None:
    assert all(f"## `{tool}`\n" in TOOLS for tool in TOOL_COMMANDS)
