"""The daemon's socket: one request and one answer for each connection.

Where the client confirms that it has printed the answer, the connection stays open until then.
A client that hangs up, or sends nothing, rubbish or far too much, occupies one thread for a few
seconds and disturbs nobody. Every error is answered, never raised.
"""

import gc
import logging
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from ai_smartness.entrypoints.daemon.active_requests import ActiveRequests
from ai_smartness.entrypoints.daemon.client import (
    MAX_LINE_BYTES,
    PROTOCOL_VERSION,
    SHOWN_VERB,
    answer_line,
    read_line,
)
from ai_smartness.entrypoints.daemon.requests import DaemonAnswer, DaemonRequests, SettleAnswer
from ai_smartness.model.errors import AisError
from ai_smartness.settings.paths import make_private_folder

__all__ = ["DaemonServer"]

_LOG = logging.getLogger(__name__)

MAX_CONNECTIONS = 64
CONNECTION_BACKLOG = 128
REQUEST_SECONDS = 3.0
"""For the whole request: a hook writes it at once, and even a pasted log takes milliseconds."""

PIECE_BYTES = 1 << 16
PROMPT_VERB = "inject"


class DaemonServer:
    """Listens on a socket until it is closed."""

    def __init__(
        self, path: str, requests: DaemonRequests, on_other_version: Callable[[], None]
    ) -> None:
        self._path = path
        self._requests = requests
        # A collection of garbage takes as long as half a prompt: it waits for the end of one.
        self._answering = ActiveRequests(on_busy=gc.disable, on_idle=gc.enable)
        self._on_other_version = on_other_version
        self._slots = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._socket: socket.socket | None = None
        self._closing_connections: list[socket.socket] = []
        self._closed = False

    def start(self) -> None:
        """Listen, replacing a socket that an earlier daemon left behind."""
        make_private_folder(str(Path(self._path).parent))
        # Renamed when it answers, so that nobody finds it half made.
        new = Path(f"{self._path}.new")
        new.unlink(missing_ok=True)
        listening = self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(str(new))
        new.chmod(0o600)
        listening.listen(CONNECTION_BACKLOG)
        new.replace(self._path)
        threading.Thread(target=self._accept_connections, args=(listening,), daemon=True).start()

    def close(self, seconds: float) -> None:
        """Stop listening, and wait until the open requests are answered."""
        self._closed = True
        Path(self._path).unlink(missing_ok=True)
        if self._socket is not None:
            with suppress(OSError):
                # Wakes the thread that waits in `accept`.
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()
        self._answering.wait_until_idle(seconds)

    def _accept_connections(self, listening: socket.socket) -> None:
        while not self._closed:
            self._slots.acquire()
            try:
                connection, _ = listening.accept()
            except OSError as error:
                self._slots.release()
                if not self._closed:
                    # Usually no file handle is left; answering other requests frees some.
                    _LOG.warning("a connection was not accepted: %s", error)
                    time.sleep(0.05)
                continue
            # From here on, not from when it is read: background work may delay that too.
            self._requests.active_requests.begin_prompt()
            threading.Thread(target=self._serve_connection, args=(connection,), daemon=True).start()

    def _serve_connection(self, connection: socket.socket) -> None:
        with ExitStack() as prompt:
            prompt.callback(self._requests.active_requests.end_prompt)
            try:
                self._answer_connection(connection, prompt)
            except OSError:
                # The client has gone.
                connection.close()
            finally:
                self._slots.release()

    def _answer_connection(self, connection: socket.socket, prompt: ExitStack) -> None:
        """Answer a caller; `prompt` is closed when it brings no prompt, or has its answer."""
        try:
            line = _receive_request(connection)
        except ValueError as error:
            _send_answer(connection, answer_line(ok=False, error=str(error)))
            connection.close()
            return
        with self._answering.track_request():
            verb, line, answer = self._answer_request(line, prompt)
            if answer is None or answer.settle is None:
                _send_answer(connection, line)
            else:
                is_sent = _is_sent(connection, line)
                prompt.close()
                is_shown = is_sent and (not answer.confirms or _is_confirmed(connection))
                self._settle_answer(answer.settle, is_shown=is_shown)
        if verb == "stop":
            # Left open: the end of the process closes it, which the client waits for.
            self._closing_connections.append(connection)
        else:
            connection.close()

    def _settle_answer(self, settle: SettleAnswer, *, is_shown: bool) -> None:
        try:
            settle(is_shown)
        except Exception:  # noqa: BLE001 - the answer itself was given
            _LOG.exception("it was not recorded whether an answer was shown")

    def _answer_request(
        self, line: bytes, prompt: ExitStack
    ) -> tuple[str, bytes, DaemonAnswer | None]:
        verb = ""
        try:
            fields = read_line(line)
            verb = str(fields.get("verb"))
            if verb != PROMPT_VERB:
                # Some of these wait for background work.
                prompt.close()
            if fields.get("v") != PROTOCOL_VERSION:
                self._on_other_version()
                msg = f"this daemon speaks version {PROTOCOL_VERSION} of the protocol"
                refusal = answer_line(ok=False, error=msg, version=self._requests.version)
                return "", refusal, None
            answer = self._requests.answer_request(verb, fields)
            return verb, answer_line(ok=True, **answer.fields), answer
        except AisError as error:
            return "", answer_line(ok=False, error=str(error)), None
        except (ValueError, RecursionError):
            return "", answer_line(ok=False, error="a request is a JSON object on one line"), None
        except Exception as error:  # noqa: BLE001 - an agent's turn must not fail with its memory
            _LOG.exception("`%s` was not answered", verb[:40])
            return "", answer_line(ok=False, error=f"{type(error).__name__}: {error}"), None


def _is_sent(connection: socket.socket, answer: bytes) -> bool:
    """Send an answer; say whether the client was still there."""
    try:
        _send_answer(connection, answer)
    except OSError:
        return False
    return True


def _is_confirmed(connection: socket.socket) -> bool:
    """Say whether the client prints the answer."""
    try:
        return read_line(_receive_request(connection)).get("verb") == SHOWN_VERB
    except (OSError, ValueError):
        # The client has gone, or says nothing for too long.
        return False


def _receive_request(connection: socket.socket) -> bytes:
    """Read one line, within its limits of time and length."""
    until = time.monotonic() + REQUEST_SECONDS
    pieces: list[bytes] = []
    length = 0
    while not pieces or b"\n" not in pieces[-1]:
        connection.settimeout(max(0.001, until - time.monotonic()))
        piece = connection.recv(PIECE_BYTES)
        if not piece:
            msg = "the client hung up before its line was whole"
            raise ConnectionError(msg)
        pieces.append(piece)
        length += len(piece)
        if length > MAX_LINE_BYTES:
            msg = f"a request has {MAX_LINE_BYTES:,} bytes at most"
            raise ValueError(msg)
        if time.monotonic() > until:
            raise TimeoutError
    return b"".join(pieces).partition(b"\n")[0]


def _send_answer(connection: socket.socket, answer: bytes) -> None:
    connection.settimeout(REQUEST_SECONDS)
    connection.sendall(answer)
