"""A proxy before a PostgreSQL server that counts round trips, and can make each one slower.

It listens on loopback and reads the messages of the clients as they pass. A client waits after
each Query, Sync and Flush, so these are the round trips; what is sent in between travels along.
A Flush right behind a Sync, with which psycopg ends a pipeline, is waited for together with it.
"""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TypeAlias

__all__ = ["ServerProxy", "started_proxy"]

Chunk: TypeAlias = tuple[float, bytes]

_QUERY, _SYNC, _FLUSH = b"QSH"
_LENGTH_BYTES = 4
_CHUNK_BYTES = 1 << 16


class ServerProxy:
    """The proxy's address, and what has passed through it."""

    def __init__(self, server_socket: Path, delay_ms: float) -> None:
        self.round_trips = 0
        self._server_socket = server_socket
        self._delay = delay_ms / 1000
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = [self._listener]
        _in_background(self._accept)

    def url(self, server_url: str) -> str:
        """Return the address behind the proxy of a database of the server."""
        port = self._listener.getsockname()[1]
        user_and_database = server_url.partition("?")[0].replace("@/", f"@127.0.0.1:{port}/")
        return f"{user_and_database}?sslmode=disable&gssencmode=disable"

    def close(self) -> None:
        """Close every connection."""
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(self._server_socket))
                self._open += [client, server]
                self._forward(client, server, _MessageCounter(self._count).read, self._delay)
                self._forward(server, client, lambda _: None, 0.0)

    def _count(self) -> None:
        self.round_trips += 1

    @staticmethod
    def _forward(
        source: socket.socket, target: socket.socket, read: Callable[[bytes], None], delay: float
    ) -> None:
        chunks: SimpleQueue[Chunk] = SimpleQueue()

        def receive() -> None:
            with suppress(OSError):
                while data := source.recv(_CHUNK_BYTES):
                    read(data)
                    chunks.put((time.monotonic() + delay, data))
            chunks.put((0.0, b""))

        def send() -> None:
            with suppress(OSError):
                while (chunk := chunks.get())[1]:
                    if (left := chunk[0] - time.monotonic()) > 0:
                        time.sleep(left)
                    target.sendall(chunk[1])
                target.shutdown(socket.SHUT_WR)

        _in_background(receive)
        _in_background(send)


class _MessageCounter:
    """Reads the stream of one client, and counts the messages that it waits after."""

    def __init__(self, count: Callable[[], None]) -> None:
        self._count = count
        self._buffer = bytearray()
        self._kind_bytes = 0  # the first message has no kind
        self._last = 0

    def read(self, data: bytes) -> None:
        """Read what has arrived."""
        self._buffer += data
        while (header := self._kind_bytes + _LENGTH_BYTES) <= len(self._buffer):
            length = int.from_bytes(self._buffer[self._kind_bytes : header])
            if len(self._buffer) < self._kind_bytes + length:
                return
            if self._kind_bytes:
                self._see(self._buffer[0])
            del self._buffer[: self._kind_bytes + length]
            self._kind_bytes = 1

    def _see(self, kind: int) -> None:
        if kind in (_QUERY, _SYNC) or (kind == _FLUSH and self._last != _SYNC):
            self._count()
        self._last = kind


def _in_background(work: Callable[[], None]) -> None:
    threading.Thread(target=work, daemon=True).start()


@contextmanager
def started_proxy(server_socket: Path, delay_ms: float = 0.0) -> Iterator[ServerProxy]:
    """Start a proxy before the server with this socket; `delay_ms` is added to each round trip."""
    proxy = ServerProxy(server_socket, delay_ms)
    try:
        yield proxy
    finally:
        proxy.close()
