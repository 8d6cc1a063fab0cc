"""Whatever is typed or set, the command line answers and never breaks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from builders import said
from command_line import ais, captured, standing_in_a_project, three_threads


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


def as_process(*args: str | bytes, **env: str) -> subprocess.CompletedProcess[bytes]:
    source = str(Path(__file__).parents[2] / "src")
    return subprocess.run(
        [sys.executable, "-m", "ai_smartness", *args],
        env={**os.environ, "PYTHONPATH": source, **env},
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(
    "args",
    [
        ["search"],
        ["search", ""],
        ["search", "x", "--before", "yesterday"],
        ["search", "x", "--before", "0001-01-01T00:00+14:00"],
        ["search", "x", "--limit", "0"],
        ["threads", "--status", "lost"],
        ["threads", "shw"],
        ["threads", "show"],
        ["reindex", "--missing", "--keep-vectors"],
    ],
)
def test_wrong_arguments_are_usage_errors_that_make_nothing(
    tmp_path: Path, args: list[str]
) -> None:
    ran = ais(*args)

    assert ran.exit_code == 2
    assert "Error: " in ran.stderr
    assert not (tmp_path / "home").exists()


def test_a_wrong_time_is_answered_with_a_right_one() -> None:
    assert "2026-03-02T12:30" in ais("search", "x", "--before", "yesterday").stderr


@pytest.mark.parametrize(
    ("args", "right"),
    [
        (
            ["search", "x", "--project", "y"],
            "give --project before the command: ais --project y search …",
        ),
        (["search", "--project=y z", "x"], "ais --project 'y z' search …"),
        (["search", "x", "--project"], "ais --project NAME_OR_PATH search …"),
        (
            ["threads", "list", "--home", "/h"],
            "give --home before the command: ais --home /h threads …",
        ),
        (["threads", "--project", "y"], "ais --project y threads …"),
        (["config", "--home", "/h", "list"], "ais --home /h config …"),
    ],
)
def test_an_option_of_ais_behind_the_command_is_answered_with_where_it_belongs(
    args: list[str], right: str
) -> None:
    ran = ais(*args)

    assert ran.exit_code == 2
    assert right in ran.stderr


@pytest.mark.parametrize("option", ["--wyh", "--version"])
def test_an_option_that_belongs_nowhere_else_is_told_as_such(option: str) -> None:
    ran = ais("search", "x", option)

    assert ran.exit_code == 2
    assert option in ran.stderr
    assert "before the command" not in ran.stderr


def test_a_pipe_gets_whole_lines_without_colour(project: Path) -> None:
    three_threads(project)

    ran = as_process("threads")

    assert b"\x1b" not in ran.stdout
    assert "数据库连接池太小".encode() in ran.stdout.splitlines()[2]


def test_a_terminal_without_the_letters_gets_escapes(project: Path) -> None:
    three_threads(project)

    ran = as_process("threads", PYTHONIOENCODING="ascii")

    assert ran.returncode == 0
    assert b"Rechnung" in ran.stdout


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["search", b"a\xffb c"], 0),
        (["search", "x", "--session", b"a\xffb"], 0),
        (["threads", "show", b"a\xffb"], 3),
        (["--project", b"a\xffb", "status"], 3),
    ],
)
def test_bytes_that_are_no_text_are_no_traceback(args: list[str | bytes], code: int) -> None:
    ran = as_process(*args)

    assert ran.returncode == code
    assert b"Traceback" not in ran.stderr


def test_a_folder_whose_name_is_no_text_is_a_project_like_any_other(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = Path(os.fsdecode(os.fsencode(project) + b"-\xff"))
    odd.mkdir()
    captured(odd, said("in the odd folder"))
    monkeypatch.chdir(odd)

    assert "dd folder" in ais("threads").stdout


@pytest.mark.parametrize("args", [["status"], ["threads"], ["search", "x"], ["reindex"], ["init"]])
def test_a_home_that_is_a_file_is_an_error_with_a_way_out(tmp_path: Path, args: list[str]) -> None:
    (tmp_path / "file").touch()

    ran = ais(*args, AIS_HOME=str(tmp_path / "file"))

    assert ran.exit_code == 1
    assert "--home" in ran.stderr


@pytest.mark.parametrize("args", [["status"], ["threads"], ["search", "x"], ["model"], ["init"]])
def test_broken_settings_are_an_error_that_names_the_file(tmp_path: Path, args: list[str]) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text("[embedder\n")

    ran = ais(*args)

    assert ran.exit_code == 1
    assert "config.toml is not a TOML file" in ran.stderr
