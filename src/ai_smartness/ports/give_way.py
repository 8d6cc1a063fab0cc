"""Let a prompt go first: background work pauses in its long loops and before each query.

One thread of a process runs Python at a time. A background thread that goes on while a prompt is
answered takes turns with it, and each turn of a thread that the machine is slow to run can cost
more time than the prompt itself. So the daemon gives its background thread a function that
waits while a prompt is answered. It belongs to the thread and not to a call: handed down, it
would be a parameter of every function between the daemon and a loop. In other threads and
processes nothing waits.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["give_way", "paced_items", "pausing_thread"]

Item = TypeVar("Item")


def _go_on() -> None:
    """Wait for nobody."""


class _ThreadPause(threading.local):
    pause: Callable[[], None] = staticmethod(_go_on)


_THREAD = _ThreadPause()


def give_way() -> None:
    """Wait while somebody else must go first; elsewhere than in a background thread, go on."""
    _THREAD.pause()


def paced_items(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items of a long loop, giving way before each."""
    pause = _THREAD.pause
    for item in items:
        pause()
        yield item


@contextmanager
def pausing_thread(pause: Callable[[], None]) -> Iterator[None]:
    """Have `give_way` call this function in the present thread while inside."""
    former, _THREAD.pause = _THREAD.pause, pause
    try:
        yield
    finally:
        _THREAD.pause = former
