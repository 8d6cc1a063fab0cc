import json
import os
from pathlib import Path

import pytest
from click.testing import Result

from ai_smartness.entrypoints.cli.cli_context import CliContext
from ai_smartness.entrypoints.cli.import_ import ImportableFiles, importable_files
from command_line import ais, standing_in_a_project
from transcripts import CWD, answer, prompt, written


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    standing_in_a_project(tmp_path, monkeypatch)
    for moved in ("CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "CLAUDE_MEM_DATA_DIR"):
        monkeypatch.delenv(moved, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def a_session(home: Path) -> Path:
    return written(
        home / "claude" / "projects" / "-home-ann-shop" / "s.jsonl",
        [prompt("rotate the JWT keys"), answer("They are rotated."), {"type": "hologram"}],
    )


def imported(*args: str) -> Result:
    return ais("import", *args)


def test_it_finds_what_there_is_and_says_what_came_of_it(home: Path) -> None:
    a_session(home)

    done = imported()

    assert done.exit_code == 0, done.output
    assert "1 file (1 claude-code)" in done.output
    assert "2 added, 0 known already" in done.output
    assert "1 hologram" in done.output
    assert CWD in done.output
    assert "They are rotated." in ais("--project", CWD, "search", "JWT rotated").output


def test_without_anything_to_import_it_says_so(home: Path) -> None:
    assert home.is_dir()

    done = imported()

    assert done.exit_code == 0
    assert "nothing to import" in done.output


def test_again_it_says_that_nothing_has_changed(home: Path) -> None:
    a_session(home)
    imported()

    assert "1 unchanged since last time" in imported().output


def test_a_dry_run_stores_nothing(home: Path) -> None:
    a_session(home)

    done = imported("--dry-run")

    assert "dry run: nothing was stored." in done.output
    assert "2 would be added" in done.output
    assert "2 added" in imported().output


def test_it_speaks_json(home: Path) -> None:
    a_session(home)

    said = json.loads(imported("--json").stdout)

    assert said["added"] == 2
    assert said["projects"][CWD] == {"added": 2, "known": 0, "sessions": 1}
    assert said["skipped"] == {"hologram": 1}


def test_a_warning_does_not_stand_in_the_way_of_the_rest(home: Path) -> None:
    path = a_session(home)
    with path.open("ab") as file:
        file.write(b"broken\n")

    done = imported()

    assert done.exit_code == 0
    assert "2 added" in done.output
    assert "s.jsonl: a line that is not a JSON object" in done.output


def test_if_nothing_could_be_read_it_fails(home: Path) -> None:
    assert home.is_dir()

    done = imported("/nowhere/at/all")

    assert done.exit_code == 1
    assert "there is no such file or folder" in done.output


def test_notes_of_the_project_and_of_the_user_are_found(home: Path) -> None:
    (home / "claude" / "projects").mkdir(parents=True)
    (home / "claude" / "CLAUDE.md").write_text("# Me\nI always write British English.\n")
    Path("CLAUDE.md").write_text("# Shop\nThe shop is written in Go.\n")

    said = json.loads(imported("--json").stdout)

    assert {name: each["added"] for name, each in said["projects"].items()} == {
        "*": 1,
        os.getcwd(): 1,  # noqa: PTH109 - as the project is named
    }


def test_everything_can_be_put_into_one_project(home: Path) -> None:
    a_session(home)

    said = json.loads(imported("--json", "--project", "old things").stdout)

    assert list(said["projects"]) == ["old things"]


def test_what_there_is_to_import_is_told_without_reading_it(home: Path) -> None:
    path = a_session(home)

    assert importable_files(CliContext()) == [
        ImportableFiles("claude-code", 1, path.stat().st_size)
    ]
