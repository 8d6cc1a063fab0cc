"""Start a daemon and wait until it answers; end one and wait until it is gone.

For people and programs that have the time; a hook starts one and does not wait.
"""

import os
import select
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from ai_smartness.entrypoints.daemon.client import HOOK_RUNNING
from ai_smartness.entrypoints.daemon.lock import Lock
from ai_smartness.entrypoints.daemon.protocol import request_line
from ai_smartness.entrypoints.daemon.whereabouts import Whereabouts, private_folder

__all__ = ["end", "start_and_wait"]


def start_and_wait(where: Whereabouts, seconds: float, *options: str) -> bool:
    """Start a daemon, unless one runs; say whether ours answers, in the time there is."""
    for folder in (where.home, where.run, where.logs):
        private_folder(folder)
    told, tell = os.pipe()
    command = [sys.executable, "-P", "-m", "ai_smartness", "daemon", "run", "--home", where.home]
    try:
        with _private(Path(where.logs) / "daemon.err") as errors:
            subprocess.Popen(  # noqa: S603 - our own program
                [*command, "--ready", str(tell), *options],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
                pass_fds=(tell,),
                env={**os.environ, HOOK_RUNNING: "1"},
            )
        os.close(tell)
        # It writes when it answers; if it ends without, the pipe ends too.
        ready, _, _ = select.select([told], [], [], seconds)
        return bool(ready and os.read(told, 1))
    finally:
        os.close(told)


def _private(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def end(where: Whereabouts, seconds: float) -> bool:
    """Ask the daemon to end and wait for it; say whether none runs any more."""
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(seconds)
        line.connect(where.socket)
        line.sendall(request_line("stop"))
        # The other side is closed by the end of the process, and not before.
        while line.recv(1 << 16):
            pass
    return _is_free(where, seconds)


def _is_free(where: Whereabouts, seconds: float) -> bool:
    """Say whether nobody holds the lock, or lets go of it soon."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        lock = Lock(where.lock)
        if not os.path.exists(where.lock) or lock.take():  # noqa: PTH110
            lock.let_go()
            return True
        time.sleep(0.02)
    return False
