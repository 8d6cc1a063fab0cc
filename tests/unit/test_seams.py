"""What CONTRIBUTING.md promises of each seam: one thing added in one place is added whole."""

import inspect
import json
import pkgutil
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import ai_smartness
from ai_smartness import clients, condense
from ai_smartness.clients.client import CAPABILITIES, Client
from ai_smartness.clients.own_names import OWN_PROMPTS, OWN_TOOLS
from ai_smartness.clients.registry import (
    CLIENTS,
    TOOL_CLIENTS,
    TRANSCRIPT_READERS,
    load_client,
    load_reader,
)
from ai_smartness.condense.condenser import Condenser
from ai_smartness.condense.condenser_registry import CondenserRegistry
from ai_smartness.entrypoints.cli.command_table import COMMANDS
from ai_smartness.entrypoints.tools.call import TOOL_FUNCTIONS
from ai_smartness.entrypoints.tools.definitions import RESOURCES, TOOLS
from ai_smartness.entrypoints.web.page_table import PAGES
from ai_smartness.settings.setting import SETTINGS

ROOT = Path(__file__).parents[2]
SOURCE = Path(ai_smartness.__file__).parent


def modules_of(package: object) -> list[str]:
    """Name every module below a package, relative to it."""
    path, name = package.__path__, package.__name__  # type: ignore[attr-defined]
    found = pkgutil.walk_packages(path, f"{name}.")
    return [each.name.removeprefix(f"{name}.") for each in found]


def modules_with(package: object, attribute: str) -> set[str]:
    """Name the modules of a package that have an attribute of their own."""
    return {
        name
        for name in modules_of(package)
        if not isinstance(own_value(f"{package.__name__}.{name}", attribute), str | None)  # type: ignore[attr-defined]
    }


def own_value(module: str, attribute: str) -> object:
    return vars(import_module(module)).get(attribute)


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_client_is_registered_and_has_all_that_a_client_needs() -> None:
    members = {name for name in vars(Client) if not name.startswith("_")}
    members |= {name for base in Client.__mro__ for name in vars(base) if not name.startswith("_")}

    assert modules_with(clients, "CLIENT") == set(CLIENTS.values())
    for name in (*CLIENTS, *TOOL_CLIENTS):
        client = load_client(name)
        assert client.name == name
        assert {each for each in members if not hasattr(client, each)} == set()
        assert set(client.capabilities) <= set(CAPABILITIES)


@pytest.mark.parametrize("name", CLIENTS)
def test_every_client_has_its_page(name: str) -> None:
    assert f"--client {name}" in page(f"docs/clients/{name}.md") or name == "claude-code"


def test_the_registration_for_the_mcp_registry_is_of_this_package() -> None:
    project = tomllib.loads(page("pyproject.toml"))["project"]

    server = json.loads(page("server.json"))

    (package,) = server["packages"]
    assert (package["identifier"], package["version"]) == (project["name"], project["version"])
    assert server["version"] == project["version"]
    assert [argument["value"] for argument in package["packageArguments"]] == ["mcp"]
    assert "mcp" in COMMANDS


def test_every_transcript_reader_is_registered_and_in_the_docs() -> None:
    assert modules_with(clients, "READER") == set(TRANSCRIPT_READERS.values())
    for name in TRANSCRIPT_READERS:
        assert load_reader(name).name == name


def test_every_tool_can_be_called_and_is_in_the_reference() -> None:
    assert {*TOOLS, *RESOURCES} == {*TOOL_FUNCTIONS}
    assert [name for name in TOOLS if f"`{name}" not in page("docs/reference/tools.md")] == []


def test_every_command_has_its_program_its_sentence_and_its_place_in_the_pages() -> None:
    for name, entry in COMMANDS.items():
        module, _, function = entry.target.partition(":")
        command = getattr(import_module(f"ai_smartness.entrypoints.cli.{module}"), function)

        assert (command.callback or command).__doc__ is not None or command.help
        assert entry.help.endswith(".")
        assert f"`ais {name}" in page("docs/how-to/commands.md")
        assert f"ais {name}" in page("docs/reference/cli.md")


def test_every_page_has_its_module_its_sentence_and_its_row_in_the_docs() -> None:
    modules = {
        path.stem.removesuffix("_page") for path in (SOURCE / "entrypoints/web/pages").glob("*.py")
    }

    assert modules >= set(PAGES)
    for name, entry in PAGES.items():
        assert callable(own_value(f"ai_smartness.entrypoints.web.pages.{name}_page", "show"))
        assert entry.sentence.endswith(".")
        assert f"| {entry.title} |" in page("docs/web.md")


def test_every_condenser_is_registered_and_in_the_docs() -> None:
    written = {
        str(vars(value).get("id"))
        for name in modules_of(condense)
        for value in vars(import_module(f"{condense.__name__}.{name}")).values()
        if inspect.isclass(value) and value is not Condenser and hasattr(value, "condense")
    }

    assert written == {condenser.id for condenser in CondenserRegistry()}
    assert [id_ for id_ in written if f"| `{id_}`" not in page("docs/compaction.md")] == []


@pytest.mark.parametrize("key", SETTINGS)
def test_every_setting_is_used_and_in_the_docs(key: str) -> None:
    _, _, name = key.partition(".")
    sources = [path for path in SOURCE.rglob("*.py") if path.parent.name != "settings"]

    assert f"### `{key}`" in page("docs/settings.md")
    assert any(re.search(rf"\.{name}\b", path.read_text(encoding="utf-8")) for path in sources)


def test_every_file_that_the_pages_for_engineers_name_is_there() -> None:
    named = {
        path
        for name in ("docs/architecture.md", "docs/capture.md", "CONTRIBUTING.md")
        for path in re.findall(r"`([a-z_/]+/[a-z_]+\.py)`", page(name))
    }

    places = (SOURCE, ROOT / "src", ROOT)
    assert sorted(p for p in named if not any((place / p).exists() for place in places)) == []


def test_the_hook_knows_every_tool_and_prompt_of_ours_by_its_whole_name() -> None:
    server = (SOURCE / "entrypoints" / "mcp" / "server.py").read_text()

    assert set(TOOLS) == OWN_TOOLS
    assert all(f'"{name}"' in server for name in OWN_PROMPTS)
