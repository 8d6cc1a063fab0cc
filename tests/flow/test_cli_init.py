"""Connect the client with `ais init`: what is written where, for which client."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from command_line import ais, standing_in_a_project
from fake_client import FOREIGN, client_saying, said_in
from terminal import terminal

NEW = "2.1.325 (Claude Code)"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = standing_in_a_project(tmp_path, monkeypatch)
    monkeypatch.setenv("AIS_CLAUDE", client_saying(tmp_path, NEW))
    return root


@pytest.fixture
def local(project: Path) -> Path:
    """Name the project's file of settings."""
    return project / ".claude" / "settings.local.json"


def our_commands(path: Path) -> list[Any]:
    found = said_in(path)["hooks"].values()
    every = [hook for groups in found for group in groups for hook in group["hooks"]]
    return [hook for hook in every if "hooks/main.py" in json.dumps(hook)]


def test_the_project_is_connected_in_the_file_that_is_not_committed(
    tmp_path: Path, project: Path, local: Path
) -> None:
    ran = ais("init", "--yes")

    assert ran.exit_code == 0
    assert "client  Claude Code 2.1.325, " in ran.stdout
    assert f"hooks   in {local}" in ran.stdout
    assert list((project / ".claude").iterdir()) == [local]
    assert not (tmp_path / "claude" / "settings.json").exists()
    assert {hook["command"] for hook in our_commands(local)} == {sys.executable}
    assert {hook["args"][-1] for hook in our_commands(local)} == {str(tmp_path / "home")}


def test_with_user_all_projects_are_connected_where_the_client_keeps_its_settings(
    tmp_path: Path, project: Path
) -> None:
    assert ais("init", "--user", "--yes").exit_code == 0

    assert len(our_commands(tmp_path / "claude" / "settings.json")) == 13
    assert not (project / ".claude").exists()


def test_without_a_folder_of_its_own_the_users_settings_are_in_the_users_home(
    tmp_path: Path,
) -> None:
    ran = ais("init", "--user", "--yes", CLAUDE_CONFIG_DIR="", HOME=str(tmp_path / "me"))

    assert ran.exit_code == 0
    assert our_commands(tmp_path / "me" / ".claude" / "settings.json")


def test_the_hook_is_started_as_it_is_written(local: Path) -> None:
    ais("init", "--yes")
    hook = next(iter(our_commands(local)))

    done = subprocess.run(
        [hook["command"], *hook["args"]],
        input=b'{"hook_event_name": "Nothing"}',
        env={"AI_SMARTNESS_HOOK_RUNNING": "1"},
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_everybody_elses_entries_and_the_indentation_stay(local: Path) -> None:
    local.parent.mkdir()
    local.write_text(FOREIGN)

    ais("init", "--yes")

    there = local.read_text()
    settings, before = said_in(local), json.loads(FOREIGN)
    assert there == json.dumps(settings, indent=4, ensure_ascii=False)
    assert list(settings) == list(before)
    assert settings["permissions"] == {"allow": ["Bash(ls:*)", "mcp__ai_smartness"]}
    assert settings["hooks"]["Stop"][0] == before["hooks"]["Stop"][0]


def test_the_file_is_backed_up_for_its_owner_alone(tmp_path: Path, local: Path) -> None:
    local.parent.mkdir()
    local.write_text(FOREIGN)

    ran = ais("init", "--yes")

    (backup,) = (tmp_path / "home" / "backups").iterdir()
    assert f"backup  {backup}" in ran.stdout
    assert backup.read_text() == FOREIGN
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "home" / "installed.json").stat().st_mode) == 0o600


def test_init_twice_changes_nothing(tmp_path: Path, local: Path) -> None:
    ais("init", "--yes")
    before = (local.read_bytes(), (tmp_path / "home" / "installed.json").read_bytes())

    ran = ais("init", "--yes")

    assert f"hooks   already in {local}" in ran.stdout
    assert (local.read_bytes(), (tmp_path / "home" / "installed.json").read_bytes()) == before
    assert not (tmp_path / "home" / "backups").exists()


def test_after_an_upgrade_only_our_entries_are_replaced(tmp_path: Path, local: Path) -> None:
    local.parent.mkdir()
    local.write_text(FOREIGN)
    ais("init", "--yes", AIS_CLAUDE=client_saying(tmp_path, "2.1.100 (Claude Code)"))
    old = our_commands(local)

    ais("init", "--yes", AIS_CLAUDE=client_saying(tmp_path, NEW))

    assert not any("args" in hook for hook in old)
    assert all("args" in hook for hook in our_commands(local))
    assert json.dumps(said_in(local)).count("notify-send done") == 1
    assert ais("uninstall", "--yes").exit_code == 0
    assert local.read_text() == FOREIGN


def test_hooks_for_another_memory_are_replaced(tmp_path: Path, local: Path) -> None:
    ais("init", "--yes")

    ais("--home", str(tmp_path / "second"), "init", "--yes")

    assert {hook["args"][-1] for hook in our_commands(local)} == {str(tmp_path / "second")}


def test_an_old_client_is_given_only_what_it_knows(tmp_path: Path, local: Path) -> None:
    ran = ais("init", "--yes", AIS_CLAUDE=client_saying(tmp_path, "2.0.76 (Claude Code)"))

    assert "PostCompact" not in said_in(local)["hooks"]
    assert "2.1.41 is needed" in ran.stderr


@pytest.mark.parametrize("client", ["", "/no/such/program"])
def test_without_a_client_the_newest_is_provided_for(local: Path, client: str) -> None:
    ran = ais("init", "--yes", AIS_CLAUDE=client)

    assert "set up for 2.1.325 and later" in ran.stdout
    assert "PostCompact" in said_in(local)["hooks"]


def test_the_client_on_the_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AIS_CLAUDE")
    client_saying(tmp_path, "2.1.150 (Claude Code)")

    ran = ais("init", "--dry-run", PATH=f"{tmp_path}/bin:{os.environ['PATH']}")

    assert f"client  Claude Code 2.1.150, {tmp_path}/bin/claude" in ran.stdout


def test_a_dry_run_shows_the_difference_and_changes_nothing(tmp_path: Path, local: Path) -> None:
    local.parent.mkdir()
    local.write_text(FOREIGN)

    ran = ais("init", "--dry-run")

    assert ran.exit_code == 0
    assert f"+++ {local} (then)" in ran.stdout
    assert '+                        "timeout": 10' in ran.stdout
    assert (
        '-            {"hooks": [{"type": "command", "command": "notify-send done"}]}' in ran.stdout
    )
    assert local.read_text() == FOREIGN
    assert not (tmp_path / "home").exists()


def test_no_hooks_leaves_the_client_alone(tmp_path: Path, project: Path) -> None:
    ran = ais("init", "--no-hooks")

    assert ran.exit_code == 0
    assert (tmp_path / "home" / "memory.db").exists()
    assert not (project / ".claude").exists()
    assert "client" not in ran.stdout


def test_where_nobody_can_be_asked_the_client_is_left_alone_and_that_is_said(
    tmp_path: Path, project: Path
) -> None:
    ran = ais("init")

    assert ran.exit_code == 0
    assert "not connected" in ran.stdout
    assert "`ais init --yes`" in ran.stderr
    assert (tmp_path / "home" / "memory.db").exists()
    assert not (project / ".claude").exists()


@pytest.mark.parametrize(("answer", "connected"), [("", True), ("y", True), ("n", False)])
def test_in_a_terminal_it_asks(local: Path, answer: str, *, connected: bool) -> None:
    with terminal("init", columns=200) as screen:
        screen.until("[Y/n]:")
        screen.type(answer)
        assert screen.end() == 0

    assert local.exists() is connected


@pytest.mark.parametrize(
    ("answer", "connected"),
    [
        ("", ["codex", "qwen"]),
        ("qwen", ["qwen"]),
        ("codex, qwen", ["codex", "qwen"]),
        ("none", []),
    ],
)
def test_in_a_terminal_it_asks_once_which_clients_to_connect(
    answer: str, connected: list[str], tmp_path: Path
) -> None:
    files = {"codex": ".codex/hooks.json", "qwen": ".qwen/settings.json"}

    with terminal("init", "--client", "codex", "--client", "qwen", columns=200) as screen:
        screen.until("Connect which of codex, qwen?")
        screen.type(answer)
        assert screen.end() == 0

    clients = tmp_path / "clients"
    assert [name for name, file in files.items() if (clients / file).exists()] == connected


def test_a_project_known_by_its_name_alone_cannot_be_connected(project: Path) -> None:
    ais("init", "--no-hooks")

    ran = ais("--project", "*", "init", "--yes")

    assert ran.exit_code == 1
    assert "--user" in ran.stderr
    assert not (project / ".claude").exists()


def uncommitted(project: Path) -> str:
    status = ["git", "-C", str(project), "status", "--porcelain"]
    return subprocess.run(status, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("exclude", [None, "*.swp"])
def test_the_settings_stay_out_of_git_until_we_are_uninstalled(
    project: Path, exclude: str | None
) -> None:
    (project / ".git").rmdir()
    subprocess.run(["git", "init", "-q", "--template=", str(project)], check=True)
    file = project / ".git" / "info" / "exclude"
    if exclude:
        file.parent.mkdir()
        file.write_text(exclude)

    ran = ais("init", "--yes")

    assert (uncommitted(project), ran.stderr) == ("", "")
    assert f".claude/settings.local.json is left out, by {file}" in ran.stdout
    before, planned = file.read_text(), ais("uninstall", "--dry-run")
    assert "\n-/.claude/settings.local.json" in planned.stdout
    assert str(file) in planned.stdout
    assert file.read_text() == before
    assert ais("uninstall", "--yes").exit_code == 0
    assert (file.read_text().rstrip() if file.exists() else None) == exclude
    assert not (project / ".claude").exists()


@pytest.mark.parametrize(("answer", "left"), [("y", ""), ("n", "?? .claude/\n")])
def test_whether_git_leaves_the_settings_out_is_asked_once(
    project: Path, answer: str, left: str
) -> None:
    (project / ".git").rmdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)

    with terminal("init", "--no-import", columns=200) as screen:
        screen.until("[Y/n]:")
        screen.type("y")
        screen.until("info/exclude? [Y/n]:")
        screen.type(answer)
        assert screen.end() == 0

    assert uncommitted(project) == left
    with terminal("init", "--no-import", columns=200) as screen:
        assert screen.end() == 0


def test_a_dry_run_lists_the_lines_that_would_go_to_the_list_of_git(project: Path) -> None:
    (project / ".git").rmdir()
    subprocess.run(["git", "init", "-q", "--template=", str(project)], check=True)
    file = project / ".git" / "info" / "exclude"

    planned = ais("init", "--dry-run").stdout

    assert f"--- {file} (now)" in planned
    assert "\n+/.claude/settings.local.json" in planned
    assert not file.exists()
    ais("init", "--yes")
    assert str(file) not in ais("init", "--dry-run").stdout


def test_the_first_next_step_is_to_start_the_client(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first_step(*options: str) -> str:
        steps = ais("init", "--yes", *options).stdout.partition("\nNext:\n")[2]
        return steps.splitlines()[0]

    assert first_step() == "  claude              start it in this folder: it has a memory now"
    assert "start it in any project" in first_step("--user")
    (project / "docs").mkdir()
    monkeypatch.chdir(project / "docs")
    assert f"start it in {project}:" in first_step()


def test_without_hooks_the_client_is_no_next_step() -> None:
    assert "  claude" not in ais("init", "--no-hooks").stdout


def test_a_file_that_git_ignores_is_not(project: Path) -> None:
    (project / ".git").rmdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    (project / ".gitignore").write_text("settings.local.json\n")

    ran = ais("init", "--yes")

    assert ran.stderr == ""


def test_projects_connected_at_once_are_all_on_record(tmp_path: Path) -> None:
    ais("init", "--no-hooks")
    folders = [tmp_path / name for name in ("a", "b", "c", "d")]
    for folder in folders:
        folder.mkdir()

    command = [sys.executable, "-m", "ai_smartness", "init", "--yes"]
    running = [
        subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) for folder in folders
    ]

    assert [process.wait() for process in running] == [0, 0, 0, 0]
    record = said_in(tmp_path / "home" / "installed.json")["files"]
    settings = {str(folder / ".claude" / "settings.local.json") for folder in folders}
    servers = str(tmp_path / "claude" / ".claude.json")
    assert set(record) == {*settings, servers}
    assert set(record[servers]["places"]) == set(map(str, folders))
    assert set(said_in(Path(servers))["projects"]) == set(map(str, folders))


def test_what_is_there_already_is_not_asked_about_and_a_dry_run_says_so(local: Path) -> None:
    ais("init", "--yes")

    assert f"hooks   already in {local}" in ais("init", "--dry-run").stdout
    assert f"hooks   already in {local}" in ais("init").stdout


def test_a_client_that_is_not_here_is_to_be_installed_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AIS_CLAUDE", "")

    steps = ais("init", "--yes").stdout.partition("\nNext:\n")[2]

    wanted = "install it, and start it in this folder: it has a memory now"
    assert steps.splitlines()[0] == f"  claude              {wanted}"
