"""The backups of a memory in one SQLite file: made while it is in use, checked, kept in turn.

A backup has its name only once it was read through and found whole, so that what
has the name of one can be relied on. Older ones go only after a newer one is there.
"""

import os
import re
import shutil
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ai_smartness.adapters.storage.sqlite.copying import contents, copied, damage, opened
from ai_smartness.model.backup import Backup, surplus
from ai_smartness.model.errors import NotFoundError, StoreError
from ai_smartness.ports import Progress

__all__ = ["SqliteBackups"]

LEAST_LEFT_BYTES = 50_000_000
"""Left free beside a backup: what is captured needs room more than a copy of it does."""

DAY_SECONDS = 86_400

_NAME = re.compile(r"memory-(\d{8}-\d{6})(-daily)?\.db")
_STAMP = "%Y%m%d-%H%M%S"
_PARTIAL = ".partial"


class SqliteBackups:
    """The backups of one memory in one folder."""

    def __init__(self, database: Path, folder: Path) -> None:
        self._database = database
        self.folder = folder

    def all(self) -> list[Backup]:
        """Return the backups of the folder, the newest first."""
        try:
            entries = list(os.scandir(self.folder))
        except (FileNotFoundError, NotADirectoryError):
            return []
        found = [_backup(Path(each.path)) for each in entries if each.is_file()]
        return sorted(
            (each for each in found if each is not None),
            key=lambda each: (each.at, each.path),
            reverse=True,
        )

    def make(self, now: datetime, progress: Progress, *, daily: bool = False) -> Backup:
        """Copy the memory, check the copy, and return it."""
        if not self._database.exists():
            msg = f"there is no memory {self._database} to back up. Run `ais init`."
            raise NotFoundError(msg)
        self._make_room()
        path = self._free_name(now, daily=daily)
        partial = path.with_name(path.name + _PARTIAL)
        try:
            os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self._write(partial, progress)
            # To the moment before it was begun: what has changed since is not in it for certain.
            os.utime(partial, (now.timestamp(), now.timestamp()))
            _settle(partial, path)
        except OSError as error:
            msg = f"cannot write the backup {path}: {error.strerror}. The memory is as it was."
            raise StoreError(msg) from error
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
        made = _backup(path)
        assert made is not None  # noqa: S101 - it has just got its name
        return made

    def rotate(self, days: int, weeks: int) -> list[Backup]:
        """Remove the daily backups that are not to be kept, and return them."""
        gone = surplus(self.all(), days, weeks)
        for each in gone:
            each.path.unlink(missing_ok=True)
        return gone

    def is_due(self, now: datetime) -> bool:
        """Say whether the memory has changed, and no backup is of today."""
        if not self._database.exists():
            return False
        # One of tomorrow was made while the clock was wrong.
        newest = next((each for each in self.all() if each.at <= now), None)
        if newest is None:
            return True
        return newest.at.date() < now.date() and self._changed_at() > newest.path.stat().st_mtime

    def _changed_at(self) -> float:
        # Asked for by name: who opens and closes the file lets go of the locks of this process.
        files = (self._database, Path(f"{self._database.resolve()}-wal"))
        return max(each.stat().st_mtime for each in files if each.exists())

    def _write(self, partial: Path, progress: Progress) -> None:
        there = copied(self._database, partial, progress)
        with opened(partial) as copy:
            wrong = damage(copy, "integrity_check", progress)
            if not wrong and contents(copy) != there:
                wrong = "the copy does not hold what the memory holds"
        if wrong:
            msg = (
                f"the memory {self._database} is damaged, and no backup of it was kept: {wrong}. "
                "Earlier ones are as they were: `ais restore latest` puts the newest good one "
                "back, and keeps the damaged file."
            )
            raise StoreError(msg)

    def _make_room(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            free = shutil.disk_usage(self.folder).free
            for left in self.folder.glob(f"memory-*{_PARTIAL}"):
                # Of a process that was killed; one that still writes has its own time in its name.
                if datetime.now(UTC).timestamp() - left.stat().st_mtime > DAY_SECONDS:
                    left.unlink(missing_ok=True)
        except OSError as error:
            msg = (
                f"cannot keep backups in {self.folder}: {error.strerror}. Name another folder: "
                "`ais config set backup.folder FOLDER`."
            )
            raise StoreError(msg) from error
        needed = self._database.stat().st_size + LEAST_LEFT_BYTES
        if free < needed:
            msg = (
                f"cannot back up to {self.folder}: {needed // 1_000_000:,} MB are needed there, "
                f"and {free // 1_000_000:,} MB are free. Make room, or name another folder: "
                "`ais config set backup.folder FOLDER`."
            )
            raise StoreError(msg)

    def _free_name(self, now: datetime, *, daily: bool) -> Path:
        ending = "-daily.db" if daily else ".db"
        while True:
            path = self.folder / f"memory-{now.astimezone(UTC).strftime(_STAMP)}{ending}"
            if not path.exists() and not path.with_name(path.name + _PARTIAL).exists():
                return path
            now += timedelta(seconds=1)


def _backup(path: Path) -> Backup | None:
    named = _NAME.fullmatch(path.name)
    try:
        if named is None:
            return None
        at = datetime.strptime(named[1], _STAMP).replace(tzinfo=UTC)
        return Backup(path=path, at=at, size=path.stat().st_size, daily=bool(named[2]))
    except (OSError, ValueError):
        return None


def _settle(partial: Path, path: Path) -> None:
    """Give a file its name once it is on the disk."""
    _sync(partial)
    partial.replace(path)
    _sync(path.parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
