"""A machine under load: every core is busy, for benchmarks and for tests."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["busy_cores"]

BUSY_LOOP = "while True: pass"


@contextmanager
def busy_cores() -> Iterator[None]:
    """Keep every core busy while inside."""
    loops = [
        subprocess.Popen([sys.executable, "-S", "-c", BUSY_LOOP])
        for _ in range(os.cpu_count() or 1)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
