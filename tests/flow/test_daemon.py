"""The daemon's life: one of it, on demand, and gone when nobody needs it."""

import gc
import logging
import os
import select
import signal
import stat
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from ai_smartness.entrypoints.daemon.active_requests import ActiveRequests
from ai_smartness.entrypoints.daemon.client import NoAnswerError, NoDaemonError
from ai_smartness.entrypoints.daemon.main import PRODUCT_THREADS, Daemon, log_to_file
from ai_smartness.entrypoints.daemon.spawn import DaemonLock
from ai_smartness.settings.paths import HomePaths, make_private_folder
from ai_smartness.testing import SetClock
from daemons import (
    PATIENCE_SECONDS,
    asked,
    captured,
    inside,
    kept_ids,
    record,
    running,
    started,
    starting,
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AIS_EMBEDDER_MODEL", "none")
    monkeypatch.delenv("AIS_HOME", raising=False)
    return tmp_path / "home"


def test_of_twenty_that_start_at_once_one_lives(home: Path) -> None:
    begun = [starting(home) for _ in range(20)]
    said = []
    for process, told in begun:
        select.select([told], [], [], PATIENCE_SECONDS)
        said.append(os.read(told, 1))
        os.close(told)
        if not said[-1]:
            assert process.wait(PATIENCE_SECONDS) == 0

    pid = asked(home, "ping")["pid"]
    alive = [process for process, _ in begun if process.poll() is None]

    assert sorted(said) == [b""] * 19 + [b"1"]
    assert [process.pid for process in alive] == [pid]
    alive[0].kill()
    alive[0].wait()


def test_a_second_one_ends_without_a_word(home: Path) -> None:
    with running(home):
        second = started(home)

        assert not second.answers
        assert second.process.wait(PATIENCE_SECONDS) == 0
        assert asked(home, "ping")["ok"] is True


def test_a_socket_that_a_dead_one_left_is_replaced(home: Path) -> None:
    started(home).kill()
    assert Path(HomePaths(str(home)).socket).exists()
    with pytest.raises(NoDaemonError):
        asked(home, "ping")

    with running(home):
        assert asked(home, "ping")["ok"] is True


def test_killed_between_two_requests_the_next_one_answers(home: Path, tmp_path: Path) -> None:
    with running(home):
        first = asked(home, "greet", cwd=str(tmp_path), session="s1", source="startup")
    with running(home):
        second = asked(home, "greet", cwd=str(tmp_path), session="s2", source="startup")

    assert first["text"] == second["text"] != ""


def test_it_stops_when_it_is_asked_and_leaves_no_socket(home: Path) -> None:
    daemon = started(home)

    asked(home, "stop")

    assert daemon.process.wait(PATIENCE_SECONDS) == 0
    where = HomePaths(str(home))
    assert not Path(where.socket).exists()
    assert not Path(where.process_file).exists()
    assert DaemonLock(where.lock).try_acquire()


def test_it_stops_when_the_system_asks(home: Path) -> None:
    daemon = started(home)

    daemon.process.send_signal(signal.SIGTERM)

    assert daemon.process.wait(PATIENCE_SECONDS) == 0


def test_it_ends_by_itself_when_it_is_idle(home: Path) -> None:
    daemon = started(home, "--idle-minutes", "0.01")

    assert daemon.process.wait(PATIENCE_SECONDS) == 0
    assert "nobody has asked" in (home / "logs" / "daemon.log").read_text()


def test_thirty_minutes_without_a_request_are_idle(home: Path, tmp_path: Path) -> None:
    clock = SetClock()
    with inside(home, clock, ["1"]) as daemon:
        for _ in range(3):
            clock.advance(minutes=29)
            asked(home, "inject", cwd=str(tmp_path), text="where are the keys?")
        assert daemon.is_alive()

        clock.advance(minutes=31)
        daemon.join(PATIENCE_SECONDS)

        assert not daemon.is_alive()


def test_a_clock_that_is_set_back_neither_ends_it_nor_keeps_it(home: Path) -> None:
    clock = SetClock()
    where = HomePaths(str(home))
    make_private_folder(where.run)
    lock = DaemonLock(where.lock)
    lock.try_acquire()
    daemon = Daemon(where, idle=timedelta(minutes=30), clock=clock, installed=lambda: "1")

    clock.advance(days=-3)
    after = daemon.is_wanted(lock)
    clock.advance(minutes=31)

    assert after
    assert not daemon.is_wanted(lock)
    lock.release()


def test_it_ends_when_another_version_is_installed(home: Path, tmp_path: Path) -> None:
    versions = ["1"]
    captured(home, record(tmp_path, "r1"))
    with inside(home, SetClock(), versions) as daemon:
        assert asked(home, "ping")["version"] == "1"
        asked(home, "drain", seconds=30)

        versions.append("2")
        daemon.join(PATIENCE_SECONDS)

        assert not daemon.is_alive()
        with pytest.raises(NoDaemonError):
            asked(home, "ping")
    assert kept_ids(home, tmp_path) == ["r1"]


def test_the_log_is_kept_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", True)
    handler = log_to_file(tmp_path / "daemon.log", max_bytes=2_000)
    try:
        with caplog.at_level(logging.INFO, "ai_smartness"):
            for number in range(500):
                logging.getLogger("ai_smartness").info("line %d", number)
    finally:
        logging.getLogger("ai_smartness").removeHandler(handler)
        logging.getLogger("ai_smartness").setLevel(logging.NOTSET)
        handler.close()

    files = sorted(tmp_path.glob("daemon.log*"))
    assert len(files) == 4
    assert all(file.stat().st_size <= 2_000 for file in files)
    assert "line 499" in files[0].read_text()


def test_a_request_of_another_version_is_refused_and_harms_nothing(home: Path) -> None:
    with running(home):
        with pytest.raises(NoAnswerError, match="version 1"):
            asked(home, "ping", v=2)

        assert asked(home, "ping")["ok"] is True


def test_everything_it_makes_is_its_owners_alone(home: Path, tmp_path: Path) -> None:
    captured(home, record(tmp_path, "r1"), {"no": "record"})
    with running(home):
        asked(home, "drain", seconds=30)
        asked(home, "read", cwd=str(tmp_path), path=".ai/recall/words")

        socket = Path(HomePaths(str(home)).socket)
        modes = {
            str(path): oct(stat.S_IMODE(path.stat().st_mode))
            for path in [home, *home.rglob("*"), socket, socket.parent]
        }

    wrong = {
        path: mode
        for path, mode in modes.items()
        if mode != ("0o700" if Path(path).is_dir() else "0o600")
    }
    assert wrong == {}
    assert any("bad-" in path for path in modes)


def test_one_whose_lock_is_taken_away_ends(home: Path) -> None:
    daemon = started(home)

    Path(HomePaths(str(home)).lock).unlink()

    assert daemon.process.wait(PATIENCE_SECONDS) == 0


def test_numpy_multiplies_with_one_thread_in_the_daemon() -> None:
    code = (
        "import os, sys\n"
        "from ai_smartness.entrypoints.daemon.main import use_one_product_thread\n"
        "assert 'numpy' not in sys.modules\n"
        "use_one_product_thread()\n"
        "import numpy\n"
        "numpy.ones((500, 500)) @ numpy.ones((500, 500))\n"
        "print(len(os.listdir('/proc/self/task')))\n"
    )
    unset = {key: value for key, value in os.environ.items() if key != PRODUCT_THREADS}

    ran = subprocess.run([sys.executable, "-c", code], env=unset, capture_output=True, check=True)

    assert ran.stdout == b"1\n"


def test_garbage_is_collected_between_requests_and_not_meanwhile() -> None:
    answering = ActiveRequests(on_busy=gc.disable, on_idle=gc.enable)

    with answering.track_request():
        with answering.track_request():
            pass
        meanwhile = gc.isenabled()

    assert (meanwhile, gc.isenabled()) == (False, True)
