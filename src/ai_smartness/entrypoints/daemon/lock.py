"""One daemon for each home, by a lock that the system takes back when its holder dies."""

import fcntl
import os
from pathlib import Path

__all__ = ["Lock"]


class Lock:
    """A lock on a file, held until the process ends or lets go."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._handle = -1

    def take(self) -> bool:
        """Take the lock if nobody has it; say whether we have it now."""
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return False
        self._handle = handle
        return self.is_ours()

    def is_ours(self) -> bool:
        """Say whether the file is still the one we hold: in place of another, anybody may."""
        try:
            there, ours = Path(self._path).stat(), os.fstat(self._handle)
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

    def let_go(self) -> None:
        """Let the next one have it."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
