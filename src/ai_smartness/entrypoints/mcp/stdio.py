"""The pipes to the client: the protocol has the standard streams to itself.

Everything else that this process prints goes to standard error, so that no stray output is
taken for a message.
"""

import json
import logging
import os
import threading
from collections.abc import Callable
from typing import BinaryIO, NamedTuple, NoReturn

from ai_smartness.clients.fast_json import MAX_DEPTH, loads_bounded

__all__ = ["END_OF_INPUT", "ServerOptions", "StdioPipe", "exit_process"]

_LOG = logging.getLogger(__name__)

END_OF_INPUT = b""  # forwarded as a line when the client has hung up

MAX_MESSAGE_BYTES = 64_000_000
"""Twice the largest pasted log; a longer message is an accident and is dropped."""


class ServerOptions(NamedTuple):
    """The memory's home, the agent's folder and session, and the profile of its tools."""

    home: str
    cwd: str
    session: str | None
    profile: str


class StdioPipe:
    """Messages from and to the client, line by line."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming: BinaryIO = os.fdopen(incoming, "rb", closefd=False)
        self._outgoing = outgoing
        self._turn = threading.Lock()

    @classmethod
    def from_standard_streams(cls) -> "StdioPipe":
        """Take the standard streams away from everything else in this process."""
        pipe = cls(os.dup(0), os.dup(1))
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        try:
            os.dup2(2, 1)
        except OSError:
            os.dup2(nothing, 1)
        os.close(nothing)
        return pipe

    def forward_lines(self, put_line: Callable[[bytes], None]) -> None:
        """Pass on each line until the client hangs up, then `END_OF_INPUT`."""
        while line := self._next_line():
            if not line.isspace():
                put_line(_readable_line(line))
        put_line(END_OF_INPUT)

    def send_line(self, line: bytes) -> None:
        """Write a whole line; exit if nobody reads it."""
        try:
            with self._turn:
                while line:
                    line = line[os.write(self._outgoing, line) :]
        except OSError:
            exit_process()

    def _next_line(self) -> bytes:
        try:
            line = self._incoming.readline(MAX_MESSAGE_BYTES)
            if len(line) < MAX_MESSAGE_BYTES or line.endswith(b"\n"):
                return line
            while (rest := self._incoming.readline(MAX_MESSAGE_BYTES)) and rest[-1:] != b"\n":
                pass
        except OSError:
            return END_OF_INPUT
        _LOG.warning("a message of more than %d bytes was not read", MAX_MESSAGE_BYTES)
        return b"\n"


def _readable_line(line: bytes) -> bytes:
    """Return a message that the SDK can read, and so answer.

    It reads no half of a surrogate pair, and nothing nested deeper than 200: it would drop such a
    message, and the client would wait for its answer forever.
    """
    if b"\\ud" not in line.lower() and line.count(b"[") + line.count(b"{") <= MAX_DEPTH:
        return line
    try:
        message = loads_bounded(line.decode())
    except (ValueError, RecursionError):
        return line
    return json.dumps(message, ensure_ascii=False).encode(errors="replace") + b"\n"


def exit_process() -> NoReturn:
    """End the process at once.

    This harms nothing that is stored, and our threads may wait for the client forever.
    """
    os._exit(0)
