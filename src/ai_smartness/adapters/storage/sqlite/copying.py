"""Copy a memory's file while it is in use, and look into a copy.

The copy is of one moment, whatever is written meanwhile, and nobody waits for it:
in a file with a write-ahead log, who reads never stands in the way of who writes.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from ai_smartness.adapters.storage.sqlite.database import said
from ai_smartness.adapters.storage.sqlite.migrations import APPLICATION_ID, MIGRATIONS
from ai_smartness.adapters.storage.sqlite.rows import moment
from ai_smartness.model.backup import Contents
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.ports import Progress

__all__ = ["closed", "contents", "copied", "damage", "opened", "refuse_what_is_no_memory"]

STEP_PAGES = 2_000
"""Eight megabytes: a hundredth of a second, and then others have their turn."""

STEP_SECONDS = 0.001
CHECK_OPERATIONS = 1_000_000
BUSY_SECONDS = 5.0
SHOWN_DAMAGES = 3


def copied(database: Path, target: Path, progress: Progress) -> Contents:
    """Copy the file to another, step by step, and say what is in it at that moment."""
    with opened(database) as source, opened(target, "rwc") as copy:
        # One look for all steps: else the copy would begin anew with every write of others.
        source.execute("BEGIN")
        there = contents(source)

        def told(_status: int, remaining: int, total: int) -> None:
            progress(total - remaining, total)

        source.backup(copy, pages=STEP_PAGES, progress=told, sleep=STEP_SECONDS)
        # One plain file, without a log of its own beside it.
        copy.execute("PRAGMA journal_mode = DELETE")
    return there


@contextmanager
def opened(path: Path, mode: str = "rw") -> Iterator[sqlite3.Connection]:
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
        raise StoreError(said(error, str(path))) from error


def contents(connection: sqlite3.Connection) -> Contents:
    """Say how much a file holds."""

    def number(sql: str) -> int:
        return int(connection.execute(sql).fetchone()[0] or 0)

    tables = {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master")}
    counts = {
        table: number(f"SELECT count(*) FROM {table}") if table in tables else 0  # noqa: S608 # our own tables
        for table in ("projects", "threads", "events", "journal")
    }
    return Contents(
        layout=number("PRAGMA user_version"),
        projects=counts["projects"],
        threads=counts["threads"],
        events=counts["events"],
        changes=counts["journal"],
        until=_last_said(connection) if counts["events"] else None,
    )


def _last_said(connection: sqlite3.Connection) -> datetime:
    row = connection.execute("SELECT at FROM events ORDER BY seq DESC LIMIT 1").fetchone()
    return moment(row[0])


def refuse_what_is_no_memory(connection: sqlite3.Connection, path: Path) -> None:
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


def damage(connection: sqlite3.Connection, check: str, progress: Progress) -> str:
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
        found = [str(row[0]) for row in connection.execute(f"PRAGMA {check}({SHOWN_DAMAGES})")]
    except sqlite3.Error as error:
        found = [str(error)]
    finally:
        connection.set_progress_handler(None, 0)
    if stopped:
        raise stopped[0]
    return "" if found == ["ok"] else "; ".join(each.replace("\n", " ") for each in found)


def closed(path: Path) -> bool:
    """Fold a file's log into it, so that it is one file; say whether nobody else has it open."""
    with opened(path) as connection:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        except sqlite3.OperationalError as error:
            if (error.sqlite_errorcode & 0xFF) != sqlite3.SQLITE_BUSY:
                raise
            return False
        return bool(mode == "delete")
