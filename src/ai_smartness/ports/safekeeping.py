"""The files of a store, its backups and other copies: the business of its engine.

A server has its own ways, and then there is none of these.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from ai_smartness.model.transfer import Backup, MemoryContents, RestoreResult
from ai_smartness.ports.services import Progress
from ai_smartness.ports.storage import ThreadStore

__all__ = ["BackupFolder", "RestoreTarget", "StoreFiles"]


class BackupFolder(Protocol):
    """The backups of one memory in one folder."""

    @property
    def folder(self) -> Path:
        """Return the folder."""

    def all(self) -> Sequence[Backup]:
        """Return the backups, the newest first."""

    def refuse_emptied_database(self, now: datetime) -> None:
        """Refuse to use a memory that has lost everything its backups have."""

    def make_backup(self, now: datetime, progress: Progress, *, daily: bool = False) -> Backup:
        """Copy the memory as it is at one moment, verify the copy, and return it."""

    def remove_surplus(self, days: int, weeks: int) -> Sequence[Backup]:
        """Delete old daily backups; keep one for each of the last days and weeks."""

    def is_due(self, now: datetime) -> bool:
        """Say whether something has changed since the last backup, which is a day old."""


class RestoreTarget(Protocol):
    """A memory that a backup can replace."""

    def stage_backup(self, backup: Path, progress: Progress) -> MemoryContents:
        """Copy a backup beside the memory, verify it, and return its contents."""

    def discard_staged(self) -> None:
        """Delete the copy."""

    def current_contents(self) -> tuple[MemoryContents | None, str]:
        """Return what the memory holds, and what is wrong with it."""

    def swap_files(self) -> RestoreResult:
        """Put the copy in the memory's place, which is kept under another name."""


class StoreFiles(Protocol):
    """The files that a store is kept in, and its copies; a server's are not ours."""

    def store_files(self) -> Sequence[Path]:
        """Return the files of the store itself."""

    def store_copies(self) -> Sequence[Path]:
        """Return every other store beside this one: backups, and copies left by upgrades."""

    def dumps(self) -> Sequence[Path]:
        """Return the copies of which nothing can be deleted: dumps of a server."""

    def open_copy(self, copy: Path) -> ThreadStore:
        """Open a copy as a store."""

    def rewrite_copy(self, copy: Path, rewritten: Callable[[Path], bool]) -> str:
        """Replace a copy if `rewritten` changed it; say what was done."""

    def remove_copy(self, copy: Path) -> str:
        """Delete a copy; say what was done."""
