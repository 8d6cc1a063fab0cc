"""The ids that a shell completes, read directly from the memory's file.

Opening the store takes half a second, and the shell asks at every press of a key.
"""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from ai_smartness.model.errors import StoreError

__all__ = ["STATEMENTS", "THREADS", "recent_ids"]

THREADS = """
    SELECT threads.id, threads.title
    FROM threads JOIN projects ON projects.id = threads.project_id
    WHERE projects.name = ? AND substr(threads.id, 1, ?) = ?
    ORDER BY threads.last_active DESC, threads.id DESC
    LIMIT ?
"""

STATEMENTS = """
    SELECT statements.id, statements.text
    FROM statements JOIN projects ON projects.id = statements.project_id
    WHERE projects.name = ? AND substr(statements.id, 1, ?) = ?
    ORDER BY statements.superseded_by IS NOT NULL, statements.seq DESC, statements.id
    LIMIT ?
"""


def recent_ids(
    database: Path,
    which: str,
    choose_project: Callable[[Sequence[str]], str],
    prefix: str,
    limit: int,
) -> list[tuple[str, str]]:
    """Return the latest ids that begin so, each with its title or text.

    `choose_project` chooses among the projects of the memory.
    """
    try:
        # Read-only: completing must not create a memory.
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
            known = [name for (name,) in connection.execute("SELECT name FROM projects")]
            values = (choose_project(known), len(prefix), prefix, limit)
            return connection.execute(which, values).fetchall()
    except sqlite3.Error as error:
        msg = f"the memory {database} cannot be read: {error}."
        raise StoreError(msg) from error
