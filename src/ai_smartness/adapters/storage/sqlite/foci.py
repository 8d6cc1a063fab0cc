"""What is in focus, in an SQLite file."""

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from ai_smartness.adapters.storage.sqlite.database import Database, Row, Value
from ai_smartness.adapters.storage.sqlite.projects import Projects
from ai_smartness.adapters.storage.sqlite.rows import microseconds, moment
from ai_smartness.model.focus import Focus

__all__ = ["FOCUS_COLUMNS", "SqliteFoci", "focus_of", "row_of_focus"]

FOCUS_COLUMNS = "topic, weight, set_at, session, until"

_LASTING = ""
"""Stands for no session: one that is empty is none."""

_ORDER = "ORDER BY set_at, session, folded"


class SqliteFoci:
    """Fulfils the port `Foci`."""

    def __init__(self, database: Database, projects: Projects) -> None:
        self._database = database
        self._projects = projects

    def in_force(self, projects: Sequence[str], session: str | None, at: datetime) -> list[Focus]:
        """Return the lasting ones of these projects and the session's own, the first set first."""
        marks = ", ".join("?" * len(projects))
        return self._where(
            f"project_id IN (SELECT id FROM projects WHERE name IN ({marks})) "  # noqa: S608 # only question marks
            f"AND session IN (?, ?) AND (until IS NULL OR until > ?) {_ORDER}",
            (*projects, _LASTING, session or _LASTING, microseconds(at)),
        )

    def all(self, project: str) -> list[Focus]:
        """Return every focus of the project, also of any session and those that have ended."""
        return self._where(f"project_id = ? {_ORDER}", (self._projects.number(project),))

    def save(self, project: str, foci: Sequence[Focus]) -> None:
        """Add foci, each in the place of the one with its session and topic."""
        with self._database.unit():
            number = self._projects.made(project)
            self._database.many(
                "INSERT OR REPLACE INTO focus "
                "(project_id, folded, topic, weight, set_at, session, until) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                ((number, each.key[1], *row_of_focus(each)) for each in foci),
            )

    def remove(self, project: str, foci: Sequence[Focus]) -> None:
        """Take foci away, by their session and topic."""
        with self._database.unit():
            number = self._projects.number(project)
            self._database.many(
                "DELETE FROM focus WHERE project_id = ? AND session = ? AND folded = ?",
                ((number, each.session or _LASTING, each.key[1]) for each in foci),
            )

    def _where(self, condition: str, values: Sequence[Value]) -> list[Focus]:
        rows = self._database.all(
            f"SELECT {FOCUS_COLUMNS} FROM focus WHERE {condition}",  # noqa: S608 # our own columns
            values,
        )
        return [focus_of(row) for row in rows]


def row_of_focus(focus: Focus) -> Row:
    """Lay a focus out by `FOCUS_COLUMNS`."""
    return (
        focus.topic,
        focus.weight,
        microseconds(focus.set_at),
        focus.session or _LASTING,
        None if focus.until is None else microseconds(focus.until),
    )


def focus_of(row: Row) -> Focus:
    """Read a focus from `FOCUS_COLUMNS`."""
    topic, weight, set_at, session, until = row
    return Focus(
        topic=str(topic),
        weight=cast("float", weight),
        set_at=moment(set_at),
        session=str(session) or None,
        until=None if until is None else moment(until),
    )
