"""Statements that number their values, which some Pythons want by name."""

import sqlite3
from collections.abc import Iterable
from typing import Any

from ai_smartness.adapters.sqlite.database import Database


class StrictConnection(sqlite3.Connection):
    """A connection that refuses what Python 3.12.0 to 3.12.3 warn about."""

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401 - as there
        assert "?1" not in sql or isinstance(parameters, dict)
        return super().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        rows = list(parameters)
        assert "?1" not in sql or all(isinstance(row, dict) for row in rows)
        return super().executemany(sql, rows)


def test_numbered_values_are_bound_by_name() -> None:
    connection = sqlite3.connect(":memory:", factory=StrictConnection, isolation_level=None)
    database = Database(connection, "test")
    database.run("CREATE TABLE pairs (a, b)")

    database.run("INSERT INTO pairs VALUES (?2, ?1)", (1, 2))
    database.run_many("UPDATE pairs SET b = ?2 WHERE a = ?1 AND b <> ?2", [(2, 5)])

    assert database.all("SELECT a, b FROM pairs WHERE ?1 < b AND ?1 < a", (1,)) == [(2, 5)]
    assert database.first_row("SELECT a FROM pairs WHERE b = ?", (5,)) == (2,)
    connection.close()
