"""Take everything out with `ais uninstall`, and nothing else."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import ais, standing_in_a_project, three_threads
from fake_client import FOREIGN, said_in
from terminal import terminal


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


@pytest.fixture
def local(project: Path) -> Path:
    """Name the project's file of settings."""
    return project / ".claude" / "settings.local.json"


def test_what_was_not_there_is_gone_again(project: Path) -> None:
    ais("init", "--yes")

    ran = ais("uninstall", "--yes")

    assert ran.exit_code == 0
    assert [each.name for each in project.iterdir()] == [".git"]


def test_a_folder_that_was_there_or_holds_something_else_stays(project: Path, local: Path) -> None:
    ais("init", "--yes")
    (project / ".claude" / "agents").mkdir()

    ais("uninstall", "--yes")

    assert not local.exists()
    assert (project / ".claude" / "agents").exists()


def test_every_project_and_the_users_settings_are_left(
    tmp_path: Path, local: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = tmp_path / "claude" / "settings.json"
    user.parent.mkdir()
    user.write_text(FOREIGN)
    ais("init", "--yes")
    ais("init", "--user", "--yes")
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)

    ran = ais("uninstall", "--yes")

    assert str(local) in ran.stdout
    assert not local.exists()
    assert user.read_text() == FOREIGN
    assert not (tmp_path / "home" / "installed.json").exists()


def test_here_is_this_project_alone(tmp_path: Path, local: Path) -> None:
    ais("init", "--yes")
    ais("init", "--user", "--yes")

    assert ais("uninstall", "--here", "--yes").exit_code == 0

    assert not local.exists()
    assert "hooks" in said_in(tmp_path / "claude" / "settings.json")


def test_what_was_changed_since_keeps_the_change_and_its_indentation(local: Path) -> None:
    local.parent.mkdir()
    local.write_text(FOREIGN)
    ais("init", "--yes")
    local.write_text(local.read_text().replace('"ööpus"', '"sönnet",\n    "new":   true'))

    ais("uninstall", "--yes")

    wanted = {**json.loads(FOREIGN), "model": "sönnet", "new": True}
    assert local.read_text() == json.dumps(wanted, indent=4, ensure_ascii=False)


def test_what_the_client_wrote_anew_loses_our_entries_and_no_others(local: Path) -> None:
    local.parent.mkdir()
    local.write_text(FOREIGN)
    ais("init", "--yes")
    settings = said_in(local)
    settings["permissions"]["allow"].append("Bash(git:*)")
    local.write_text(json.dumps(settings, indent=2, ensure_ascii=False))

    ais("uninstall", "--yes")

    wanted = json.loads(FOREIGN)
    wanted["permissions"]["allow"].append("Bash(git:*)")
    assert local.read_text() == json.dumps(wanted, indent=2, ensure_ascii=False)


def test_a_file_of_ours_that_the_client_wrote_anew_is_gone_all_the_same(local: Path) -> None:
    ais("init", "--yes")
    local.write_text(json.dumps(said_in(local)))

    ais("uninstall", "--yes")

    assert not local.exists()


def test_without_a_record_our_entries_are_found_by_their_names(tmp_path: Path, local: Path) -> None:
    local.parent.mkdir()
    local.write_text(FOREIGN)
    ais("init", "--yes")
    (tmp_path / "home" / "installed.json").unlink()

    ais("uninstall", "--yes")

    assert said_in(local) == json.loads(FOREIGN)


def test_a_record_of_what_was_never_written_does_no_harm(local: Path) -> None:
    local.parent.mkdir()
    local.write_text(FOREIGN)
    ais("init", "--yes")
    local.write_text(FOREIGN)

    assert ais("init", "--yes").exit_code == 0
    assert "SessionStart" in said_in(local)["hooks"]
    assert ais("uninstall", "--yes").exit_code == 0
    assert local.read_text() == FOREIGN


def test_a_file_made_read_only_since_is_left_alone(local: Path) -> None:
    ais("init", "--yes")
    local.chmod(0o400)

    ran = ais("uninstall", "--yes")

    assert ran.exit_code == 1
    assert f"`chmod u+w {local}`" in ran.stderr
    assert local.exists()


def test_the_daemon_is_sent_away(tmp_path: Path) -> None:
    ais("init", "--yes")
    # In a process of its own: the daemon would be this one's child, and never be let go.
    subprocess.run([sys.executable, "-m", "ai_smartness", "daemon", "start"], check=True)

    assert ais("uninstall", "--delete-data").exit_code == 0

    assert not (tmp_path / "home").exists()


def test_hooks_added_beside_ours_stay(local: Path) -> None:
    ais("init", "--yes")
    settings = said_in(local)
    settings["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "theirs"})
    local.write_text(json.dumps(settings))

    ais("uninstall", "--yes")

    theirs = {"hooks": [{"type": "command", "command": "theirs"}]}
    assert said_in(local) == {"hooks": {"Stop": [theirs]}}


def test_one_broken_file_does_not_stand_in_the_others_way(tmp_path: Path, local: Path) -> None:
    ais("init", "--yes")
    ais("init", "--user", "--yes")
    local.write_text("{ broken")

    ran = ais("uninstall", "--yes")

    assert ran.exit_code == 1
    assert f"warning: cannot change {local}: it is not JSON" in ran.stderr
    assert local.read_text() == "{ broken"
    assert not (tmp_path / "claude").exists()


def test_a_project_that_is_gone_is_no_trouble(tmp_path: Path, local: Path) -> None:
    ais("init", "--yes")
    local.unlink()

    ran = ais("uninstall", "--yes")

    assert ran.exit_code == 0
    assert not (tmp_path / "home" / "installed.json").exists()


def test_a_dry_run_shows_what_would_go_and_changes_nothing(local: Path) -> None:
    ais("init", "--yes")
    there = local.read_bytes()

    ran = ais("uninstall", "--dry-run")

    assert '-            "timeout": 10' in ran.stdout
    assert local.read_bytes() == there


def test_where_nobody_can_be_asked_nothing_is_changed(local: Path) -> None:
    ais("init", "--yes")

    ran = ais("uninstall")

    assert ran.exit_code == 1
    assert "Give --yes" in ran.stderr
    assert local.exists()


def test_where_nothing_is_installed_that_is_said(tmp_path: Path) -> None:
    ran = ais("uninstall")

    assert ran.exit_code == 0
    assert "not found in any known settings" in ran.stdout
    assert not (tmp_path / "home").exists()


def test_the_memory_stays_unless_somebody_says_otherwise(tmp_path: Path, project: Path) -> None:
    three_threads(project)
    ais("init", "--yes")

    ran = ais("uninstall", "--yes")

    assert f"memory  {tmp_path / 'home'}, kept" in ran.stdout
    assert (tmp_path / "home" / "memory.db").exists()


def test_the_memory_goes_on_demand_and_settings_of_yours_do_not(
    tmp_path: Path, project: Path
) -> None:
    three_threads(project)
    ais("init", "--yes")
    (tmp_path / "home" / "config.toml").write_text("")

    ran = ais("uninstall", "--delete-data")

    assert ran.exit_code == 0
    assert [each.name for each in (tmp_path / "home").iterdir()] == ["config.toml"]
    assert [each.name for each in project.iterdir()] == [".git"]


@pytest.mark.parametrize(("answer", "kept"), [("", True), ("n", True), ("y", False)])
def test_in_a_terminal_it_asks_about_the_memory(
    tmp_path: Path, project: Path, answer: str, *, kept: bool
) -> None:
    three_threads(project)
    ais("init", "--yes")

    with terminal("uninstall", columns=200) as screen:
        screen.until("[Y/n]:")
        screen.type("y")
        screen.until("[y/N]:")
        screen.type(answer)
        assert screen.end() == 0

    assert (tmp_path / "home").exists() is kept


def test_who_says_no_keeps_everything(tmp_path: Path, local: Path) -> None:
    ais("init", "--yes")

    with terminal("uninstall", columns=200) as screen:
        screen.until("[Y/n]:")
        screen.type("n")
        assert screen.end() == 0

    assert local.exists()
    assert (tmp_path / "home" / "installed.json").exists()
