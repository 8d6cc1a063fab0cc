"""A lock beside a memory's file, so that nobody has the file open while it is replaced.

Everyone who opens the memory shares the lock until the file is closed; a restore has it alone.
Before it, one takes the gate, for a moment: a restore that waits for the lock keeps it, so that
others cannot go on opening the memory for ever. The system takes locks back when their holder
dies. Their files are never removed or replaced, and they are separate ones, because closing any
handle of a database's file releases every lock that SQLite has on it in this process.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ai_smartness.model.errors import StoreError

__all__ = ["FileLock", "lock_for_using", "locked_for_replacing", "open_elsewhere_error"]

LOCK_SUFFIX = ".lock"
GATE_SUFFIX = ".lock-gate"
RETRY_SECONDS = 0.01


class FileLock:
    """A lock that is held until it is released, or nobody refers to it any more."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def release(self) -> None:
        """Let others have the lock."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    def __del__(self) -> None:
        with suppress(OSError):
            self.release()


def lock_for_using(database: Path, seconds: float) -> FileLock | None:
    """Share the lock with others who have the file open; None where it cannot be locked.

    In a folder that cannot be written to, nobody can replace the file either.
    """
    deadline = time.monotonic() + seconds
    handle, gate = (_open_lock_file(database, name) for name in (LOCK_SUFFIX, GATE_SUFFIX))
    if handle is None or gate is None:
        return None
    is_open = _acquire(gate, fcntl.LOCK_SH, deadline) and _acquire(handle, fcntl.LOCK_SH, deadline)
    os.close(gate)
    if is_open:
        return FileLock(handle)
    os.close(handle)
    msg = (
        f"the memory {database} is being replaced by a backup. Nothing was changed; try again "
        "when `ais restore` has ended."
    )
    raise StoreError(msg)


@contextmanager
def locked_for_replacing(database: Path, seconds: float) -> Iterator[None]:
    """Have the lock alone while inside; refuse if somebody keeps the file open."""
    deadline = time.monotonic() + seconds
    locks = [_open_lock_file(database, name) for name in (GATE_SUFFIX, LOCK_SUFFIX)]
    try:
        if not all(lock is not None and _acquire(lock, fcntl.LOCK_EX, deadline) for lock in locks):
            raise open_elsewhere_error(database)
        yield
    finally:
        for lock in reversed(locks):
            if lock is not None:
                os.close(lock)


def open_elsewhere_error(database: Path) -> StoreError:
    """Return the refusal to replace a file that somebody has open."""
    msg = (
        f"cannot restore now: another program has {database} open. Nothing was changed. End it "
        "(an agent's session, a program that uses the library), and try again."
    )
    return StoreError(msg)


def _open_lock_file(database: Path, suffix: str) -> int | None:
    try:
        return os.open(
            f"{database.resolve()}{suffix}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
    except OSError:
        return None


def _acquire(handle: int, how: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(handle, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(RETRY_SECONDS)
        else:
            return True
