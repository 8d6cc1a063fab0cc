"""Write a plugin for the client with `ais plugin`."""

import json
from pathlib import Path

import pytest

from command_line import ais, standing_in_a_project
from fake_client import client_saying


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def test_a_plugin_holds_the_hooks_of_this_installation(tmp_path: Path) -> None:
    folder = tmp_path / "plugin"

    ran = ais("plugin", str(folder))

    manifest = json.loads((folder / ".claude-plugin" / "plugin.json").read_text())
    hooks = json.loads((folder / "hooks" / "hooks.json").read_text())["hooks"]
    assert f"plugin  {folder}" in ran.stdout
    assert manifest["name"] == "ai-smartness"
    assert hooks["Stop"][0]["hooks"][0]["args"][-1] == str(tmp_path / "home")


def test_a_plugin_is_written_for_the_client_that_is_there(tmp_path: Path) -> None:
    old = client_saying(tmp_path, "2.1.100 (Claude Code)")
    ais("plugin", str(tmp_path / "plugin"))

    ais("plugin", str(tmp_path / "plugin"), AIS_CLAUDE=old)

    hooks = json.loads((tmp_path / "plugin" / "hooks" / "hooks.json").read_text())["hooks"]
    assert "PostCompact" not in hooks
    assert "args" not in hooks["Stop"][0]["hooks"][0]


@pytest.mark.parametrize("there", ["notes.txt", ".claude-plugin"])
def test_a_folder_with_something_else_in_it_is_refused(tmp_path: Path, there: str) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / there).write_text("mine")

    ran = ais("plugin", str(folder))

    assert ran.exit_code == 1
    assert "it has other files" in ran.stderr
    assert [each.name for each in folder.iterdir()] == [there]


def test_somebody_elses_plugin_is_refused(tmp_path: Path) -> None:
    manifest = tmp_path / "theirs" / ".claude-plugin" / "plugin.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text('{"name": "theirs"}')

    assert ais("plugin", str(tmp_path / "theirs")).exit_code == 1
    assert manifest.read_text() == '{"name": "theirs"}'


def test_a_place_where_no_folder_can_be_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    ran = ais("plugin", str(tmp_path / "file" / "plugin"))

    assert ran.exit_code == 1
    assert "Choose another folder" in ran.stderr
