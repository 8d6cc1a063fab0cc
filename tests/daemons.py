"""A daemon to test with: a process of its own, or one inside the test with a clock that is set."""

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from ai_smartness import Memory
from ai_smartness.entrypoints.daemon import client, inbox
from ai_smartness.entrypoints.daemon.main import Daemon
from ai_smartness.entrypoints.daemon.spawn import DaemonLock
from ai_smartness.settings.paths import HomePaths, make_private_folder
from ai_smartness.testing import SetClock

__all__ = ["Running", "asked", "here", "inside", "kept_ids", "record", "running", "started"]

PATIENCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Running:
    """A daemon's process, and whether it became the daemon."""

    process: "subprocess.Popen[bytes]"
    answers: bool

    def kill(self) -> None:
        """Kill it, and wait until it is gone."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE_SECONDS)


def environment() -> dict[str, str]:
    """Return the variables of the test without those of the memory, and without a model."""
    plain = {name: each for name, each in os.environ.items() if not name.startswith("AIS_")}
    return {**plain, "AIS_EMBEDDER_MODEL": "none"}


def starting(home: Path, *options: str) -> "tuple[subprocess.Popen[bytes], int]":
    """Start a daemon and return it with the pipe that says when it answers."""
    told, tell = os.pipe()
    command = [sys.executable, "-m", "ai_smartness", "daemon", "run", "--home", str(home)]
    process = subprocess.Popen(
        [*command, "--ready", str(tell), *options], pass_fds=(tell,), env=environment()
    )
    os.close(tell)
    return process, told


def started(home: Path, *options: str) -> Running:
    """Start a daemon and wait until it answers, or ends because there is one."""
    process, told = starting(home, *options)
    ready, _, _ = select.select([told], [], [], PATIENCE_SECONDS)
    answers = bool(ready and os.read(told, 1))
    os.close(told)
    if not answers:
        process.wait(PATIENCE_SECONDS)
    return Running(process, answers)


@contextmanager
def running(home: Path, *options: str) -> Iterator[Running]:
    """Have a daemon while inside."""
    daemon = started(home, *options)
    assert daemon.answers
    try:
        yield daemon
    finally:
        daemon.kill()


@contextmanager
def inside(home: Path, clock: SetClock, versions: "list[str]") -> Iterator[threading.Thread]:
    """Have a daemon in this process, which believes the last of the versions is installed."""
    where = HomePaths(str(home))
    for folder in (where.run, where.inbox, where.logs):
        make_private_folder(folder)
    lock = DaemonLock(where.lock)
    assert lock.try_acquire()
    daemon = Daemon(where, idle=timedelta(minutes=30), clock=clock, installed=lambda: versions[-1])
    ready = threading.Event()
    thread = threading.Thread(target=daemon.serve_until_done, args=(lock, ready.set))
    thread.start()
    assert ready.wait(PATIENCE_SECONDS)
    try:
        yield thread
    finally:
        daemon.stop()
        thread.join(PATIENCE_SECONDS)
        lock.release()


@contextmanager
def here(home: Path) -> Iterator[None]:
    """Have a daemon in this process while inside."""
    with inside(home, SetClock(), ["1"]):
        yield


def asked(home: Path, verb: str, **fields: object) -> "dict[str, object]":
    """Ask the daemon, with all the time there is."""
    where = HomePaths(str(home))
    return client.ask_daemon(where, verb, until=time.monotonic() + PATIENCE_SECONDS, **fields)


def record(project: Path, id_: str, text: str = "words", **other: object) -> "dict[str, object]":
    """Write a record as a hook does."""
    return {
        "v": 1,
        "id": id_,
        "session": "s1",
        "cwd": str(project),
        "at": "2026-03-02T12:00:00+00:00",
        "role": "user",
        "type": "USER_MESSAGE",
        "text": text,
        "source": "user",
        "payload": {},
        "client": "claude-code",
        "mark": None,
        **other,
    }


def captured(home: Path, *records: "dict[str, object]") -> None:
    """Put records into the inbox."""
    folder = HomePaths(str(home)).inbox
    make_private_folder(folder)
    for each in records:
        inbox.append_record(folder, each)


def kept_ids(home: Path, project: Path) -> list[str]:
    """Name the events of a project in the order they are stored."""
    with Memory.open(project=project, home=home) as memory:
        events = memory._store.events.after_seq(str(project.resolve()), 0, 100_000)  # noqa: SLF001
        return [event.id for event in events]
