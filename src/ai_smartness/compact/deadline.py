"""Run somebody else's code with a deadline, and tell what came of it.

It runs in a thread of its own: one that hangs is left behind and holds up nobody,
not even the end of the program.
"""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Generic, TypeVar

__all__ = ["Ran", "run"]

T = TypeVar("T")


class Ran(Generic[T]):
    """What a run came to: a value, what it raised, or neither while it is still at it."""

    def __init__(self) -> None:
        self.value: T | None = None
        self.error: BaseException | None = None
        self.is_done = threading.Event()

    def __enter__(self) -> "Ran[T]":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self.error = error
        self.is_done.set()
        # Told to who waits for it: in its own thread nobody would hear of it.
        return True


def run(what: Callable[[], T], seconds: float) -> Ran[T]:
    """Carry something out, and return when it has ended or the time is up."""
    ran: Ran[T] = Ran()

    def carried_out() -> None:
        with ran:
            ran.value = what()

    threading.Thread(target=carried_out, daemon=True, name="condenser").start()
    ran.is_done.wait(seconds)
    return ran
