"""The events of an SQLite file: append-only, numbered by one sequence."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

from ai_smartness.adapters.storage.sqlite.database import Database
from ai_smartness.adapters.storage.sqlite.projects import Projects
from ai_smartness.adapters.storage.sqlite.rows import EVENT_COLUMNS, event_of, moment, row_of_event
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Event
from ai_smartness.model.found import Standing

__all__ = ["SqliteEvents"]

_AT_ONCE = 500
_AMBIGUOUS_SHOWN = 3
_NUMBERED = ", ".join(f"e.{column}" for column in EVENT_COLUMNS.split(", "))


class SqliteEvents:
    """Fulfils the port `Events`."""

    def __init__(self, database: Database, projects: Projects) -> None:
        self._database = database
        self._projects = projects

    def append(self, events: Sequence[Event]) -> list[Event]:
        """Add events at the end and return them with their `seq`."""
        with self._database.unit():
            return [replace(event, seq=self._added(event)) for event in events]

    def _added(self, event: Event) -> int:
        return self._database.run(
            "INSERT INTO events (project_id, id, thread_id, session, type, role, text, payload, "
            "at, source, trust) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (self._projects.made(event.project), *row_of_event(event)),
        )

    def known(self, project: str, ids: Iterable[str]) -> set[str]:
        """Return those ids the project has an event for."""
        number = self._projects.number(project)
        wanted = list(ids)
        found: set[str] = set()
        for start in range(0, len(wanted) if number else 0, _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            rows = self._database.all(
                f"SELECT id FROM events WHERE project_id = ? AND id IN ({_marks(some)})",  # noqa: S608 # only question marks
                (number, *some),
            )
            found.update(str(row[0]) for row in rows)
        return found

    def get(self, project: str, event_id: str) -> Event:
        """Return the event with this id, or with this unique start of an id."""
        rows = self._database.all(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE project_id = ? AND id >= ? AND id < ? "  # noqa: S608 # our own columns
            "ORDER BY id LIMIT ?",
            (
                self._projects.number(project),
                event_id,
                event_id + "\U0010ffff",
                _AMBIGUOUS_SHOWN + 1 if event_id else 0,
            ),
        )
        found = [event_of(row, project) for row in rows]
        if found and (found[0].id == event_id or len(found) == 1):
            return found[0]
        if not found:
            shown = event_id or "(empty id)"
            msg = f"there is no message {shown} in project {project}. `ais search` finds ids."
            raise NotFoundError(msg)
        some = ", ".join(event.id for event in found[:_AMBIGUOUS_SHOWN])
        msg = f"{event_id} is the start of several message ids ({some} …). Give more of it."
        raise RefusedError(msg)

    def of_thread(self, thread_id: str) -> list[Event]:
        """Return a thread's events in the order of `seq`."""
        return self._all("e.thread_id = ?", thread_id)

    def by_seq(self, seqs: Iterable[int]) -> dict[int, Event]:
        """Return events by their number."""
        wanted = list(seqs)
        events: dict[int, Event] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            found = self._all(f"e.seq IN ({_marks(some)})", *some)
            events.update((event.seq, event) for event in found)
        return events

    def standing(self, seqs: Iterable[int]) -> dict[int, Standing]:
        """Return where events stand, by their number."""
        marks = ", ".join(str(seq) for seq in seqs)
        rows = self._database.all(
            "SELECT e.seq, p.name, e.session, e.role, e.at, (SELECT max(b.seq) FROM events b "  # noqa: S608 # numbers
            "WHERE b.project_id = e.project_id AND b.session IS e.session AND b.seq < e.seq) "
            f"FROM events e JOIN projects p ON p.id = e.project_id WHERE e.seq IN ({marks})"
        )
        found = [
            Standing(
                seq=cast("int", seq),
                project=str(name),
                session=None if session is None else str(session),
                role=str(role),
                at=moment(at),
                previous=cast("int | None", before),
            )
            for seq, name, session, role, at, before in rows
        ]
        return {each.seq: each for each in found}

    def previous(self, event: Event) -> Event | None:
        """Return the event of the same session that came before this stored one."""
        row = self._database.one(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE project_id = ? AND session IS ? "  # noqa: S608 # our own columns
            "AND seq < ? ORDER BY seq DESC LIMIT 1",
            (self._projects.number(event.project), event.session, event.seq),
        )
        return None if row is None else event_of(row, event.project)

    def move(self, seqs: Iterable[int], thread_id: str) -> None:
        """Put events on another thread."""
        with self._database.unit():
            self._database.many(
                "UPDATE events SET thread_id = ? WHERE seq = ?", ((thread_id, seq) for seq in seqs)
            )

    def number_of(self, project: str, seq: int) -> int:
        """Count the project's events up to this number."""
        return self._database.number(
            "SELECT count(*) FROM events WHERE project_id = ? AND seq <= ?",
            (self._projects.number(project), seq),
        )

    def nth(self, project: str, number: int) -> int:
        """Return the `seq` of the project's event with this number, from 1; 0 if there is none."""
        return self._database.number(
            "SELECT seq FROM events WHERE project_id = ? ORDER BY seq LIMIT 1 OFFSET ?",
            (self._projects.number(project), number - 1),
        )

    def since(self, project: str, seq: int, limit: int) -> list[Event]:
        """Return the project's next events after this number."""
        rows = self._database.all(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE project_id = ? AND seq > ? "  # noqa: S608 # our own columns
            "ORDER BY seq LIMIT ?",
            (self._projects.number(project), seq, limit),
        )
        return [event_of(row, project) for row in rows]

    def count(self, project: str) -> int:
        """Count the project's events."""
        return self._database.number("SELECT events FROM projects WHERE name = ?", (project,))

    def last(self, project: str) -> int:
        """Return the number of the project's last event; 0 if there is none."""
        return self._database.number(
            "SELECT max(seq) FROM events WHERE project_id = ?", (self._projects.number(project),)
        )

    def of_session(self, project: str, session: str, limit: int) -> list[Event]:
        """Return a session's latest events, the newest first."""
        rows = self._database.all(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE project_id = ? AND session = ? "  # noqa: S608 # our own columns
            "ORDER BY seq DESC LIMIT ?",
            (self._projects.number(project), session, limit),
        )
        return [event_of(row, project) for row in rows]

    def count_on(self, thread_id: str, session: str, after: int) -> int:
        """Count the events that a session put on a thread after a number."""
        return self._database.number(
            "SELECT count(*) FROM events WHERE thread_id = ? AND seq > ? AND session = ?",
            (thread_id, after, session),
        )

    def _all(self, condition: str, *values: str | int) -> list[Event]:
        rows = self._database.all(
            f"SELECT p.name, {_NUMBERED} FROM events e JOIN projects p ON p.id = e.project_id "  # noqa: S608 # our own columns
            f"WHERE {condition} ORDER BY e.seq",
            values,
        )
        return [event_of(row[1:], str(row[0])) for row in rows]


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
