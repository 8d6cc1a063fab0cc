"""Back up a memory while it is in use, verify the copies, and delete surplus ones.

A copy gets a backup's name only after an integrity check, so every file with such
a name can be relied on. Old backups are deleted only after a newer one exists.

The copy is of one moment. Nobody waits for it: in a file with a write-ahead log,
readers never block writers.
"""

import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from ai_smartness.adapters.sqlite.database import error_message
from ai_smartness.adapters.sqlite.file_lock import lock_for_using
from ai_smartness.adapters.sqlite.migrations import APPLICATION_ID, MIGRATIONS
from ai_smartness.adapters.tables.rows import from_microseconds
from ai_smartness.model.errors import NotFoundError, RefusedError, StoreError
from ai_smartness.model.transfer import Backup, MemoryContents, surplus_backups
from ai_smartness.ports import Progress

__all__ = [
    "SqliteBackups",
    "copy_database",
    "find_damage",
    "fold_log",
    "open_existing",
    "read_contents",
    "refuse_foreign_backup",
    "sync_to_disk",
]

MIN_FREE_BYTES = 50_000_000  # left free beside a backup: new events need the space more
DAY_SECONDS = 86_400
CREATION_SECONDS = 10.0
STEP_PAGES = 2_000  # eight megabytes, a hundredth of a second: then others get their turn
STEP_SECONDS = 0.001
CHECK_OPERATIONS = 1_000_000
BUSY_SECONDS = 5.0
MAX_SHOWN_DAMAGES = 3

_BACKUP_NAME = re.compile(r"memory-(\d{8}-\d{6})(-daily)?\.db")
_TIME_FORMAT = "%Y%m%d-%H%M%S"
_PARTIAL_SUFFIX = ".partial"


class SqliteBackups:
    """The backups of one memory in one folder."""

    def __init__(self, database: Path, folder: Path) -> None:
        self._database = database
        self.folder = folder

    def all(self) -> list[Backup]:
        """Return the folder's backups, newest first."""
        try:
            paths = [Path(entry.path) for entry in os.scandir(self.folder) if entry.is_file()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        backups = [backup for path in paths if (backup := _backup_at(path)) is not None]
        return sorted(backups, key=lambda backup: (backup.at, backup.path), reverse=True)

    def refuse_emptied_database(self, now: datetime) -> None:
        """Refuse to start a new memory in the emptied file of one that was lost."""
        try:
            status = self._database.stat()
        except OSError:
            return
        # A file that is just being created is empty too, for a moment.
        if status.st_size or now.timestamp() - status.st_mtime < CREATION_SECONDS:
            return
        if backups := self.all():
            msg = (
                f"the memory {self._database} is damaged: its file is empty, and there are backups "
                f"of it, the newest of {backups[0].at:%Y-%m-%d %H:%M} UTC. `ais restore latest` "
                "puts the newest good one back; then `ais import` brings in what was said since. "
                "What is captured meanwhile waits in the inbox. To begin anew, remove the empty "
                "file."
            )
            raise StoreError(msg)

    def make_backup(self, now: datetime, progress: Progress, *, daily: bool = False) -> Backup:
        """Copy the memory, check the copy, and return it."""
        if not self._database.exists():
            msg = f"there is no memory {self._database} to back up. Run `ais init`."
            raise NotFoundError(msg)
        self._prepare_folder()
        at, path = self._free_name(now, daily=daily)
        partial = path.with_name(path.name + _PARTIAL_SUFFIX)
        try:
            os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self._write_copy(partial, progress)
            # To the time before it began: later changes may not be in it.
            os.utime(partial, (now.timestamp(), now.timestamp()))
            sync_to_disk(partial)
            partial.replace(path)
            sync_to_disk(path.parent)
            return Backup(path=path, at=at, size=path.stat().st_size, daily=daily)
        except OSError as error:
            msg = f"cannot write the backup {path}: {error.strerror}. The memory is as it was."
            raise StoreError(msg) from error
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)

    def remove_surplus(self, days: int, weeks: int) -> list[Backup]:
        """Delete the surplus daily backups, and return them."""
        surplus = surplus_backups(self.all(), days, weeks)
        for backup in surplus:
            backup.path.unlink(missing_ok=True)
        return surplus

    def is_due(self, now: datetime) -> bool:
        """Say whether the memory has changed and there is no backup of today."""
        if not self._database.exists():
            return False
        # A backup from the future was made while the clock was wrong.
        newest = next((backup for backup in self.all() if backup.at <= now), None)
        if newest is None:
            return True
        return newest.at.date() < now.date() and self._changed_at() > newest.path.stat().st_mtime

    def _changed_at(self) -> float:
        # By name: opening and closing the file would release this process's locks on it.
        files = (self._database, Path(f"{self._database.resolve()}-wal"))
        return max(file.stat().st_mtime for file in files if file.exists())

    def _write_copy(self, partial: Path, progress: Progress) -> None:
        lock = lock_for_using(self._database, BUSY_SECONDS)
        try:
            contents = copy_database(self._database, partial, progress)
        finally:
            if lock is not None:
                lock.release()
        with open_existing(partial) as copy:
            damage = find_damage(copy, "integrity_check", progress)
            if not damage and read_contents(copy) != contents:
                damage = "the copy does not hold what the memory holds"
        if damage:
            msg = (
                f"the memory {self._database} is damaged, and no backup of it was kept: {damage}. "
                "Earlier ones are as they were: `ais restore latest` puts the newest good one "
                "back, and keeps the damaged file."
            )
            raise StoreError(msg)

    def _prepare_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            free = shutil.disk_usage(self.folder).free
            for left in self.folder.glob(f"memory-*{_PARTIAL_SUFFIX}"):
                # Of a process that was killed; a running one has a newer file.
                if datetime.now(UTC).timestamp() - left.stat().st_mtime > DAY_SECONDS:
                    left.unlink(missing_ok=True)
        except OSError as error:
            msg = (
                f"cannot keep backups in {self.folder}: {error.strerror}. Name another folder: "
                "`ais config set backup.folder FOLDER`."
            )
            raise StoreError(msg) from error
        needed = self._database.stat().st_size + MIN_FREE_BYTES
        if free < needed:
            msg = (
                f"cannot back up to {self.folder}: {needed // 1_000_000:,} MB are needed there, "
                f"and {free // 1_000_000:,} MB are free. Make room, or name another folder: "
                "`ais config set backup.folder FOLDER`."
            )
            raise StoreError(msg)

    def _free_name(self, now: datetime, *, daily: bool) -> tuple[datetime, Path]:
        """Return the first second from now on whose name is free, and the path."""
        at, ending = now.astimezone(UTC).replace(microsecond=0), "-daily.db" if daily else ".db"
        while True:
            path = self.folder / f"memory-{at.strftime(_TIME_FORMAT)}{ending}"
            if not path.exists() and not path.with_name(path.name + _PARTIAL_SUFFIX).exists():
                return at, path
            at += timedelta(seconds=1)


def _backup_at(path: Path) -> Backup | None:
    name = _BACKUP_NAME.fullmatch(path.name)
    try:
        if name is None:
            return None
        at = datetime.strptime(name[1], _TIME_FORMAT).replace(tzinfo=UTC)
        return Backup(path=path, at=at, size=path.stat().st_size, daily=bool(name[2]))
    except (OSError, ValueError):
        return None


def sync_to_disk(path: Path) -> None:
    """Flush a file or folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def copy_database(database: Path, target: Path, progress: Progress) -> MemoryContents:
    """Copy a file step by step, and return its contents at that moment."""
    with open_existing(database) as source, open_existing(target, "rwc") as copy:
        # One transaction for all steps: otherwise every write would restart the copy.
        source.execute("BEGIN")
        contents = read_contents(source)

        def report_progress(_status: int, remaining: int, total: int) -> None:
            progress(total - remaining, total)

        source.backup(copy, pages=STEP_PAGES, progress=report_progress, sleep=STEP_SECONDS)
        # One plain file, without a log beside it.
        copy.execute("PRAGMA journal_mode = DELETE")
    return contents


@contextmanager
def open_existing(path: Path, mode: str = "rw") -> Iterator[sqlite3.Connection]:
    """Open a file without creating or upgrading it."""
    try:
        with closing(
            sqlite3.connect(
                f"file:{quote(str(path))}?mode={mode}",
                uri=True,
                timeout=BUSY_SECONDS,
                isolation_level=None,
            )
        ) as connection:
            yield connection
    except sqlite3.Error as error:
        raise StoreError(error_message(error, str(path))) from error


def read_contents(connection: sqlite3.Connection) -> MemoryContents:
    """Return how much a file contains."""

    def number(sql: str) -> int:
        return int(connection.execute(sql).fetchone()[0] or 0)

    tables = {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master")}
    counts = {
        table: number(f"SELECT count(*) FROM {table}") if table in tables else 0
        for table in ("projects", "threads", "events", "journal")
    }
    return MemoryContents(
        layout=number("PRAGMA user_version"),
        projects=counts["projects"],
        threads=counts["threads"],
        events=counts["events"],
        changes=counts["journal"],
        until=_last_event_time(connection) if counts["events"] else None,
    )


def _last_event_time(connection: sqlite3.Connection) -> datetime:
    row = connection.execute("SELECT at FROM events ORDER BY seq DESC LIMIT 1").fetchone()
    return from_microseconds(row[0])


def refuse_foreign_backup(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file of another program, and one of a newer version."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (layout,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        msg = f"{path} is not a backup of a memory. `ais backup list` shows those there are."
        raise RefusedError(msg)
    if layout > MIGRATIONS[-1].number:
        msg = (
            f"cannot restore {path}: a newer ai_smartness wrote it (layout {layout}, this one "
            f"knows {MIGRATIONS[-1].number}). Run `pip install --upgrade ai-smartness` first."
        )
        raise RefusedError(msg)


def find_damage(connection: sqlite3.Connection, check: str, progress: Progress) -> str:
    """Describe the damage of a file; empty if it is intact."""
    stopped: list[BaseException] = []

    def report_progress() -> int:
        # An exception of the caller's, such as a stop of the daemon, ends the check.
        try:
            progress(0, 0)
        except BaseException as error:  # noqa: BLE001 - SQLite would swallow it
            stopped.append(error)
        return len(stopped)

    connection.set_progress_handler(report_progress, CHECK_OPERATIONS)
    try:
        lines = [str(row[0]) for row in connection.execute(f"PRAGMA {check}({MAX_SHOWN_DAMAGES})")]
    except sqlite3.Error as error:
        lines = [str(error)]
    finally:
        connection.set_progress_handler(None, 0)
    if stopped:
        raise stopped[0]
    return "" if lines == ["ok"] else "; ".join(line.replace("\n", " ") for line in lines)


def fold_log(path: Path) -> bool:
    """Write a file's log into it; say whether that worked, as nobody else has it open."""
    with open_existing(path) as connection:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        except sqlite3.OperationalError as error:
            if (error.sqlite_errorcode & 0xFF) != sqlite3.SQLITE_BUSY:
                raise
            return False
        return bool(mode == "delete")
