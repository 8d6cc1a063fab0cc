"""The line to the client: what comes in and goes out on the standard streams, and nothing else.

Whatever else is printed in this process goes to the standard error, so that no stray word
is taken for the protocol.

Where and for whom a server works.
"""

import logging
import os
import threading
from collections.abc import Callable
from typing import BinaryIO, NamedTuple, NoReturn

__all__ = ["END_OF_INPUT", "ServerOptions", "StdioPipe", "exit_process"]


_LOG = logging.getLogger(__name__)

END_OF_INPUT = b""
"""Is heard when the client has hung up."""

MAX_MESSAGE_BYTES = 64_000_000
"""Twice what a pasted log may be; more than this is an accident, and is not kept in memory."""


def exit_process() -> NoReturn:
    """End the process at once.

    A kill harms nothing that is stored, and threads of ours may wait for the client for ever.
    """
    os._exit(0)


class StdioPipe:
    """Two pipes: lines come in on the one, and go out on the other."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming: BinaryIO = os.fdopen(incoming, "rb", closefd=False)
        self._outgoing = outgoing
        self._turn = threading.Lock()

    @classmethod
    def from_standard_streams(cls) -> "StdioPipe":
        """Take the standard streams for the protocol alone."""
        wire = cls(os.dup(0), os.dup(1))
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        try:
            os.dup2(2, 1)
        except OSError:
            os.dup2(nothing, 1)
        os.close(nothing)
        return wire

    def forward_lines(self, hear: Callable[[bytes], None]) -> None:
        """Hand on each line, and at the end that there is none any more."""
        while line := self._next_line():
            if not line.isspace():
                hear(line)
        hear(END_OF_INPUT)

    def send_line(self, line: bytes) -> None:
        """Write a whole line; without anybody who reads it there is nothing left to do."""
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


class ServerOptions(NamedTuple):
    """The memory's home, the folder the agent works in, its session, and which tools it has."""

    home: str
    cwd: str
    session: str | None
    profile: str
