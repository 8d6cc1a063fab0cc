"""Ask the daemon something within a deadline, or start it for next time.

Standard library only, and little of it: a hook imports this before each prompt.
"""

import _socket
import os
import time

from ai_smartness.entrypoints.daemon.protocol import (
    MAX_LINE_BYTES,
    PROTOCOL_VERSION,
    read_line,
    request_line,
)
from ai_smartness.settings.paths import HomePaths, make_private_folder

__all__ = ["LATE", "NoAnswerError", "NoDaemonError", "ask_daemon", "spawn_daemon", "spawn_detached"]

SPAWN_PAUSE_SECONDS = 10.0
"""For so long nobody else starts it: it loads its libraries, then the lock decides."""

HOOK_RUNNING_VARIABLE = "AI_SMARTNESS_HOOK_RUNNING"
"""Set for all that we start, so that a client among it runs no hooks of ours."""

ABSENT, STALE, GONE, STRANGER = "absent", "stale", "gone", "stranger"
LATE, GARBLED = "late", "garbled"
"""Why there was nobody, and why no answer: for the log."""

_PIECE_BYTES = 1 << 16
_SOCKET_FILE_TYPE = 0o140000
_FILE_TYPE_MASK = 0o170000


class NoDaemonError(Exception):
    """Nobody is there to ask."""


class NoAnswerError(Exception):
    """Somebody is there, and gave no answer that can be used in the time there was."""


def ask_daemon(
    where: HomePaths,
    verb: str,
    /,
    until: float,
    **fields: object,
) -> "dict[str, object]":
    """Return the answer to a request, by `until` on the monotonic clock."""
    _require_own_socket(where.socket)
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        _connect_socket(line, where.socket, until)
        answer = _exchange_lines(line, request_line(verb, **fields), until)
    finally:
        line.close()
    if answer.get("v") != PROTOCOL_VERSION or answer.get("ok") is not True:
        raise NoAnswerError(str(answer.get("error") or "refused"))
    return answer


def spawn_daemon(where: HomePaths) -> bool:
    """Start a daemon that outlives us, unless one was started just now; say whether we did."""
    make_private_folder(where.home)
    make_private_folder(where.run)
    stamp = os.path.join(where.run, "starting")
    if _was_touched_just_now(stamp):
        return False
    os.close(os.open(stamp, os.O_WRONLY | os.O_CREAT, 0o600))
    os.utime(stamp)
    import sys

    # Without -P a folder of the project could pose as one of our libraries.
    command = [sys.executable, "-P", "-m", "ai_smartness", "daemon", "run", "--home", where.home]
    spawn_detached(command, {**os.environ, HOOK_RUNNING_VARIABLE: "1"})
    return True


def _require_own_socket(path: str) -> None:
    """Talk to nobody but a socket of our own, in a folder that nobody else writes to."""
    try:
        socket, folder = os.lstat(path), os.stat(os.path.dirname(path))
    except OSError as error:
        raise NoDaemonError(ABSENT) from error
    ours = {socket.st_uid, folder.st_uid} == {os.getuid()} and not folder.st_mode & 0o022
    if not ours or socket.st_mode & _FILE_TYPE_MASK != _SOCKET_FILE_TYPE:
        raise NoDaemonError(STRANGER)


def _connect_socket(line: _socket.socket, path: str, until: float) -> None:
    try:
        line.settimeout(_seconds_left(until))
        line.connect(path)
    except (TimeoutError, BlockingIOError) as error:
        # Its queue is full: it is there, and busy.
        raise NoAnswerError(LATE) from error
    except OSError as error:
        raise NoDaemonError(STALE) from error


def _exchange_lines(line: _socket.socket, request: bytes, until: float) -> "dict[str, object]":
    try:
        line.settimeout(_seconds_left(until))
        line.sendall(request)
        return read_line(_receive_line(line, until))
    except TimeoutError as error:
        raise NoAnswerError(LATE) from error
    except ValueError as error:
        raise NoAnswerError(GARBLED) from error
    except OSError as error:
        raise NoDaemonError(GONE) from error


def _receive_line(line: _socket.socket, until: float) -> bytes:
    whole = bytearray()
    while not whole.endswith(b"\n"):
        line.settimeout(_seconds_left(until))
        piece = line.recv(_PIECE_BYTES)
        if not piece:
            raise ConnectionResetError
        whole += piece
        if len(whole) > MAX_LINE_BYTES:
            raise ValueError
    return bytes(whole)


def _seconds_left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _was_touched_just_now(path: str) -> bool:
    try:
        # A clock that went back makes it look as if it came from the future.
        return abs(time.time() - os.stat(path).st_mtime) < SPAWN_PAUSE_SECONDS
    except FileNotFoundError:
        return False


def spawn_detached(command: "list[str]", environment: "dict[str, str]") -> None:
    """Start a program in a session of its own, with nothing of ours open."""
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    try:
        os.posix_spawn(command[0], command, environment, file_actions=nothing, setsid=True)
    except NotImplementedError:
        _fork_detached(command, environment)


def _fork_detached(command: "list[str]", environment: "dict[str, str]") -> None:
    if os.fork():
        return
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        os.execve(command[0], command, environment)  # noqa: S606 - our own program
    finally:
        os._exit(1)
