"""The numbered steps from an empty file to the current layout: one `schema/*.sql` file each.

A step is never edited once it was released: every existing file has some layout
number, and opening it runs exactly the steps after that. A step can select statements,
where the names of tables depend on the rows; these are run, too.
"""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

__all__ = ["APPLICATION_ID", "MIGRATIONS", "Migration"]

APPLICATION_ID = 0x41495331  # marks an SQLite file as a memory ("AIS1")


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: the number of the resulting layout, and the statements."""

    number: int
    description: str
    statements: tuple[str, ...]


def _read_migration(path: Path) -> Migration:
    number, _, description = path.stem.partition("_")
    statements, statement = list[str](), ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("--"):
            statement += f"\n{line}" if statement else line
            if sqlite3.complete_statement(statement):
                statements.append(statement.removesuffix(";"))
                statement = ""
    return Migration(int(number), description.replace("_", " "), tuple(statements))


MIGRATIONS: tuple[Migration, ...] = tuple(
    sorted(
        (_read_migration(path) for path in (Path(__file__).parent / "schema").glob("*.sql")),
        key=lambda migration: migration.number,
    )
)
