"""`ais forget`: it shows what would go, asks, does it with or without a daemon, and proves it."""

import json
import os
import time
from pathlib import Path

import pytest

from ai_smartness.entrypoints.daemon.client import ask_daemon
from ai_smartness.entrypoints.daemon.spawn import stop_daemon
from ai_smartness.settings.paths import HomePaths
from builders import said
from command_line import ais, captured, standing_in_a_project, three_threads
from daemons import running


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = standing_in_a_project(tmp_path, monkeypatch)
    three_threads(root)
    captured(root, said("Rotate the zanzibar keys", id_="m9", session="s9"))
    return root


def holding(word: str) -> list[str]:
    home = Path(os.environ["AIS_HOME"])
    files = (path for path in home.rglob("*") if path.is_file())
    return [path.name for path in files if word.encode() in path.read_bytes().lower()]


def test_it_says_what_would_go_and_that_it_cannot_be_undone(project: Path) -> None:
    assert project

    done = ais("forget", "message", "m9", "--dry-run")

    assert done.exit_code == 0
    assert "This would forget 1 message" in done.output
    assert "Rotate the zanzibar keys" in done.output
    assert "cannot be undone" in done.output
    assert holding("zanzibar") == ["memory.db"]


def test_without_somebody_to_ask_it_changes_nothing(project: Path) -> None:
    assert project

    done = ais("forget", "message", "m9")

    assert done.exit_code == 1
    assert "give --yes" in done.output
    assert holding("zanzibar") == ["memory.db"]


@pytest.mark.parametrize(
    "chosen",
    [
        ["message", "m9"],
        ["session", "s9"],
        ["matching", "zanzibar", "keys"],
        ["matching", "ZANZIBAR", "--everywhere"],
        ["time", "--since", "2026-03-02", "--until", "2026-03-03"],
        ["project", "demo"],
    ],
)
def test_whatever_it_is_chosen_by_it_is_gone(project: Path, chosen: list[str]) -> None:
    assert project

    done = ais("forget", *chosen, "--yes")

    assert done.exit_code == 0
    assert "none was found" in done.output
    assert holding("zanzibar") == []


def test_a_thread_is_forgotten_by_its_id(project: Path) -> None:
    assert project
    thread = json.loads(ais("search", "zanzibar", "--json").output)[0]["thread_id"]

    done = ais("forget", "thread", thread, "--yes", "--json")

    told = json.loads(done.output)
    assert (told["messages"], told["threads"], told["left"]) == (1, 1, [])
    assert holding("zanzibar") == []


def test_a_word_that_is_left_somewhere_is_named_and_the_exit_code_says_so(project: Path) -> None:
    assert project
    left = Path(os.environ["AIS_HOME"]) / "note.txt"
    left.write_text("zanzibar")

    done = ais("forget", "message", "m9", "--yes")

    assert done.exit_code == 1
    assert f"{left}: zanzibar" in done.output


def test_what_is_not_there_is_said_so(project: Path) -> None:
    assert project

    assert ais("forget", "message", "nobody", "--yes").exit_code == 3
    assert ais("forget", "project", "nowhere", "--yes").exit_code == 3
    assert ais("forget", "time", "--yes").exit_code == 2
    nothing = ais("forget", "time", "--until", "1999-01-01", "--yes")
    assert "nothing to forget" in nothing.output


def test_a_daemon_that_runs_is_there_again_and_serves_nothing_stale(project: Path) -> None:
    home = os.environ["AIS_HOME"]
    where = HomePaths(home)
    with running(Path(home)) as daemon:
        page = _read(where, project)
        assert "zanzibar" in page

        done = ais("forget", "message", "m9", "--yes")

        assert done.exit_code == 0, done.output
        assert daemon.process.wait(30) == 0
        try:
            assert "zanzibar keys" not in _read(where, project).replace("recall/zanzibar", "")
            assert holding("rotate the zanzibar") == []
        finally:
            assert stop_daemon(where, 30)


def _read(where: HomePaths, project: Path) -> str:
    """Ask the daemon, once there is one."""
    until = time.monotonic() + 30
    while True:
        try:
            path = ".ai/recall/zanzibar"
            answer = ask_daemon(
                where,
                "read",
                until=until,
                cwd=str(project),
                path=path,
                session="s",
            )
            return str(answer["text"])
        except Exception:
            if time.monotonic() > until:
                raise
