"""The daemon from its start to its end: alone, patient, and gone when nobody needs it."""

import json
import logging
import logging.handlers
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NoReturn

from ai_smartness.entrypoints.daemon.jobs import ActiveRequests, BackgroundJobs
from ai_smartness.entrypoints.daemon.memory_pool import MemoryPool
from ai_smartness.entrypoints.daemon.protocol import PROTOCOL_VERSION
from ai_smartness.entrypoints.daemon.requests import DaemonRequests
from ai_smartness.entrypoints.daemon.server import DaemonServer
from ai_smartness.entrypoints.daemon.spawn import DaemonLock
from ai_smartness.ports import Clock
from ai_smartness.settings.paths import HomePaths
from ai_smartness.wiring import SystemClock

__all__ = ["Daemon", "installed_version", "log_to_file", "run_daemon"]

_LOG = logging.getLogger(__name__)

WATCH_SECONDS = 1.0
"""How often it asks itself whether it is still wanted."""

FINISH_SECONDS = 10.0
"""For what is under way when it ends; the inbox keeps what is not finished by then."""

MAX_LOG_BYTES = 1_000_000
MAX_OLD_LOGS = 3


class Daemon:
    """One daemon: its memories, its jobs, its socket."""

    def __init__(
        self,
        where: HomePaths,
        *,
        idle: timedelta,
        clock: Clock | None = None,
        installed: Callable[[], str] | None = None,
    ) -> None:
        self._paths = where
        self._idle = idle
        self._now = (clock or SystemClock()).now
        self._installed = installed or installed_version
        self._version = self._installed()
        self._end = threading.Event()
        self._check_now = threading.Event()
        traffic = ActiveRequests()
        self._memories = MemoryPool(where.home)
        self._jobs = BackgroundJobs(where.inbox, self._memories, traffic, self._now)
        self._requests = DaemonRequests(
            memories=self._memories,
            jobs=self._jobs,
            traffic=traffic,
            folder=where.inbox,
            version=self._version,
            now=self._now,
            stop=self.stop,
        )
        self._server = DaemonServer(where.socket, self._requests, self._check_now.set)
        self._end_reason = "asked to"

    def serve_until_done(self, lock: DaemonLock, ready: Callable[[], None] = lambda: None) -> None:
        """Answer and work until it is stopped, idle, or another version is installed."""
        self._server.start()
        self._jobs.start()
        self._write_process_file()
        _LOG.info("started: version %s, process %d", self._version, os.getpid())
        ready()
        while not self._end.is_set() and self.is_wanted(lock):
            self._check_now.wait(WATCH_SECONDS)
            self._check_now.clear()
        self._shut_down()

    def stop(self) -> None:
        """End soon."""
        self._end.set()
        self._check_now.set()

    def is_wanted(self, lock: DaemonLock) -> bool:
        """Say whether there is a reason to go on."""
        if not lock.is_ours():
            self._end_reason = "its lock was taken away"
        elif self._installed() != self._version:
            self._end_reason = f"version {self._installed()} is installed"
        elif self._is_idle():
            self._end_reason = "nobody has asked for anything"
        else:
            return True
        return False

    def _is_idle(self) -> bool:
        now, latest = self._now(), max(self._requests.last_request_at, self._jobs.last_worked)
        if latest > now:
            # The clock was set back: count from here.
            self._requests.last_request_at = self._jobs.last_worked = latest = now
        return now - latest >= self._idle

    def _shut_down(self) -> None:
        _LOG.info("ending: %s", self._end_reason)
        self._server.close(FINISH_SECONDS)
        if self._jobs.stop(FINISH_SECONDS):
            self._memories.close()
        with suppress(OSError):
            Path(self._paths.process_file).unlink()
        _LOG.info("ended")

    def _write_process_file(self) -> None:
        about = {
            "pid": os.getpid(),
            "version": self._version,
            "protocol": PROTOCOL_VERSION,
            "since": self._now().isoformat(),
        }
        handle = os.open(self._paths.process_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump(about, file)


def run_daemon(
    where: HomePaths,
    lock: DaemonLock,
    *,
    idle: timedelta,
    ready: int | None = None,
) -> NoReturn:
    """Be the daemon of a home, whose lock is ours, to the end of the process."""
    log_to_file(Path(where.logs) / "daemon.log")
    daemon = Daemon(where, idle=idle)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: daemon.stop())
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    daemon.serve_until_done(lock, lambda: _signal_ready(ready))
    logging.shutdown()
    # At once: a thread in the middle of a long embedding is not waited for, and loses nothing.
    os._exit(0)


def installed_version() -> str:
    """Tell the version that is installed now, which may not be the one that runs."""
    try:
        return version("ai-smartness")
    except PackageNotFoundError:
        return "0"


def _signal_ready(ready: int | None) -> None:
    if ready is not None:
        with suppress(OSError):
            os.write(ready, b"1")
            os.close(ready)


def log_to_file(path: Path, longest_bytes: int = MAX_LOG_BYTES) -> logging.Handler:
    """Write what happens to a file, and begin a new one when it is long; few are kept."""
    handler = logging.handlers.RotatingFileHandler(
        path,
        maxBytes=longest_bytes,
        backupCount=MAX_OLD_LOGS,
        encoding="utf-8",
        errors="backslashreplace",
    )
    form = logging.Formatter("%(asctime)sZ %(levelname)s %(name)s: %(message)s")
    form.converter = time.gmtime
    handler.setFormatter(form)
    # A full disk must not end what it cannot write about.
    logging.raiseExceptions = False
    ours = logging.getLogger("ai_smartness")
    ours.addHandler(handler)
    ours.setLevel(logging.INFO)
    return handler
