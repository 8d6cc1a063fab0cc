"""Talk to the daemon: one line of JSON each way, within a deadline.

A request names its verb; the answer is `{"v": 1, "ok": true, …}` or `{"v": 1, "ok": false,
"error": "…"}`.

| verb | request | answer |
|---|---|---|
| `ping` | | `version`, `pid` |
| `inject` | `cwd`, `session`, `text`, `source` | `text`, `in_sight`, `unneeded` |
| `read` | `cwd`, `session`, `path` | `text` |
| `greet` | `cwd`, `session`, `source` | `text` |
| `tool` | `cwd`, `session`, `client`, `name`, `arguments`, … | `text`, `structure`, `is_error` |
| `drain` | | `left` |
| `status` | | `version`, `pid`, `since`, `drained`, `last_error`, … |
| `stop` | | |

`"in_sight": true` comes with an empty text if the session can already see the lines that match,
`"unneeded": true` if lines match a prompt that does not look like it needs memory.

With `"confirms": true`, an `inject` or `greet` counts as shown only once the client has sent the
line `{"v": 1, "verb": "shown"}` on the same connection, after it has printed the text.

Standard library only, and little of it: a hook imports this before each prompt.
"""

import _socket
import os
import time

from ai_smartness.clients.fast_json import dumps, loads
from ai_smartness.settings.paths import HomePaths

__all__ = [
    "GONE",
    "LATE",
    "MAX_LINE_BYTES",
    "PROTOCOL_VERSION",
    "SHOWN_VERB",
    "DaemonCall",
    "NoAnswerError",
    "NoDaemonError",
    "answer_line",
    "ask_daemon",
    "read_line",
    "request_line",
]

PROTOCOL_VERSION = 1
SHOWN_VERB = "shown"  # of the line by which a client says that it has printed the answer
MAX_LINE_BYTES = 32_000_000  # a prompt can be a pasted log; more than this is an accident

ABSENT, STALE, GONE, STRANGER = "absent", "stale", "gone", "stranger"
LATE, GARBLED = "late", "garbled"
"""The reason why no daemon was found, or why its answer was of no use; for the log."""

_PIECE_BYTES = 1 << 16
_SOCKET_FILE_TYPE = 0o140000
_FILE_TYPE_MASK = 0o170000


class NoDaemonError(Exception):
    """No daemon runs."""


class NoAnswerError(Exception):
    """A daemon runs, but gave no usable answer in time."""


def ask_daemon(
    paths: HomePaths, verb: str, /, until: float, **fields: object
) -> "dict[str, object]":
    """Return the answer to a request, by `until` on the monotonic clock."""
    call = DaemonCall(paths, verb, until, **fields)
    try:
        return call.wait_for_answer(until)
    finally:
        call.close()


class DaemonCall:
    """A request on its way. One that is late can be waited for again."""

    def __init__(self, paths: HomePaths, verb: str, /, until: float, **fields: object) -> None:
        _require_own_socket(paths.socket)
        self._received = bytearray()
        self._connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            _connect_socket(self._connection, paths.socket, until)
            _send_line(self._connection, request_line(verb, **fields), until)
        except BaseException:
            self.close()
            raise

    def wait_for_answer(self, until: float) -> "dict[str, object]":
        """Return the answer, by `until` on the monotonic clock."""
        try:
            answer = read_line(self._receive_line(until))
        except TimeoutError as error:
            raise NoAnswerError(LATE) from error
        except ValueError as error:
            raise NoAnswerError(GARBLED) from error
        except OSError as error:
            raise NoDaemonError(GONE) from error
        if answer.get("v") != PROTOCOL_VERSION or answer.get("ok") is not True:
            raise NoAnswerError(str(answer.get("error") or "refused"))
        return answer

    def confirm_shown(self) -> None:
        """Say that the answer was printed."""
        self._connection.sendall(request_line(SHOWN_VERB))

    def close(self) -> None:
        """Hang up; an answer that was not confirmed does not count as shown."""
        self._connection.close()

    def _receive_line(self, until: float) -> bytes:
        received = self._received
        while not received.endswith(b"\n"):
            # What has come already is read even if the time is up.
            self._connection.settimeout(max(0.0, until - time.monotonic()))
            try:
                piece = self._connection.recv(_PIECE_BYTES)
            except BlockingIOError:
                raise TimeoutError from None
            if not piece:
                raise ConnectionResetError
            received += piece
            if len(received) > MAX_LINE_BYTES:
                raise ValueError
        return bytes(received)


def _require_own_socket(path: str) -> None:
    """Accept only a socket of our own, in a folder that nobody else can write to."""
    try:
        socket, folder = os.lstat(path), os.stat(os.path.dirname(path))
    except OSError as error:
        raise NoDaemonError(ABSENT) from error
    ours = {socket.st_uid, folder.st_uid} == {os.getuid()} and not folder.st_mode & 0o022
    if not ours or socket.st_mode & _FILE_TYPE_MASK != _SOCKET_FILE_TYPE:
        raise NoDaemonError(STRANGER)


def _connect_socket(connection: _socket.socket, path: str, until: float) -> None:
    try:
        connection.settimeout(_seconds_left(until))
        connection.connect(path)
    except (TimeoutError, BlockingIOError) as error:
        # Its queue is full: it runs, and is busy.
        raise NoAnswerError(LATE) from error
    except OSError as error:
        raise NoDaemonError(STALE) from error


def _send_line(connection: _socket.socket, line: bytes, until: float) -> None:
    try:
        connection.settimeout(_seconds_left(until))
        connection.sendall(line)
    except TimeoutError as error:
        raise NoAnswerError(LATE) from error
    except OSError as error:
        raise NoDaemonError(GONE) from error


def _seconds_left(until: float) -> float:
    seconds = until - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def request_line(verb: str, **fields: object) -> bytes:
    """Write a request."""
    return _encoded_line({"v": PROTOCOL_VERSION, "verb": verb, **fields})


def answer_line(*, ok: bool = True, **fields: object) -> bytes:
    """Write an answer."""
    return _encoded_line({"v": PROTOCOL_VERSION, "ok": ok, **fields})


def read_line(line: bytes) -> "dict[str, object]":
    """Read a request or an answer; raise ValueError for anything else."""
    fields = loads(line.decode())
    if not isinstance(fields, dict):
        msg = "a line on the socket is a JSON object"
        raise ValueError(msg)  # noqa: TRY004 - callers catch one kind
    return fields


def _encoded_line(fields: "dict[str, object]") -> bytes:
    # Lone surrogates are escaped as JSON does, so that every line is UTF-8.
    return dumps(fields).encode() + b"\n"
