"""End a test that would otherwise hang; no measure of speed."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

__all__ = ["no_hang"]

PATIENCE_SECONDS = 20
"""Linear work on a megabyte takes about one; quadratic work takes hours."""


@contextmanager
def no_hang() -> Iterator[None]:
    """Raise TimeoutError in the block when it takes so long that it must be hanging."""
    before = signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(PATIENCE_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _give_up(_number: int, _frame: FrameType | None) -> NoReturn:
    msg = f"still running after {PATIENCE_SECONDS} s"
    raise TimeoutError(msg)
