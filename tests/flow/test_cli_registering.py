"""Register the tools with `ais init`, in the file that the client itself writes all the time."""

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ai_smartness.clients.client_files import locked_records
from command_line import ais, standing_in_a_project
from fake_client import FOREIGN, said_in

KEY = "sk-as-secret-as-a-key-can-be"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


@pytest.fixture
def local(project: Path) -> Path:
    """Name the project's file of settings."""
    return project / ".claude" / "settings.local.json"


@pytest.fixture
def servers(tmp_path: Path) -> Path:
    """Name the client's file of servers, in a folder that is there."""
    (tmp_path / "claude").mkdir()
    return tmp_path / "claude" / ".claude.json"


def a_config(project: Path) -> dict[str, Any]:
    """Return what a client keeps that has run in the project."""
    return {
        "numStartups": 12,
        "primaryApiKey": KEY,
        "projects": {
            str(project): {"allowedTools": [], "mcpServers": {}, "hasTrustDialogAccepted": True},
            "/elsewhere": {"mcpServers": {"theirs": {"command": "theirs", "args": []}}},
        },
        "mcpServers": {"theirs": {"type": "http", "url": "http://localhost:1"}},
    }


def entry(config: dict[str, Any], project: Path) -> dict[str, Any]:
    found: dict[str, Any] = config["projects"][str(project)]["mcpServers"]["ai_smartness"]
    return found


def test_the_tools_are_registered_for_the_project_and_allowed(
    tmp_path: Path, project: Path, local: Path
) -> None:
    ran = ais("init", "--yes")

    path = tmp_path / "claude" / ".claude.json"
    found = entry(said_in(path), project)
    assert f"tools   in {path}\n" in ran.stdout
    assert found["alwaysLoad"] is True
    assert found["command"] == sys.executable
    assert found["args"][-3:] == ["--home", str(tmp_path / "home"), "mcp"]
    assert said_in(local)["permissions"] == {"allow": ["mcp__ai_smartness"]}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_with_user_they_are_registered_for_all_projects(tmp_path: Path) -> None:
    ais("init", "--user", "--yes")

    config = said_in(tmp_path / "claude" / ".claude.json")
    assert set(config) == {"mcpServers"}
    assert set(config["mcpServers"]) == {"ai_smartness"}
    allowed = said_in(tmp_path / "claude" / "settings.json")["permissions"]["allow"]
    assert allowed == ["mcp__ai_smartness"]


def test_without_a_folder_of_its_own_the_file_is_in_the_users_home(tmp_path: Path) -> None:
    (tmp_path / "me").mkdir()

    ais("init", "--user", "--yes", CLAUDE_CONFIG_DIR="", HOME=str(tmp_path / "me"))

    assert "ai_smartness" in said_in(tmp_path / "me" / ".claude.json")["mcpServers"]


def test_a_very_old_client_keeps_its_servers_elsewhere(tmp_path: Path, servers: Path) -> None:
    legacy = servers.with_name(".config.json")
    legacy.write_text("{}")

    ais("init", "--yes")

    assert not servers.exists()
    assert "projects" in said_in(legacy)
    assert ais("uninstall", "--yes").exit_code == 0
    assert legacy.read_text() == "{}"
    assert not (tmp_path / "home" / "installed.json").exists()


def test_a_worktree_shares_the_tools_of_its_repository(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".git").rmdir()
    git = ["git", "-C", str(project), "-c", "user.name=n", "-c", "user.email=e@x"]
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "tree")], check=True)
    monkeypatch.chdir(tmp_path / "tree")

    ais("init", "--yes")

    assert entry(said_in(tmp_path / "claude" / ".claude.json"), project)


def test_everything_else_in_the_file_stays_and_nothing_of_it_is_kept_by_us(
    tmp_path: Path, project: Path, servers: Path
) -> None:
    before = json.dumps(a_config(project), indent=2)
    servers.write_text(before)

    ais("init", "--yes")

    there = said_in(servers)
    ours = entry(there, project)
    del there["projects"][str(project)]["mcpServers"]["ai_smartness"]
    assert ours["type"] == "stdio"
    assert there == a_config(project)
    kept = [each.read_bytes() for each in (tmp_path / "home").rglob("*") if each.is_file()]
    assert not any(KEY.encode() in each for each in kept)
    assert not servers.with_name(".claude.json.lock").exists()
    assert ais("uninstall", "--yes").exit_code == 0
    assert servers.read_text() == before


@pytest.mark.parametrize("text", ["", "\n", "{}", "{ }\n", '{"mcpServers":{}}', '{"a":1}\r\n'])
@pytest.mark.parametrize("args", [(), ("--user",)], ids=["project", "user"])
def test_however_the_file_is_laid_out_uninstall_leaves_it_byte_for_byte(
    servers: Path, text: str, args: tuple[str, ...]
) -> None:
    servers.write_bytes(text.encode())

    assert ais("init", "--yes", *args).exit_code == 0
    there = servers.read_bytes()
    assert ais("uninstall", "--yes").exit_code == 0

    assert b"alwaysLoad" in there
    assert servers.read_bytes() == text.encode()


def test_what_the_client_wrote_since_stays(project: Path, servers: Path) -> None:
    ais("init", "--yes")
    config = said_in(servers)
    config["numStartups"] = 1
    config["projects"][str(project)]["hasTrustDialogAccepted"] = True
    servers.write_text(json.dumps(config, indent=2))

    ais("uninstall", "--yes")

    assert said_in(servers) == {
        "projects": {str(project): {"hasTrustDialogAccepted": True}},
        "numStartups": 1,
    }


def test_a_second_time_nothing_is_changed_and_that_is_said(servers: Path) -> None:
    ais("init", "--yes")
    before = servers.stat().st_mtime_ns

    ran = ais("init", "--yes")

    assert f"tools   already in {servers}" in ran.stdout
    assert servers.stat().st_mtime_ns == before


def test_an_installation_from_before_the_tools_is_given_them(
    tmp_path: Path, project: Path, local: Path, servers: Path
) -> None:
    local.parent.mkdir()
    local.write_text(FOREIGN)
    ais("init", "--yes")
    settings = said_in(local)
    settings["permissions"]["allow"].remove("mcp__ai_smartness")
    local.write_text(json.dumps(settings, indent=4))
    servers.unlink()
    with locked_records(tmp_path / "home") as installed:
        del installed[str(servers)]

    ran = ais("init", "--yes")

    assert ran.exit_code == 0
    assert entry(said_in(servers), project)
    assert "mcp__ai_smartness" in said_in(local)["permissions"]["allow"]


def test_the_entry_of_another_memory_is_replaced(
    tmp_path: Path, project: Path, servers: Path
) -> None:
    ais("init", "--yes")

    ais("--home", str(tmp_path / "second"), "init", "--yes")

    assert str(tmp_path / "second") in entry(said_in(servers), project)["args"]


def test_a_server_of_somebody_else_under_our_name_is_left_alone(
    tmp_path: Path, local: Path, servers: Path
) -> None:
    text = json.dumps({"mcpServers": {"ai_smartness": {"command": "theirs"}}})
    servers.write_text(text)

    ran = ais("init", "--user", "--yes")

    assert ran.exit_code == 1
    assert "is not ours" in ran.stderr
    assert servers.read_text() == text
    assert not local.exists()
    assert not (tmp_path / "home").exists()
    assert ais("uninstall", "--yes").exit_code == 0
    assert servers.read_text() == text


@pytest.mark.parametrize("text", ["{", "[]", '{"projects": 1}'])
def test_a_file_that_cannot_be_understood_is_refused_and_nothing_is_changed(
    tmp_path: Path, local: Path, servers: Path, text: str
) -> None:
    servers.write_text(text)

    ran = ais("init", "--yes")

    assert ran.exit_code == 1
    assert str(servers) in ran.stderr
    assert servers.read_text() == text
    assert not local.exists()
    assert not (tmp_path / "home").exists()


def test_a_folder_whose_name_is_no_text_is_refused_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = tmp_path / "odd\udcff"
    odd.mkdir()
    monkeypatch.chdir(odd)

    ran = ais("init", "--yes")

    assert ran.exit_code == 1
    assert "`ais init --user`" in ran.stderr
    assert ais("init", "--yes", "--user").exit_code == 0


def test_a_dry_run_shows_the_entry_and_nothing_else_of_the_file(
    project: Path, servers: Path
) -> None:
    servers.write_text(json.dumps(a_config(project)))

    ran = ais("init", "--dry-run")

    assert f'+++ {servers}: projects["{project}"].mcpServers.ai_smartness' in ran.stdout
    assert '+  "alwaysLoad": true' in ran.stdout
    assert '+      "mcp__ai_smartness"' in ran.stdout
    assert KEY not in ran.stdout
    assert said_in(servers) == a_config(project)


def test_a_dry_run_of_uninstall_names_the_entry(project: Path, servers: Path) -> None:
    ais("init", "--yes")
    there = servers.read_bytes()

    ran = ais("uninstall", "--dry-run")

    assert f'--- {servers}: projects["{project}"].mcpServers.ai_smartness' in ran.stdout
    assert servers.read_bytes() == there


def test_no_hooks_registers_nothing(tmp_path: Path) -> None:
    ais("init", "--no-hooks")

    assert not (tmp_path / "claude").exists()


def test_here_leaves_the_other_places(
    tmp_path: Path, project: Path, servers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ais("init", "--yes")
    ais("init", "--user", "--yes")
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    ais("init", "--yes")

    ais("uninstall", "--here", "--yes")

    assert set(said_in(servers)["projects"]) == {str(project)}
    assert "ai_smartness" in said_in(servers)["mcpServers"]
    assert ais("uninstall", "--yes").exit_code == 0
    assert not servers.exists()


def test_without_a_record_the_entry_is_found_all_the_same(
    tmp_path: Path, project: Path, servers: Path
) -> None:
    servers.write_text(json.dumps(a_config(project), indent=2))
    ais("init", "--yes")
    (tmp_path / "home" / "installed.json").unlink()

    ais("uninstall", "--yes")

    assert said_in(servers) == a_config(project)


def test_a_permission_that_its_user_gave_stays(local: Path) -> None:
    local.parent.mkdir()
    local.write_text('{"permissions": {"allow": ["mcp__ai_smartness"]}}')

    ais("init", "--yes")
    ais("uninstall", "--yes")
    ais("uninstall", "--yes")

    assert said_in(local) == {"permissions": {"allow": ["mcp__ai_smartness"]}}


def test_it_waits_for_a_client_that_is_writing(project: Path, servers: Path) -> None:
    servers.write_text("{}")
    lock = servers.with_name(".claude.json.lock")
    lock.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "ai_smartness", "init", "--yes"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    # The hooks are put in first; the tools have to wait for the lock.
    while "hooks" not in process.stdout.readline():
        pass

    servers.write_text('{"numStartups": 2}')
    lock.rmdir()

    assert process.wait() == 0
    process.stdout.close()
    assert said_in(servers)["numStartups"] == 2
    assert entry(said_in(servers), project)


def test_a_lock_that_was_left_behind_is_not_waited_for_for_ever(
    project: Path, servers: Path
) -> None:
    servers.with_name(".claude.json.lock").mkdir()

    assert ais("init", "--yes").exit_code == 0
    assert entry(said_in(servers), project)
    assert servers.with_name(".claude.json.lock").exists()


def test_while_a_client_writes_nothing_of_either_is_lost(project: Path, servers: Path) -> None:
    servers.write_text("{}")
    lock, enough = servers.with_name(".claude.json.lock"), threading.Event()
    written = 0

    def write() -> None:
        nonlocal written
        while not enough.is_set():
            try:
                lock.mkdir()
            except FileExistsError:
                continue
            config = said_in(servers)
            config["numStartups"] = written = written + 1
            temporary = servers.with_name("new")
            temporary.write_text(json.dumps(config))
            os.replace(temporary, servers)  # noqa: PTH105 - as a client does
            lock.rmdir()

    client = threading.Thread(target=write)
    client.start()
    for _ in range(3):
        assert ais("init", "--yes").exit_code == 0
        assert entry(said_in(servers), project)
        assert ais("uninstall", "--yes").exit_code == 0
    enough.set()
    client.join()

    assert said_in(servers) == {"numStartups": written}
