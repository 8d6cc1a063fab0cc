"""The backups of a memory in one SQLite file: made while it is in use, checked, kept in turn.

A backup has its name only once it was read through and found whole, so that what
has the name of one can be relied on. Older ones go only after a newer one is there.

Copy a memory's file while it is in use, and look into a copy.

The copy is of one moment, whatever is written meanwhile, and nobody waits for it:
in a file with a write-ahead log, who reads never stands in the way of who writes.
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
from ai_smartness.adapters.sqlite.migrations import APPLICATION_ID, MIGRATIONS
from ai_smartness.adapters.sqlite.rows import from_microseconds
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
]


MIN_FREE_BYTES = 50_000_000
"""Left free beside a backup: what is captured needs room more than a copy of it does."""

DAY_SECONDS = 86_400

_BACKUP_NAME = re.compile(r"memory-(\d{8}-\d{6})(-daily)?\.db")
_TIME_FORMAT = "%Y%m%d-%H%M%S"
_PARTIAL_SUFFIX = ".partial"


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
        found = [_backup_at(Path(each.path)) for each in entries if each.is_file()]
        return sorted(
            (each for each in found if each is not None),
            key=lambda each: (each.at, each.path),
            reverse=True,
        )

    def make_backup(self, now: datetime, progress: Progress, *, daily: bool = False) -> Backup:
        """Copy the memory, check the copy, and return it."""
        if not self._database.exists():
            msg = f"there is no memory {self._database} to back up. Run `ais init`."
            raise NotFoundError(msg)
        self._prepare_folder()
        path = self._free_name(now, daily=daily)
        partial = path.with_name(path.name + _PARTIAL_SUFFIX)
        try:
            os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self._write_copy(partial, progress)
            # To the moment before it was begun: what has changed since is not in it for certain.
            os.utime(partial, (now.timestamp(), now.timestamp()))
            _rename_synced(partial, path)
        except OSError as error:
            msg = f"cannot write the backup {path}: {error.strerror}. The memory is as it was."
            raise StoreError(msg) from error
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
        made = _backup_at(path)
        assert made is not None  # noqa: S101 - it has just got its name
        return made

    def remove_surplus(self, days: int, weeks: int) -> list[Backup]:
        """Remove the daily backups that are not to be kept, and return them."""
        gone = surplus_backups(self.all(), days, weeks)
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

    def _write_copy(self, partial: Path, progress: Progress) -> None:
        there = copy_database(self._database, partial, progress)
        with open_existing(partial) as copy:
            wrong = find_damage(copy, "integrity_check", progress)
            if not wrong and read_contents(copy) != there:
                wrong = "the copy does not hold what the memory holds"
        if wrong:
            msg = (
                f"the memory {self._database} is damaged, and no backup of it was kept: {wrong}. "
                "Earlier ones are as they were: `ais restore latest` puts the newest good one "
                "back, and keeps the damaged file."
            )
            raise StoreError(msg)

    def _prepare_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            free = shutil.disk_usage(self.folder).free
            for left in self.folder.glob(f"memory-*{_PARTIAL_SUFFIX}"):
                # Of a process that was killed; one that still writes has its own time in its name.
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

    def _free_name(self, now: datetime, *, daily: bool) -> Path:
        ending = "-daily.db" if daily else ".db"
        while True:
            path = self.folder / f"memory-{now.astimezone(UTC).strftime(_TIME_FORMAT)}{ending}"
            if not path.exists() and not path.with_name(path.name + _PARTIAL_SUFFIX).exists():
                return path
            now += timedelta(seconds=1)


def _backup_at(path: Path) -> Backup | None:
    named = _BACKUP_NAME.fullmatch(path.name)
    try:
        if named is None:
            return None
        at = datetime.strptime(named[1], _TIME_FORMAT).replace(tzinfo=UTC)
        return Backup(path=path, at=at, size=path.stat().st_size, daily=bool(named[2]))
    except (OSError, ValueError):
        return None


def _rename_synced(partial: Path, path: Path) -> None:
    """Give a file its name once it is on the disk."""
    sync_to_disk(partial)
    partial.replace(path)
    sync_to_disk(path.parent)


def sync_to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


STEP_PAGES = 2_000
"""Eight megabytes: a hundredth of a second, and then others have their turn."""

STEP_SECONDS = 0.001
CHECK_OPERATIONS = 1_000_000
BUSY_SECONDS = 5.0
MAX_SHOWN_DAMAGES = 3


def copy_database(database: Path, target: Path, progress: Progress) -> MemoryContents:
    """Copy the file to another, step by step, and say what is in it at that moment."""
    with open_existing(database) as source, open_existing(target, "rwc") as copy:
        # One look for all steps: else the copy would begin anew with every write of others.
        source.execute("BEGIN")
        there = read_contents(source)

        def told(_status: int, remaining: int, total: int) -> None:
            progress(total - remaining, total)

        source.backup(copy, pages=STEP_PAGES, progress=told, sleep=STEP_SECONDS)
        # One plain file, without a log of its own beside it.
        copy.execute("PRAGMA journal_mode = DELETE")
    return there


@contextmanager
def open_existing(path: Path, mode: str = "rw") -> Iterator[sqlite3.Connection]:
    """Open a file as it is, without making it or bringing it up to date."""
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
    """Say how much a file holds."""

    def number(sql: str) -> int:
        return int(connection.execute(sql).fetchone()[0] or 0)

    tables = {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master")}
    counts = {
        table: number(f"SELECT count(*) FROM {table}") if table in tables else 0  # our own tables
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
    """Refuse a file of another program, and one from the future."""
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
    """Say what is damaged in a file; nothing if it is whole."""
    stopped: list[BaseException] = []

    def told() -> int:
        # Between two steps of a long check others have their turn; what they raise ends it.
        try:
            progress(0, 0)
        except BaseException as error:  # noqa: BLE001 - SQLite would swallow it
            stopped.append(error)
        return len(stopped)

    connection.set_progress_handler(told, CHECK_OPERATIONS)
    try:
        found = [str(row[0]) for row in connection.execute(f"PRAGMA {check}({MAX_SHOWN_DAMAGES})")]
    except sqlite3.Error as error:
        found = [str(error)]
    finally:
        connection.set_progress_handler(None, 0)
    if stopped:
        raise stopped[0]
    return "" if found == ["ok"] else "; ".join(each.replace("\n", " ") for each in found)


def fold_log(path: Path) -> bool:
    """Fold a file's log into it, so that it is one file; say whether nobody else has it open."""
    with open_existing(path) as connection:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        except sqlite3.OperationalError as error:
            if (error.sqlite_errorcode & 0xFF) != sqlite3.SQLITE_BUSY:
                raise
            return False
        return bool(mode == "delete")
