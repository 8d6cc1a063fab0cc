"""How far each file of the past was read, in an SQLite file."""

from collections.abc import Iterable

from ai_smartness.adapters.storage.sqlite.database import Database
from ai_smartness.ports.history import Mark

__all__ = ["SqliteImports"]


class SqliteImports:
    """Fulfils the port `Imports`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def marks(self) -> dict[str, Mark]:
        """Return the marks of all files, by path."""
        rows = self._database.all("SELECT path, offset, size, changed_ns, head, state FROM imports")
        return {
            str(path): Mark(
                int(offset or 0), int(size or 0), int(changed or 0), str(head), str(state)
            )
            for path, offset, size, changed, head, state in rows
        }

    def save(self, marks: Iterable[tuple[str, Mark]]) -> None:
        """Keep marks, each in the place of the file's former one."""
        with self._database.unit():
            self._database.many(
                "INSERT OR REPLACE INTO imports (path, offset, size, changed_ns, head, state) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (path, mark.offset, mark.size, mark.changed_ns, mark.head, mark.state)
                    for path, mark in marks
                ),
            )
