"""Start and stop the one daemon of a home.

A hook spawns it and does not wait; commands wait until it answers, or until it is gone. A file
lock, which the system takes back when its holder dies, keeps a second one from running. Standard
library only, and little of it: the hook imports this when no daemon answers.
"""

import fcntl
import os
import time

from ai_smartness.entrypoints.daemon.client import request_line
from ai_smartness.settings.paths import HomePaths, make_private_folder

# As `typing.TYPE_CHECKING`, which the hook would have to import `typing` for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

__all__ = [
    "HOOK_RUNNING_VARIABLE",
    "HUNG_SECONDS",
    "DaemonLock",
    "allow_spawn",
    "is_lock_held",
    "spawn_daemon",
    "spawn_detached",
    "start_and_wait",
    "stop_daemon",
]

SPAWN_PAUSE_SECONDS = 10.0
"""After one spawn no other hook tries: the daemon loads its libraries, then the lock decides."""

HUNG_SECONDS = 1.0
"""A daemon answers at once that it will end, even if its current work takes longer."""

HOOK_RUNNING_VARIABLE = "AI_SMARTNESS_HOOK_RUNNING"
"""Set for every process we start, so that a client among them runs none of our hooks."""


def spawn_daemon(paths: HomePaths) -> bool:
    """Spawn a daemon that outlives us, unless one was spawned just now; say whether we did."""
    make_private_folder(paths.home)
    make_private_folder(paths.run)
    stamp = _spawn_stamp(paths)
    if _was_touched_just_now(stamp):
        return False
    os.close(os.open(stamp, os.O_WRONLY | os.O_CREAT, 0o600))
    os.utime(stamp)
    _spawn(paths)
    return True


def allow_spawn(paths: HomePaths) -> None:
    """Let the next hook spawn a daemon: the one that was spawned just now has ended."""
    os.unlink(_spawn_stamp(paths))


def _spawn_stamp(paths: HomePaths) -> str:
    return f"{paths.run}/starting"


def start_and_wait(paths: HomePaths, seconds: float, *options: str) -> bool:
    """Spawn a daemon, unless one runs; say whether ours answers in time."""
    import select

    for folder in (paths.home, paths.run, paths.logs):
        make_private_folder(folder)
    ready_in, ready_out = os.pipe()
    try:
        os.set_inheritable(ready_out, True)  # noqa: FBT003 - the function takes no keyword
        _spawn(paths, "--ready", str(ready_out), *options, errors=f"{paths.logs}/daemon.err")
        os.close(ready_out)
        # The daemon writes when it answers; if it ends without, the pipe ends too.
        ready, _, _ = select.select([ready_in], [], [], seconds)
        return bool(ready and os.read(ready_in, 1))
    finally:
        os.close(ready_in)


def stop_daemon(paths: HomePaths, seconds: float) -> bool:
    """Ask the daemon to end and wait for it; say whether none runs any more.

    One that does not even answer is killed. That loses nothing: the inbox keeps what is not
    stored, and the store is consistent at any moment.
    """
    import socket

    process = 0
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(HUNG_SECONDS)
            connection.connect(paths.socket)
            process = _peer_process(connection)
            connection.sendall(request_line("stop"))
            connection.recv(1 << 16)
            connection.settimeout(seconds)
            # The end of the process closes the other side, and nothing before it does.
            while connection.recv(1 << 16):
                pass
    except TimeoutError:
        if process:
            _kill_process(process)
    except OSError:
        pass
    return _is_lock_free(paths, seconds)


def _peer_process(connection: "socket.socket") -> int:
    """Return the process that listens on the other side, as the system knows it; 0 if it does not.

    It is not read from a file: its number may be another process's by now.
    """
    import socket
    import struct

    if not hasattr(socket, "SO_PEERCRED"):
        return 0
    whole = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    process, user, _group = struct.unpack("3i", whole)
    return process if user == os.getuid() else 0


def _kill_process(process: int) -> None:
    import signal
    from contextlib import suppress

    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


class DaemonLock:
    """A lock on a file, held until the process ends or releases it."""

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
        """Say whether the file is still the one we locked: another one in its place is free."""
        try:
            present, locked = os.stat(self._path), os.fstat(self._handle)
        except OSError:
            return False
        return (present.st_dev, present.st_ino) == (locked.st_dev, locked.st_ino)

    def release(self) -> None:
        """Let the next one have the lock."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def is_lock_held(paths: HomePaths) -> bool:
    """Say whether a daemon holds the memory's lock, listening or not."""
    try:
        handle = os.open(paths.lock, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _spawn(paths: HomePaths, *options: str, errors: str = os.devnull) -> None:
    import sys

    from ai_smartness.settings.background_environment import background_environment

    # Without -P a folder of the project could pose as one of our libraries.
    command = [sys.executable, "-P", "-m", "ai_smartness", "daemon", "run", "--home", paths.home]
    environment = {**background_environment(paths.home, os.environ), HOOK_RUNNING_VARIABLE: "1"}
    spawn_detached([*command, *options], environment, errors)


def spawn_detached(
    command: "list[str]", environment: "dict[str, str]", errors: str = os.devnull
) -> None:
    """Start a program in a session of its own; only what is inheritable stays open in it."""
    targets = ((os.devnull, os.O_RDONLY), (os.devnull, os.O_WRONLY), (errors, _WRITE_ANEW))
    try:
        os.posix_spawn(
            command[0],
            command,
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, number, path, flags, 0o600)
                for number, (path, flags) in enumerate(targets)
            ],
            setsid=True,
        )
    except NotImplementedError:
        _fork_detached(command, environment, targets)


_WRITE_ANEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


def _fork_detached(
    command: "list[str]", environment: "dict[str, str]", targets: "tuple[tuple[str, int], ...]"
) -> None:
    if os.fork():
        return
    try:
        os.setsid()
        for number, (path, flags) in enumerate(targets):
            os.dup2(os.open(path, flags, 0o600), number)
        os.execve(command[0], command, environment)  # noqa: S606 - our own program
    finally:
        os._exit(1)


def _was_touched_just_now(path: str) -> bool:
    try:
        # A clock that was set back makes the file look as if it came from the future.
        return abs(time.time() - os.stat(path).st_mtime) < SPAWN_PAUSE_SECONDS
    except FileNotFoundError:
        return False


def _is_lock_free(paths: HomePaths, seconds: float) -> bool:
    """Say whether nobody holds the lock, or its holder releases it in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        lock = DaemonLock(paths.lock)
        if not os.path.exists(paths.lock) or lock.try_acquire():
            lock.release()
            return True
        time.sleep(0.02)
    return False
