import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

HEAVY = ("tomlkit", "tomllib", "numpy", "platformdirs", "ai_smartness.settings.schema")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Return an environment of its own: none of the settings of whoever runs the tests."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("AIS_")}
    source = str(Path(__file__).parents[2] / "src")
    return {**kept, "AIS_HOME": str(tmp_path / "home"), "PYTHONPATH": source}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    return root


@pytest.fixture
def ais(environ: dict[str, str], project: Path) -> Run:
    """Run `ais` as a process of its own, in the project's folder."""

    def run(*args: str, cwd: Path = project, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "ai_smartness", *args],
            cwd=cwd,
            env={**environ, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_without_arguments_the_next_steps_are_shown_and_where_help_is(ais: Run) -> None:
    bare, asked = ais(), ais("-h")

    assert bare.returncode == asked.returncode == 0
    assert "\nNext:\n  ais init " in bare.stdout
    assert "`ais --help` lists all." in bare.stdout
    assert "Show and change the settings." in asked.stdout


def test_help_imports_nothing_heavy(environ: dict[str, str]) -> None:
    code = (
        "import sys\n"
        "from ai_smartness.entrypoints.cli.main import ais\n"
        "ais(['--help'], standalone_mode=False)\n"
        f"sys.exit(' '.join(name for name in {HEAVY} if name in sys.modules))"
    )

    ran = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=False
    )

    assert ran.stderr.strip() == ""


def test_the_version_is_shown(ais: Run) -> None:
    ran = ais("--version")

    assert ran.returncode == 0
    assert ran.stdout.startswith("ais")


def test_a_mistyped_command_is_a_usage_error_with_a_suggestion(ais: Run) -> None:
    ran = ais("confg")

    assert ran.returncode == 2
    assert "Did you mean `config`?" in ran.stderr


def test_a_value_set_is_the_value_got_and_listed_with_its_file(ais: Run, tmp_path: Path) -> None:
    done = ais("config", "set", "embedder.model", "none")

    file = tmp_path / "home" / "config.toml"
    assert done.stdout == f"embedder.model = 'none' in {file}\n"
    assert ais("config", "get", "embedder.model").stdout == "none\n"
    assert f"{file}:2" in ais("config").stdout


def test_every_setting_is_listed_for_programs(ais: Run) -> None:
    ais("config", "set", "search.candidates", "50", "--project")

    listed = {
        each["key"]: each
        for each in json.loads(ais("config", "list", "--json", AIS_EMBEDDER_THREADS="3").stdout)
    }

    assert listed["embedder.threads"]["value"] == 3
    assert listed["embedder.threads"]["origin"]["layer"] == "environment"
    assert listed["search.candidates"]["origin"]["layer"] == "project"
    assert listed["decay.half_life_days"]["origin"]["layer"] == "default"


def test_without_a_subcommand_the_settings_are_listed_with_the_options_of_the_list(
    ais: Run,
) -> None:
    short, long = ais("config", "--json"), ais("config", "list", "--json")

    assert (short.returncode, short.stderr) == (0, "")
    assert json.loads(short.stdout) == json.loads(long.stdout)
    assert ais("config").stdout == ais("config", "list").stdout
    assert "Without a subcommand" in ais("config", "--help").stdout


def test_a_setting_is_explained(ais: Run) -> None:
    ran = ais("config", "show", "embedder.threads", AIS_EMBEDDER_THREADS="3")

    assert "value:        3 (AIS_EMBEDDER_THREADS)" in ran.stdout
    assert "default:      0" in ran.stdout
    assert "takes:        a whole number from 0 to 64" in ran.stdout
    assert json.loads(ais("config", "show", "embedder.threads", "--json").stdout)["doc"]


def test_the_project_is_found_from_a_folder_inside_it(ais: Run, project: Path) -> None:
    inside = project / "src" / "deep"
    inside.mkdir(parents=True)

    ais("config", "set", "search.candidates", "50", "--project", cwd=inside)

    assert (project / ".ai" / "config.toml").exists()
    assert ais("config", "get", "search.candidates", cwd=inside).stdout == "50\n"


def test_another_project_and_another_home_can_be_given(
    ais: Run, project: Path, tmp_path: Path
) -> None:
    home = tmp_path / "second"

    given = ais("--home", str(home), "--project", str(project), "config", "path", cwd=tmp_path)
    named = ais("--project", "by-name", "config", "path", "--json")

    assert given.stdout == (f"user\t{home}/config.toml\nproject\t{project}/.ai/config.toml\n")
    assert json.loads(named.stdout)["project"] is None


def test_unset_brings_the_default_back(ais: Run) -> None:
    ais("config", "set", "decay.half_life_days", "3")

    assert ais("config", "get", "decay.half_life_days").stdout == "3.0\n"
    assert ais("config", "unset", "decay.half_life_days").returncode == 0
    assert ais("config", "get", "decay.half_life_days").stdout == "14.0\n"


def test_setting_what_another_layer_overrides_says_so(ais: Run) -> None:
    ran = ais("config", "set", "embedder.threads", "4", AIS_EMBEDDER_THREADS="3")

    assert ran.returncode == 0
    assert "AIS_EMBEDDER_THREADS overrides this value" in ran.stderr


def test_a_project_that_says_too_much_is_warned_about_and_not_obeyed(
    ais: Run, project: Path
) -> None:
    (project / ".ai").mkdir()
    (project / ".ai" / "config.toml").write_text('embedder.model = "http://evil.example/v1#m"')

    ran = ais("config", "get", "embedder.model")

    assert ran.stdout == "arctic-embed-s\n"
    assert ran.stderr.startswith("warning: ")


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["config", "set", "embedder.threads", "99"], 1),
        (["config", "set", "decay.half_life_days", "-5"], 1),
        (["config", "set", "embedder.model", "none", "--project"], 1),
        (["config", "get", "embedder.modle"], 3),
        (["config", "show", "nothing"], 3),
        (["config", "unset", "embedder.model"], 3),
        (["config", "get"], 2),
    ],
)
def test_each_kind_of_error_has_its_exit_code(ais: Run, args: list[str], code: int) -> None:
    ran = ais(*args)

    assert ran.returncode == code
    assert "Traceback" not in ran.stderr
    assert code == 2 or ran.stderr.startswith("error: ")


def test_a_broken_file_can_be_found_and_mended(ais: Run, tmp_path: Path) -> None:
    file = tmp_path / "home" / "config.toml"
    file.parent.mkdir()
    file.write_text("[embedder]\nmodle = 1\n")

    assert ais("config").returncode == 1
    assert str(file) in ais("config", "path").stdout
    assert ais("config", "unset", "embedder.modle").returncode == 0
    assert ais("config").returncode == 0


@pytest.mark.parametrize("args", [["config"], ["config", "list", "--json"]])
def test_a_reader_that_went_away_is_no_error_to_speak_of(
    environ: dict[str, str], args: list[str]
) -> None:
    read, write = os.pipe()
    os.close(read)

    ran = subprocess.run(
        [sys.executable, "-m", "ai_smartness", *args],
        env=environ,
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)

    assert ran.stderr == b""


def test_an_interrupt_ends_the_command_with_130(environ: dict[str, str]) -> None:
    # More warnings than a pipe holds: the command is still writing when it is interrupted.
    mistyped = {f"AIS_DECAY_{'X' * 1000}{number}": "1" for number in range(200)}
    with subprocess.Popen(
        [sys.executable, "-m", "ai_smartness", "config"],
        env={**environ, **mistyped},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as command:
        assert command.stderr
        command.stderr.read(1)
        command.send_signal(signal.SIGINT)
        rest = command.stderr.read()

    assert command.returncode == 130
    assert b"Traceback" not in rest


def on_a_terminal(code: str, environ: dict[str, str]) -> str:
    """Run Python code with a terminal for stdout and stderr, and return what it drew."""
    ours, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, "-c", code],
        env={**environ, "TERM": "xterm", "COLUMNS": "80"},
        stdout=theirs,
        stderr=theirs,
        check=True,
    )
    os.close(theirs)
    drawn = os.read(ours, 65_536).decode()
    os.close(ours)
    return drawn


BAR = (
    "from ai_smartness.entrypoints.cli.output import progress_bar\n"
    "with progress_bar('embedding') as tell: tell(1, 2); tell(2, 2)"
)
TABLE = (
    "from ai_smartness.entrypoints.cli.output import print_table\n"
    "print_table(['name'], [['[bold]:smile: \\x1b[2J'], ['x' * 300]])"
)


def test_a_bar_is_drawn_on_a_terminal_and_nowhere_else(environ: dict[str, str]) -> None:
    piped = subprocess.run(
        [sys.executable, "-c", BAR], env=environ, capture_output=True, text=True, check=True
    )

    assert "embedding" in on_a_terminal(BAR, environ)
    assert piped.stdout == piped.stderr == ""


def test_stored_text_cannot_drive_the_terminal(environ: dict[str, str]) -> None:
    drawn = on_a_terminal(TABLE, environ)

    assert "[bold]:smile: \\x1b[2J" in drawn
    assert "\x1b[2J" not in drawn


def test_a_table_has_colours_only_on_a_terminal_that_wants_them(environ: dict[str, str]) -> None:
    plain = {**environ, "NO_COLOR": "1", "TERM": "dumb"}

    assert "\x1b[1m" in on_a_terminal(TABLE, environ)
    assert "\x1b[3" not in on_a_terminal(TABLE, plain)


def test_a_table_in_a_pipe_is_not_cut_off(environ: dict[str, str]) -> None:
    piped = subprocess.run(
        [sys.executable, "-c", TABLE], env=environ, capture_output=True, text=True, check=True
    )

    assert "x" * 300 in piped.stdout
    assert "\x1b" not in piped.stdout


def test_json_is_utf8_with_times_in_utc_whatever_the_locale(environ: dict[str, str]) -> None:
    at = datetime(2025, 1, 2, 5, 4, tzinfo=timezone(timedelta(hours=2)))
    code = (
        "import datetime, pathlib\n"
        "from ai_smartness.entrypoints.cli.output import print_json\n"
        f"at = datetime.datetime.fromisoformat('{at.isoformat()}')\n"
        "print_json({'at': at, 'word': 'é\\udc80', 'in': pathlib.Path('/x'), 'of': {2, 1}})"
    )

    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )

    assert "é".encode() in ran.stdout
    assert json.loads(ran.stdout) == {
        "at": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "word": "é\udc80",
        "in": "/x",
        "of": [1, 2],
    }
