"""Have a shell complete `ais`: the script that is printed, run by a real bash."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ai_smartness import Memory
from ai_smartness.entrypoints.cli.command_table import COMMANDS
from command_line import ais, standing_in_a_project, three_threads
from stating import RULE, TASK, state_things

# What bash does when TAB is pressed, as far as a script of ours takes part in it.
PRESSED = """
source <(ais completion bash)
compopt() { :; }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
$(complete -p "$1" | sed 's/.*-F \\([^ ]*\\) .*/\\1/') "$1"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return standing_in_a_project(tmp_path, monkeypatch)


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put `ais` and `ai` on the path, as an installation does."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("ais", "ai"):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ai_smartness "$@"\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def completed(*words: str) -> list[str]:
    """Return what bash offers for the last of the words."""
    done = subprocess.run(
        ["bash", "--norc", "-c", PRESSED, "bash", *words],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


def thread_ids() -> list[str]:
    return [each["id"] for each in json.loads(ais("threads", "--json").stdout)]


def test_every_command_is_offered() -> None:
    offered = completed("ais", "")

    assert set(offered) == set(COMMANDS)


def test_the_start_of_a_command_is_completed() -> None:
    assert completed("ais", "unf") == ["unfocus"]
    assert completed("ai", "unf") == ["unfocus"]


def test_a_subcommand_is_completed_also_where_none_means_the_list() -> None:
    assert {"merge", "split", "show", "list"} <= set(completed("ais", "threads", ""))
    assert completed("ais", "threads", "mer") == ["merge"]


def test_options_are_completed_also_those_of_the_list() -> None:
    assert completed("ais", "--ho") == ["--home"]
    assert completed("ais", "compact", "--st") == ["--strategy"]
    assert completed("ais", "threads", "--stat") == ["--status"]


def test_what_an_option_takes_is_completed() -> None:
    assert completed("ais", "compact", "--strategy", "") == ["gentle", "normal", "aggressive"]
    assert completed("ais", "threads", "--status", "act") == ["active"]


def test_ids_of_threads_are_completed(project: Path) -> None:
    three_threads(project)
    ids = thread_ids()

    assert completed("ais", "threads", "show", "") == ids
    assert completed("ais", "threads", "merge", ids[0], ids[1][:-2]) == [ids[1]]
    assert completed("ais", "rate", ids[2][:-1]) == [ids[2]]


def test_ids_and_kinds_of_statements_are_completed(project: Path) -> None:
    with Memory.open(project=project, home=os.environ["AIS_HOME"]) as memory:
        stated = state_things(memory)
    rule = stated[RULE].id

    assert set(completed("ais", "statements", "show", "")) == {one.id for one in stated.values()}
    assert completed("ais", "statements", "confirm", stated[TASK].id, rule[:-1]) == [rule]
    assert completed("ais", "statements", "correct", rule, "--kind", "err") == ["error_cure"]
    assert completed("ais", "statements", "--kind", "op") == ["open_task"]


def test_ids_are_those_of_the_memory_and_the_project_that_were_named(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_threads(project)
    ids = thread_ids()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AIS_HOME")
    named = ("--home", str(tmp_path / "home"), "--project", str(project))

    assert completed("ais", *named, "threads", "show", "thread_") == ids


def test_completing_makes_no_memory(tmp_path: Path) -> None:
    assert completed("ais", "threads", "show", "") == []
    assert not (tmp_path / "home").exists()


def test_a_memory_that_does_not_open_offers_nothing_and_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "memory.db").write_text("no memory, but long enough to be one" * 99)

    assert completed("ais", "threads", "show", "") == []


@pytest.mark.parametrize("words", [("nosuch", "--x"), ("threads", "no", "--x"), ("undo", "x", "")])
def test_where_there_is_nothing_to_say_nothing_is_said(words: tuple[str, ...]) -> None:
    assert completed("ais", *words) == []


def test_settings_and_models_are_completed() -> None:
    assert "embedder.model" in completed("ais", "config", "set", "embedder.")
    assert completed("ais", "model", "use", "arctic") == ["arctic-embed-s"]


def test_a_title_is_told_beside_the_id_in_shells_that_show_it(project: Path) -> None:
    three_threads(project)
    asked = {"_AIS_COMPLETE": "zsh_complete", "COMP_WORDS": "ais rate ", "COMP_CWORD": "2"}

    done = subprocess.run(
        ["ais"], env={**os.environ, **asked}, capture_output=True, text=True, check=True
    )

    lines = done.stdout.splitlines()
    assert lines[1::3] == thread_ids()
    titles = [each["title"] for each in json.loads(ais("threads", "--json").stdout)]
    assert lines[2::3] == titles


def test_no_command_is_imported_to_complete_its_name() -> None:
    asked = {"_AIS_COMPLETE": "bash_complete", "COMP_WORDS": "ais ", "COMP_CWORD": "1"}
    program = (
        "import sys\n"
        "from ai_smartness.entrypoints.cli.main import main\n"
        "try: main()\n"
        "finally: print([each for each in sys.modules if 'ai_smartness' in each], file=sys.stderr)"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "plain,undo" in done.stdout
    assert "cli.main" in done.stderr
    assert not any(name in done.stderr for name in ("cli.undo", "memory", "wiring", "settings"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_asks_ais_and_is_good_for_ai_too(shell: str) -> None:
    ran = ais("completion", shell)

    assert ran.exit_code == 0
    assert f"_AIS_COMPLETE={shell}_complete" in ran.stdout
    assert "_ais_completion" in ran.stdout.splitlines()[-1]
    assert " ai" in ran.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("shell", "said"),
    [
        ("/usr/bin/zsh", "~/.zshrc"),
        ("/bin/bash", "bash-completion/completions/ais"),
        ("/usr/bin/fish", "completions/ais.fish"),
    ],
)
def test_alone_it_says_how_to_install_it_for_the_shell_that_is_used(shell: str, said: str) -> None:
    ran = ais("completion", SHELL=shell)

    assert said in ran.stdout
    assert ran.stdout.count("run this once") == 1


def test_for_a_shell_that_is_unknown_it_says_all() -> None:
    assert ais("completion", SHELL="/bin/tcsh").stdout.count("run this once") == 3


def test_it_works_as_it_is_installed_for_bash(tmp_path: Path) -> None:
    install = ais("completion", SHELL="/bin/bash").stdout
    commands = "\n".join(line for line in install.splitlines() if line.startswith("  "))

    subprocess.run(
        ["bash", "-c", commands], env={**os.environ, "HOME": str(tmp_path / "me")}, check=True
    )

    script = tmp_path / "me" / ".local/share/bash-completion/completions/ais"
    assert "_ais_completion" in script.read_text()
