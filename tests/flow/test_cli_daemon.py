"""`ais daemon` on the command line."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import ais, standing_in_a_project
from daemons import captured, environment, record


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    standing_in_a_project(tmp_path, monkeypatch)
    return tmp_path / "home"


def program(home: Path, *args: str) -> "subprocess.CompletedProcess[str]":
    """Run `ais` as a program: what it starts is to outlive it."""
    command = [sys.executable, "-m", "ai_smartness", "--home", str(home), *args]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment(), timeout=120
    )


def test_it_is_started_inspected_restarted_and_stopped(home: Path) -> None:
    assert program(home, "daemon", "start").stdout == "The daemon is started.\n"
    try:
        assert program(home, "daemon", "start").stdout == "The daemon is already running.\n"
        first = json.loads(program(home, "daemon", "status", "--json").stdout)

        again = program(home, "daemon", "restart", "--json")
        second = json.loads(program(home, "daemon", "status", "--json").stdout)

        assert json.loads(again.stdout) == {"running": True, "started": True}
        assert first["running"] is second["running"] is True
        assert first["pid"] != second["pid"]
        assert "The daemon is running: version" in program(home, "daemon", "status").stdout
        assert "started: version" in program(home, "daemon", "logs").stdout
    finally:
        stopped = program(home, "daemon", "stop")

    assert stopped.stdout == "The daemon is stopped.\n"
    assert json.loads(program(home, "daemon", "status", "--json").stdout)["running"] is False
    assert "ending: asked to" in program(home, "daemon", "logs", "--limit", "2").stdout


def test_without_one_it_says_what_waits(home: Path, tmp_path: Path) -> None:
    captured(home, record(tmp_path, "r1"))

    shown = ais("daemon", "status")

    assert shown.exit_code == 0
    assert "No daemon is running" in shown.output
    assert "Waiting in the inbox: 1" in shown.output


def test_stopping_none_is_no_error(home: Path) -> None:
    assert home
    shown = ais("daemon", "stop", "--json")

    assert json.loads(shown.output) == {"running": False, "stopped": False}


def test_there_is_no_log_before_it_has_run(home: Path) -> None:
    assert home
    shown = ais("daemon", "logs")

    assert shown.exit_code == 3
    assert "ais daemon start" in shown.output


def test_what_it_is_run_with_is_not_offered(home: Path) -> None:
    assert home
    shown = ais("daemon", "--help")

    for command in ("status", "start", "stop", "restart", "logs"):
        assert command in shown.output
    assert "  run " not in shown.output


def test_one_that_hangs_is_killed_and_its_events_wait(home: Path, tmp_path: Path) -> None:
    program(home, "daemon", "start")
    process = json.loads(program(home, "daemon", "status", "--json").stdout)["pid"]
    os.kill(process, signal.SIGSTOP)
    captured(home, record(tmp_path, "r1"))

    stopped = program(home, "daemon", "stop")

    assert stopped.stdout == "The daemon is stopped.\n", stopped.stderr
    shown = program(home, "daemon", "status").stdout
    assert "No daemon is running" in shown
    assert "Waiting in the inbox: 1" in shown
