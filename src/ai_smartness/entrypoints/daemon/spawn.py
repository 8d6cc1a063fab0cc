"""Start a daemon and wait until it answers; end one and wait until it is gone.

For people and programs that have the time; a hook starts one and does not wait.

One daemon for each home, by a lock that the system takes back when its holder dies.

Become the daemon of a home, unless there is one.

Nothing large is loaded before that is decided: twenty may be started at once.
"""

import fcntl
import os
import select
import socket
import subprocess
import sys
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import IO

from ai_smartness.entrypoints.daemon.client import HOOK_RUNNING_VARIABLE
from ai_smartness.entrypoints.daemon.protocol import request_line
from ai_smartness.settings.paths import HomePaths, make_private_folder

__all__ = ["IDLE_MINUTES", "DaemonLock", "become_daemon", "start_and_wait", "stop_daemon"]


def start_and_wait(where: HomePaths, seconds: float, *options: str) -> bool:
    """Start a daemon, unless one runs; say whether ours answers, in the time there is."""
    for folder in (where.home, where.run, where.logs):
        make_private_folder(folder)
    told, tell = os.pipe()
    command = [sys.executable, "-P", "-m", "ai_smartness", "daemon", "run", "--home", where.home]
    try:
        with _open_private(Path(where.logs) / "daemon.err") as errors:
            subprocess.Popen(  # noqa: S603 - our own program
                [*command, "--ready", str(tell), *options],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
                pass_fds=(tell,),
                env={**os.environ, HOOK_RUNNING_VARIABLE: "1"},
            )
        os.close(tell)
        # It writes when it answers; if it ends without, the pipe ends too.
        ready, _, _ = select.select([told], [], [], seconds)
        return bool(ready and os.read(told, 1))
    finally:
        os.close(told)


def _open_private(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def stop_daemon(where: HomePaths, seconds: float) -> bool:
    """Ask the daemon to end and wait for it; say whether none runs any more."""
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(seconds)
        line.connect(where.socket)
        line.sendall(request_line("stop"))
        # The other side is closed by the end of the process, and not before.
        while line.recv(1 << 16):
            pass
    return _is_lock_free(where, seconds)


def _is_lock_free(where: HomePaths, seconds: float) -> bool:
    """Say whether nobody holds the lock, or lets go of it soon."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        lock = DaemonLock(where.lock)
        if not os.path.exists(where.lock) or lock.try_acquire():
            lock.release()
            return True
        time.sleep(0.02)
    return False


class DaemonLock:
    """A lock on a file, held until the process ends or lets go."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._handle = -1

    def try_acquire(self) -> bool:
        """Take the lock if nobody has it; say whether we have it now."""
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return False
        self._handle = handle
        return self.is_ours()

    def is_ours(self) -> bool:
        """Say whether the file is still the one we hold: in place of another, anybody may."""
        try:
            there, ours = Path(self._path).stat(), os.fstat(self._handle)
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

    def release(self) -> None:
        """Let the next one have it."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


IDLE_MINUTES = 30.0
"""Without a request or a record: a pause, not the end of the day."""


def become_daemon(
    home: str,
    *,
    idle_minutes: float = IDLE_MINUTES,
    ready: int | None = None,
) -> None:
    """Be the daemon until it ends, or return at once if there is one.

    `ready` is the number of an open pipe that is written to when it answers.
    """
    os.umask(0o077)
    where = HomePaths(os.path.abspath(home))
    for folder in (where.home, where.run, where.inbox, where.logs):
        make_private_folder(folder)
    lock = DaemonLock(where.lock)
    if not lock.try_acquire():
        return
    os.chdir("/")
    from ai_smartness.entrypoints.daemon.main import run_daemon

    run_daemon(where, lock, idle=timedelta(minutes=idle_minutes), ready=ready)
