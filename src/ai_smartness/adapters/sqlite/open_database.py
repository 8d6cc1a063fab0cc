"""Open a memory's file: create, check or upgrade it.

An older file is copied before its upgrade. A file of a newer version or of another
program is refused unchanged.
"""

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ai_smartness.adapters.sqlite.database import Database, error_message
from ai_smartness.adapters.sqlite.file_lock import lock_for_using
from ai_smartness.adapters.sqlite.migrations import APPLICATION_ID, MIGRATIONS, Migration
from ai_smartness.model.errors import StoreError

__all__ = ["IN_MEMORY", "open_database"]

IN_MEMORY = ":memory:"
BUSY_RETRY_SECONDS = 0.01


def open_database(
    path: Path | str, busy_timeout_ms: int = 30_000, migrations: Sequence[Migration] = MIGRATIONS
) -> Database:
    """Return the open file, upgraded to the current layout."""
    name, lock = str(path), None
    if name != IN_MEMORY:
        _make_private_folder(Path(path))
        lock = lock_for_using(Path(path), busy_timeout_ms / 1000)
        _make_private_file(Path(path))
    try:
        connection = sqlite3.connect(
            name, timeout=busy_timeout_ms / 1000, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise StoreError(error_message(error, name)) from error
    database = Database(connection, name, lock)
    try:
        _check_and_upgrade(database, migrations, busy_timeout_ms)
    except BaseException:
        database.close()
        raise
    return database


def _make_private_folder(path: Path) -> None:
    """Create the folder of the file, unless the path is a folder itself."""
    if path.is_dir():
        msg = f"{path} is a folder, not a memory's file. Name a file in it, e.g. {path}/memory.db."
        raise StoreError(msg)
    with _explained_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)


def _make_private_file(path: Path) -> None:
    """Create the file, readable by its owner alone."""
    # An existing file is not even opened: closing it would release every lock that this process
    # has on it, and another process could remove the log of our connections.
    with _explained_errors(path), suppress(FileExistsError):
        os.close(os.open(path.resolve(), os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o600))


@contextmanager
def _explained_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (FileExistsError, NotADirectoryError) as error:
        msg = (
            f"the memory {path} cannot be opened: {path.parent} is a file, not a folder. "
            "Choose another place with --home, or move that file away."
        )
        raise StoreError(msg) from error
    except OSError as error:
        msg = (
            f"the memory {path} cannot be opened: {error.strerror}. "
            "Check the path and its permissions, or choose another place with --home."
        )
        raise StoreError(msg) from error


def _check_and_upgrade(
    database: Database, migrations: Sequence[Migration], busy_timeout_ms: int
) -> None:
    latest = migrations[-1].number
    version = database.first_number("PRAGMA user_version")
    _refuse_foreign_file(database, version, latest)
    _use_wal(database, busy_timeout_ms)
    database.run("PRAGMA synchronous = FULL")
    database.run("PRAGMA foreign_keys = ON")
    database.run("PRAGMA cache_size = -32000")
    if version < latest:
        _run_migrations(database, version, migrations)


def _refuse_foreign_file(database: Database, version: int, latest: int) -> None:
    application = database.first_number("PRAGMA application_id")
    tables = database.first_number("SELECT count(*) FROM sqlite_master")
    if application != APPLICATION_ID and (version or tables):
        msg = (
            f"{database.name} is a database of another program, not a memory. "
            "Nothing was changed; name another file."
        )
        raise StoreError(msg)
    if version > latest:
        msg = (
            f"the memory {database.name} was written by a newer ai_smartness (layout {version}, "
            f"this one knows {latest}). Nothing was changed; upgrade with "
            "`pip install --upgrade ai-smartness`."
        )
        raise StoreError(msg)


def _use_wal(database: Database, busy_timeout_ms: int) -> None:
    """Switch to write-ahead logging; SQLite does not wait for the lock by itself."""
    deadline = time.monotonic() + busy_timeout_ms / 1000
    while True:
        try:
            database.run("PRAGMA journal_mode = WAL")
        except StoreError as error:
            cause = error.__cause__
            busy = getattr(cause, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(BUSY_RETRY_SECONDS)
        else:
            return


def _run_migrations(database: Database, version: int, migrations: Sequence[Migration]) -> None:
    if version and database.name != IN_MEMORY:
        _copy_before_upgrade(database, version)
    with database.unit():
        # Another process may have upgraded it meanwhile.
        version = database.first_number("PRAGMA user_version")
        for step in migrations:
            if step.number > version:
                for statement in step.statements:
                    _run_statement(database, statement)
        database.run(f"PRAGMA application_id = {APPLICATION_ID}")
        database.run(f"PRAGMA user_version = {max(version, migrations[-1].number)}")


def _run_statement(database: Database, statement: str) -> None:
    """Run a statement of a step, and then the statements that it selects."""
    for (further,) in database.all(statement):
        database.run(further)


def _copy_before_upgrade(database: Database, version: int) -> None:
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    copy = Path(f"{database.name}.before-{stamp}-layout-{version}")
    os.close(os.open(copy, os.O_CREAT | os.O_WRONLY, 0o600))
    database.copy_to(str(copy))
