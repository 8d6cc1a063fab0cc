"""The daemon process: it serves requests and works in the background until nobody needs it."""

import json
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ai_smartness.entrypoints.daemon.client import PROTOCOL_VERSION
from ai_smartness.entrypoints.daemon.spawn import DaemonLock, allow_spawn
from ai_smartness.settings.paths import HomePaths, make_private_folder

if TYPE_CHECKING:
    from ai_smartness.ports import Clock

__all__ = [
    "IDLE_MINUTES",
    "Daemon",
    "become_daemon",
    "installed_version",
    "log_to_file",
    "use_one_product_thread",
]

_LOG = logging.getLogger(__name__)

IDLE_MINUTES = 30.0  # without a request or a record: a pause, not the end of the day
WATCH_SECONDS = 1.0  # how often the daemon checks whether it is still wanted
FINISH_SECONDS = 10.0
"""For unfinished work when it ends; the inbox keeps what is not stored by then."""

ENDING_SECONDS = 5.0  # for a daemon that was asked to stop to give its lock to the next one

PRODUCT_THREADS = "OPENBLAS_NUM_THREADS"
"""How many threads numpy multiplies with. They go on turning for a while after each product, and
took more than a third of the processor time of a prompt."""

SWITCH_SECONDS = 0.0005
"""How long a thread keeps the interpreter if another waits for it. A prompt gives it up for each of
its many queries, and with the usual 5 ms it would wait that long each time for a background job."""

MAX_LOG_BYTES = 1_000_000
MAX_OLD_LOGS = 3


def become_daemon(
    home: str, *, idle_minutes: float = IDLE_MINUTES, ready: int | None = None
) -> None:
    """Run as the daemon until it ends, or return at once if there is one.

    `ready` is the number of an open pipe that is written to when the daemon answers. Nothing
    large is loaded before the lock is ours: twenty may be started at once.
    """
    os.umask(0o077)
    # As the hooks name it, symbolic links and all.
    paths = HomePaths(os.path.abspath(home))
    for folder in (paths.home, paths.run, paths.inbox, paths.logs):
        make_private_folder(folder)
    lock = DaemonLock(paths.lock)
    use_one_product_thread()
    if _acquire_from_ending(lock, paths.socket):
        os.chdir("/")
        _run_to_the_end(paths, lock, timedelta(minutes=idle_minutes), ready)


def use_one_product_thread() -> None:
    """Have numpy multiply with one thread, unless the user says otherwise; call it before numpy."""
    os.environ.setdefault(PRODUCT_THREADS, "1")


def _acquire_from_ending(lock: DaemonLock, address: str) -> bool:
    """Take the lock; wait a little for a daemon that holds it but listens no more."""
    deadline = time.monotonic() + ENDING_SECONDS
    while not lock.try_acquire():
        if _is_answered(address) or time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _is_answered(address: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(1)
        return connection.connect_ex(address) == 0


class Daemon:
    """One daemon: its memories, its jobs, its socket."""

    def __init__(
        self,
        paths: HomePaths,
        *,
        idle: timedelta,
        clock: "Clock | None" = None,
        installed: Callable[[], str] | None = None,
    ) -> None:
        from ai_smartness.entrypoints.daemon.active_requests import ActiveRequests
        from ai_smartness.entrypoints.daemon.jobs import BackgroundJobs
        from ai_smartness.entrypoints.daemon.memory_pool import MemoryPool
        from ai_smartness.entrypoints.daemon.requests import DaemonRequests
        from ai_smartness.entrypoints.daemon.server import DaemonServer

        self._paths = paths
        self._idle = idle
        self._now = clock or partial(datetime.now, UTC)
        self._installed = installed or installed_version
        self._version = self._installed()
        self._end = threading.Event()
        self._check_now = threading.Event()
        active_requests = ActiveRequests()
        self._memories = MemoryPool(paths.home)
        self._jobs = BackgroundJobs(paths.inbox, self._memories, active_requests, self._now)
        self._requests = DaemonRequests(
            memories=self._memories,
            jobs=self._jobs,
            active_requests=active_requests,
            folder=paths.inbox,
            version=self._version,
            now=self._now,
            stop=self.stop,
        )
        self._server = DaemonServer(paths.socket, self._requests, self._check_now.set)
        self._end_reason = "asked to"

    def serve_until_done(
        self, lock: DaemonLock, on_ready: Callable[[], None] = lambda: None
    ) -> None:
        """Serve until it is stopped, idle, unlocked, or another version is installed."""
        from ai_smartness.memory.recall import import_for_prompts

        # The first prompt would otherwise wait for it; until then hooks search themselves.
        import_for_prompts()
        self._server.start()
        self._memories.start_loading_model()
        self._jobs.start()
        self._write_process_file()
        _LOG.info("started: version %s, process %d", self._version, os.getpid())
        on_ready()
        while not self._end.is_set() and self.is_wanted(lock):
            self._check_now.wait(WATCH_SECONDS)
            self._check_now.clear()
        self._shut_down()

    def stop(self) -> None:
        """Make the daemon end soon."""
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
        with suppress(OSError):
            allow_spawn(self._paths)
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


def _run_to_the_end(
    paths: HomePaths, lock: DaemonLock, idle: timedelta, ready: int | None
) -> NoReturn:
    log_to_file(Path(paths.logs) / "daemon.log")
    sys.setswitchinterval(SWITCH_SECONDS)
    daemon = Daemon(paths, idle=idle)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: daemon.stop())
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    daemon.serve_until_done(lock, lambda: _signal_ready(ready))
    logging.shutdown()
    # At once: a thread in the middle of embedding would take long, and loses nothing.
    os._exit(0)


def installed_version() -> str:
    """Return the version that is installed now, which may not be the one that runs."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("ai-smartness")
    except PackageNotFoundError:
        return "0"


def _signal_ready(ready: int | None) -> None:
    if ready is not None:
        with suppress(OSError):
            os.write(ready, b"1")
            os.close(ready)


def log_to_file(path: Path, max_bytes: int = MAX_LOG_BYTES) -> logging.Handler:
    """Log to a file that is rotated when it is full."""
    from logging.handlers import RotatingFileHandler

    handler = RotatingFileHandler(
        path,
        maxBytes=max_bytes,
        backupCount=MAX_OLD_LOGS,
        encoding="utf-8",
        errors="backslashreplace",
    )
    formatter = logging.Formatter("%(asctime)sZ %(levelname)s %(name)s: %(message)s")
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    # A full disk must not end the daemon.
    logging.raiseExceptions = False
    logger = logging.getLogger("ai_smartness")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    return handler
