"""Killed again and again: every event is in the store exactly once."""

import subprocess
import sys
from pathlib import Path

import pytest

from ai_smartness.settings.paths import HomePaths, make_private_folder
from daemons import PATIENCE_SECONDS, asked, captured, environment, kept_ids, record, started

WRITERS = 8
EVENTS = 200
KILLS = 6
ROUNDS = 60


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AIS_EMBEDDER_MODEL", "none")
    monkeypatch.delenv("AIS_HOME", raising=False)
    return tmp_path / "home"


def writers(home: Path, project: Path) -> "list[subprocess.Popen[bytes]]":
    folder = HomePaths(str(home)).inbox
    make_private_folder(folder)
    program = Path(__file__).parents[1] / "inbox_writer.py"
    return [
        subprocess.Popen(
            [sys.executable, str(program), folder, str(project), f"w{n}", str(EVENTS)],
            env=environment(),
        )
        for n in range(WRITERS)
    ]


def drained(home: Path) -> None:
    daemon = started(home)
    for _ in range(ROUNDS):
        if asked(home, "drain", seconds=30)["left"] == 0:
            break
    asked(home, "stop")
    assert daemon.process.wait(PATIENCE_SECONDS) == 0


def test_killed_while_it_drains_it_goes_on_where_it_was(home: Path, tmp_path: Path) -> None:
    wanted = [f"r{n}" for n in range(120)]
    captured(home, *(record(tmp_path, id_, f"event {id_}") for id_ in wanted))
    for _ in range(3):
        daemon = started(home)
        asked(home, "drain", seconds=0.1)
        daemon.kill()

    drained(home)

    assert kept_ids(home, tmp_path) == wanted


def test_eight_sessions_write_while_it_is_killed_and_nothing_is_lost_or_doubled(
    home: Path, tmp_path: Path
) -> None:
    writing = writers(home, tmp_path)
    kills = 0
    while kills < KILLS or any(each.poll() is None for each in writing):
        daemon = started(home)
        asked(home, "drain", seconds=0.1 + 0.1 * (kills % 5))
        daemon.kill()
        kills += 1
    assert [each.wait(PATIENCE_SECONDS) for each in writing] == [0] * WRITERS

    drained(home)

    kept = kept_ids(home, tmp_path)
    assert len(kept) == WRITERS * EVENTS
    for writer in range(WRITERS):
        own = [id_ for id_ in kept if id_.startswith(f"w{writer}-")]
        assert own == [f"w{writer}-{number}" for number in range(EVENTS)]
    assert list((home / "inbox").glob("bad-*")) == []
