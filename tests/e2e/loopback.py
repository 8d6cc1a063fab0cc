"""A network with nobody in it but us.

With the right to (root), a thread leaves the network of the machine for an empty one, and what
it opens and starts is there too: whatever a client tries, it reaches our server or nothing.
Without that right the client's own switches are relied upon.
"""

import ctypes
import fcntl
import socket
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

__all__ = ["Loopback"]

P = ParamSpec("P")
T = TypeVar("T")

CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS = 0x8914
IFF_UP = 0x1


class Loopback:
    """A thread whose network is loopback only, where it may be."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="loopback")
        self.is_alone = self._thread.submit(_leave).result()

    def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do something there, and wait for it."""
        return self._thread.submit(work, *args, **kwargs).result()

    def close(self) -> None:
        """Give the network back."""
        self._thread.shutdown()


def _leave() -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "unshare") or libc.unshare(CLONE_NEWNET):
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        up = struct.pack("16sH14x", b"lo", IFF_UP)
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, up)
    return True
