"""The log of recalls: one line each, in a file beside the memory."""

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["RecallLog"]

LARGEST_BYTES = 1_000_000
"""Then it is set aside once: a year of asking, and never more than two such files."""


class RecallLog:
    """A text file that only its owner reads."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def append(self, line: str) -> None:
        """Add a line; a log that cannot be written keeps nobody from an answer."""
        with suppress(OSError):
            if self._path.exists() and self._path.stat().st_size > LARGEST_BYTES:
                self._path.replace(self._path.with_suffix(".log.1"))
            handle = os.open(self._path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
            with os.fdopen(handle, "a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{line}\n")
