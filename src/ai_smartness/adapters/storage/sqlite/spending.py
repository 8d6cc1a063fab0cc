"""How many tokens language models took each day, in an SQLite file."""

from datetime import date

from ai_smartness.adapters.storage.sqlite.database import Database

__all__ = ["SqliteSpending"]


class SqliteSpending:
    """Fulfils the port `Spending`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def on(self, day: date) -> int:
        """Return the tokens of a day, over all projects."""
        return self._database.number("SELECT tokens FROM spending WHERE day = ?", (str(day),))

    def add(self, day: date, tokens: int) -> None:
        """Count tokens to a day; fewer than none where too many were counted before."""
        self._database.run(
            "INSERT INTO spending (day, tokens) VALUES (?1, max(0, ?2)) "
            "ON CONFLICT (day) DO UPDATE SET tokens = max(0, tokens + ?2)",
            (str(day), tokens),
        )
