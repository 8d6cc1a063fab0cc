"""Check the SQLite that this Python has."""

import sqlite3

from ai_smartness.model.errors import StoreError

__all__ = ["checked_sqlite"]

MIN_SQLITE_VERSION = (3, 35, 0)


def checked_sqlite() -> str:
    """Return the version of SQLite; raise StoreError if a memory cannot be stored with it."""
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info < MIN_SQLITE_VERSION:
        needed = ".".join(str(part) for part in MIN_SQLITE_VERSION)
        msg = f"SQLite {version} is too old: {needed} is needed. Use a newer Python."
        raise StoreError(msg)
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    except sqlite3.Error as error:
        msg = f"SQLite {version} lacks full-text search (FTS5). Use a Python whose SQLite has it."
        raise StoreError(msg) from error
    finally:
        connection.close()
    return f"{version}, with full-text search"
