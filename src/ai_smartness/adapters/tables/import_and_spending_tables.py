"""Two small tables: the import position of each transcript file, and the tokens of each day."""

from collections.abc import Iterable
from datetime import date

from ai_smartness.adapters.tables.sql_database import ProjectTables
from ai_smartness.ports.transfer import ImportMark

__all__ = ["ImportMarkTable", "SpendingTable"]


class ImportMarkTable(ProjectTables):
    """Fulfils the port `ImportMarks`."""

    def marks_by_path(self) -> dict[str, ImportMark]:
        rows = self._database.all(
            'SELECT path, "offset", size, changed_ns, head, state FROM imports'
        )
        return {row[0]: ImportMark(*row[1:]) for row in rows}

    def save(self, marks: Iterable[tuple[str, ImportMark]]) -> None:
        with self._database.unit():
            self._database.run_many(
                'INSERT INTO imports (path, "offset", size, changed_ns, head, state) '
                "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET "
                '"offset" = excluded."offset", size = excluded.size, '
                "changed_ns = excluded.changed_ns, head = excluded.head, state = excluded.state",
                (
                    (path, mark.offset, mark.size, mark.changed_ns, mark.head, mark.state)
                    for path, mark in marks
                ),
            )


class SpendingTable(ProjectTables):
    """Fulfils the port `Spending`."""

    def tokens_on(self, day: date) -> int:
        return self._database.first_number("SELECT tokens FROM spending WHERE day = ?", (str(day),))

    def add(self, day: date, tokens: int) -> None:
        # The least a day can have is nothing.
        with self._database.unit():
            self._database.run(
                "INSERT INTO spending (day, tokens) VALUES (?, ?) "
                "ON CONFLICT (day) DO UPDATE SET tokens = spending.tokens + excluded.tokens",
                (str(day), tokens),
            )
            self._database.run(
                "UPDATE spending SET tokens = 0 WHERE day = ? AND tokens < 0", (str(day),)
            )
