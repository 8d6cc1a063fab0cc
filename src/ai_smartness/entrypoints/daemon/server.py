"""The daemon's socket: one request and one answer for each connection.

A client that hangs up, sends nothing, rubbish or far too much costs a thread for a
few seconds and disturbs nobody. Whatever goes wrong is answered, never raised.
"""

import logging
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ai_smartness.entrypoints.daemon.protocol import (
    LONGEST_LINE_BYTES,
    VERSION,
    answer_line,
    read_line,
)
from ai_smartness.entrypoints.daemon.traffic import Traffic
from ai_smartness.entrypoints.daemon.verbs import Verbs
from ai_smartness.entrypoints.daemon.whereabouts import private_folder
from ai_smartness.model.errors import AisError

__all__ = ["Server"]

_LOG = logging.getLogger(__name__)

MOST_CONNECTIONS = 64
WAITING_CONNECTIONS = 128
REQUEST_SECONDS = 3.0
"""For the whole request: a hook writes it at once, and even a pasted log takes milliseconds."""

PIECE_BYTES = 1 << 16


class Server:
    """Listens on a socket until it is closed."""

    def __init__(self, path: str, verbs: Verbs, other_version: Callable[[], None]) -> None:
        """Take what to call when somebody speaks another version of the protocol."""
        self._path = path
        self._verbs = verbs
        self._answering = Traffic()
        self._other_version = other_version
        self._slots = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._socket: socket.socket | None = None
        self._farewells: list[socket.socket] = []
        self._closed = False

    def start(self) -> None:
        """Listen, in the place of a socket that a daemon before us left behind."""
        private_folder(str(Path(self._path).parent))
        # Under its name only when it answers: nobody finds it half made.
        new = Path(f"{self._path}.new")
        new.unlink(missing_ok=True)
        listening = self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(str(new))
        new.chmod(0o600)
        listening.listen(WAITING_CONNECTIONS)
        new.replace(self._path)
        threading.Thread(target=self._accept, args=(listening,), daemon=True).start()

    def close(self, seconds: float) -> None:
        """Listen no more; who is being answered is answered, in the time there is."""
        self._closed = True
        Path(self._path).unlink(missing_ok=True)
        if self._socket is not None:
            with suppress(OSError):
                # Wakes the thread that waits in `accept`.
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()
        self._answering.wait_for_quiet(seconds)

    def _accept(self, listening: socket.socket) -> None:
        while not self._closed:
            self._slots.acquire()
            try:
                connection, _ = listening.accept()
            except OSError as error:
                self._slots.release()
                if not self._closed:
                    # No file handle left, as a rule; some come free as others are answered.
                    _LOG.warning("a connection was not accepted: %s", error)
                    time.sleep(0.05)
                continue
            threading.Thread(target=self._attend, args=(connection,), daemon=True).start()

    def _attend(self, connection: socket.socket) -> None:
        try:
            self._converse(connection)
        except OSError:
            # The client has gone; there is nobody to tell.
            connection.close()
        finally:
            self._slots.release()

    def _converse(self, connection: socket.socket) -> None:
        try:
            line = _line_from(connection)
        except ValueError as error:
            _send(connection, answer_line(ok=False, error=str(error)))
            connection.close()
            return
        with self._answering.one():
            verb, answer = self._answered(line)
            _send(connection, answer)
        if verb == "stop":
            # Left open: it is closed by our end, and so tells the client of it.
            self._farewells.append(connection)
        else:
            connection.close()

    def _answered(self, line: bytes) -> tuple[str, bytes]:
        verb = ""
        try:
            asked = read_line(line)
            verb = str(asked.get("verb"))
            if asked.get("v") != VERSION:
                self._other_version()
                said = f"this daemon speaks version {VERSION} of the protocol"
                return "", answer_line(ok=False, error=said, version=self._verbs.version)
            return verb, answer_line(ok=True, **self._verbs.answer(verb, asked))
        except AisError as error:
            return "", answer_line(ok=False, error=str(error))
        except (ValueError, RecursionError):
            return "", answer_line(ok=False, error="a request is a JSON object on one line")
        except Exception as error:  # noqa: BLE001 - an agent's turn must not wait for a mistake
            _LOG.exception("`%s` was not answered", verb[:40])
            return "", answer_line(ok=False, error=f"{type(error).__name__}: {error}")


def _line_from(connection: socket.socket) -> bytes:
    """Read one line, within the time and the length there are for it."""
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
        if length > LONGEST_LINE_BYTES:
            msg = f"a request has {LONGEST_LINE_BYTES:,} bytes at most"
            raise ValueError(msg)
        if time.monotonic() > until:
            raise TimeoutError
    return b"".join(pieces).partition(b"\n")[0]


def _send(connection: socket.socket, answer: bytes) -> None:
    connection.settimeout(REQUEST_SECONDS)
    connection.sendall(answer)
