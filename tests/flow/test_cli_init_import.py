"""`ais init` offers to bring in the sessions of before, and never fails because of them."""

from pathlib import Path

import pytest

from command_line import ais, standing_in_a_project
from terminal import terminal
from transcripts import CWD, answer, prompt, written


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    standing_in_a_project(tmp_path, monkeypatch)
    for moved in ("CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "CLAUDE_MEM_DATA_DIR"):
        monkeypatch.delenv(moved, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def a_session(home: Path) -> Path:
    return written(
        home / "claude" / "projects" / "-home-ann-shop" / "s.jsonl",
        [prompt("rotate the JWT keys"), answer("They are rotated.")],
    )


def is_known() -> bool:
    return "They are rotated." in ais("--project", CWD, "search", "JWT rotated").output


def test_where_nobody_can_be_asked_it_says_how_and_imports_nothing(home: Path) -> None:
    a_session(home)

    ran = ais("init", "--no-hooks")

    assert ran.exit_code == 0
    told = [line for line in ran.stdout.splitlines() if "`ais import`" in line]
    assert len(told) == 1
    assert "1 file of claude-code" in told[0]
    assert not is_known()


def test_it_brings_them_in_when_told_to(home: Path) -> None:
    a_session(home)

    ran = ais("init", "--no-hooks", "--import")

    assert ran.exit_code == 0, ran.output
    assert "2 added" in ran.stdout
    assert is_known()


def test_it_says_nothing_of_them_when_told_not_to(home: Path) -> None:
    a_session(home)

    ran = ais("init", "--no-hooks", "--no-import")

    assert ran.exit_code == 0
    assert "ais import" not in ran.stdout
    assert not is_known()


@pytest.mark.parametrize(("typed", "known"), [("", True), ("y", True), ("n", False)])
def test_in_a_terminal_it_asks(home: Path, typed: str, *, known: bool) -> None:
    a_session(home)

    with terminal("init", "--no-hooks", columns=200) as screen:
        screen.until("[Y/n]:")
        screen.type(typed)
        assert screen.end() == 0

    assert is_known() is known


def test_with_yes_it_asks_nothing_and_brings_them_in(home: Path) -> None:
    a_session(home)

    with terminal("init", "--no-hooks", "--yes", columns=200) as screen:
        assert screen.end() == 0

    assert is_known()


def test_without_sessions_of_before_there_is_no_word_of_them(home: Path) -> None:
    ran = ais("init", "--no-hooks", "--import")

    assert ran.exit_code == 0
    assert "import" not in ran.stdout
    assert (home / "home" / "memory.db").exists()


def test_what_cannot_be_read_does_not_stand_in_the_way(home: Path) -> None:
    path = a_session(home)
    path.write_bytes(b"\xff not a transcript\n")

    ran = ais("init", "--no-hooks", "--import")

    assert ran.exit_code == 0
    assert "Next:" in ran.stdout


def test_a_dry_run_imports_nothing(home: Path) -> None:
    a_session(home)

    assert ais("init", "--no-hooks", "--dry-run", "--import").exit_code == 0

    assert not (home / "home" / "memory.db").exists()
