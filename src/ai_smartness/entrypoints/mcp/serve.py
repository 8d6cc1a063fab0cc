"""Serve a client with the official SDK, which has the session from here on."""

import json
import logging
import sys
from collections import deque
from collections.abc import Iterable
from io import TextIOBase
from typing import IO, TYPE_CHECKING, cast

import anyio
from mcp.server.stdio import stdio_server

from ai_smartness.entrypoints.mcp.asking import Asking
from ai_smartness.entrypoints.mcp.greeting import REPLAYED
from ai_smartness.entrypoints.mcp.server import server_of
from ai_smartness.entrypoints.mcp.setting import Setting
from ai_smartness.entrypoints.mcp.wire import Wire

if TYPE_CHECKING:
    from queue import SimpleQueue

__all__ = ["serve"]


def serve(setting: Setting, wire: Wire, kept: Iterable[bytes], heard: "SimpleQueue[bytes]") -> None:
    """Serve until the client hangs up: what was kept for us first, then what is heard."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    anyio.run(_served, setting, _Heard(kept, heard), _Said(wire))


async def _served(setting: Setting, heard: "_Heard", said: "_Said") -> None:
    server = server_of(setting, Asking(setting).reply)
    incoming = anyio.wrap_file(cast("IO[str]", heard))
    outgoing = anyio.wrap_file(cast("IO[str]", said))
    async with stdio_server(incoming, outgoing) as (read, write):
        await server.run(read, write, server.create_initialization_options())


class _Heard(TextIOBase):
    """What the client says, as a file that is read line by line."""

    def __init__(self, kept: Iterable[bytes], heard: "SimpleQueue[bytes]") -> None:
        self._kept = deque(kept)
        self._heard = heard

    def readline(self, _size: int = -1, /) -> str:  # type: ignore[override] # always a whole one
        line = self._kept.popleft() if self._kept else self._heard.get()
        return line.decode(errors="replace")


class _Said(TextIOBase):
    """What the client is told, as a file; what it was told already is left out."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def write(self, text: str, /) -> int:
        if REPLAYED not in text or json.loads(text).get("id") != REPLAYED:
            self._wire.send(text.encode())
        return len(text)
