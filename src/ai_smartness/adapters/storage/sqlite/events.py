"""The events of an SQLite file: append-only, numbered by one sequence.

Compactions are among them, and nothing that was said: only who asks for them gets them.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import cast

from ai_smartness.adapters.storage.sqlite.database import Database
from ai_smartness.adapters.storage.sqlite.projects import Projects
from ai_smartness.adapters.storage.sqlite.rows import EVENT_COLUMNS, event_of, moment, row_of_event
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Event
from ai_smartness.model.found import Standing

__all__ = ["SqliteEvents", "mark_of"]

_AT_ONCE = 500
_AMBIGUOUS_SHOWN = 3
_SAID = "type <> 'COMPACTION'"
_NUMBERED = ", ".join(f"e.{column}" for column in EVENT_COLUMNS.split(", "))


class SqliteEvents:
    """Fulfils the port `Events`."""

    def __init__(self, database: Database, projects: Projects) -> None:
        self._database = database
        self._projects = projects

    def append(self, events: Sequence[Event]) -> list[Event]:
        """Add events, at the end unless they have a `seq`, and return them with it."""
        with self._database.unit():
            return [replace(event, seq=self._added(event)) for event in events]

    def _added(self, event: Event) -> int:
        return self._database.run(
            "INSERT INTO events (seq, project_id, id, thread_id, session, type, role, text, "
            "payload, at, source, trust) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (event.seq or None, self._projects.made(event.project), *row_of_event(event)),
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

    def forgotten(self, project: str, ids: Iterable[str]) -> set[str]:
        """Return those ids of events that the project had, and that were forgotten."""
        wanted = {mark_of(project, id_): id_ for id_ in ids}
        marks, found = list(wanted), set[str]()
        for start in range(0, len(marks), _AT_ONCE):
            some = marks[start : start + _AT_ONCE]
            rows = self._database.all(
                f"SELECT mark FROM forgotten WHERE mark IN ({_marks(some)})",  # noqa: S608 # only question marks
                some,
            )
            found.update(wanted[cast("bytes", row[0])] for row in rows)
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
        return self._all(f"e.thread_id = ? AND e.{_SAID}", thread_id)

    def in_view(self, thread_id: str) -> list[Event]:
        """Return those of a thread's events that no compaction in force stands for."""
        return self._all(f"e.thread_id = ? AND e.covered = 0 AND e.{_SAID}", thread_id)

    def compactions(self, thread_id: str) -> list[Event]:
        """Return the compactions on a thread in the order of `seq`."""
        return self._all("e.thread_id = ? AND e.type = 'COMPACTION'", thread_id)

    def cover(self, thread_id: str, seqs: Collection[int]) -> None:
        """Take note that exactly these of a thread's events are stood for by compactions."""
        wanted = set(seqs)
        with self._database.unit():
            rows = self._database.all(
                f"SELECT seq, covered FROM events WHERE thread_id = ? AND {_SAID}",  # noqa: S608 # our own condition
                (thread_id,),
            )
            self._database.many(
                "UPDATE events SET covered = ? WHERE seq = ?",
                ((int(seq in wanted), seq) for seq, mark in rows if (seq in wanted) != bool(mark)),
            )

    def latest_on(self, thread_id: str, limit: int) -> list[Event]:
        """Return the latest so many of a thread's events, in the order of `seq`."""
        rows = self._database.all(
            f"SELECT p.name, {_NUMBERED} FROM events e JOIN projects p ON p.id = e.project_id "  # noqa: S608 # our own columns
            f"WHERE e.thread_id = ? AND e.{_SAID} ORDER BY e.seq DESC LIMIT ?",
            (thread_id, limit),
        )
        return [event_of(row[1:], str(row[0])) for row in reversed(rows)]

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
            "WHERE b.project_id = e.project_id AND b.session IS e.session AND b.seq < e.seq "
            f"AND b.{_SAID}) "
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
            f"AND seq < ? AND {_SAID} ORDER BY seq DESC LIMIT 1",
            (self._projects.number(event.project), event.session, event.seq),
        )
        return None if row is None else event_of(row, event.project)

    def move(self, seqs: Iterable[int], thread_id: str) -> None:
        """Put events on another thread."""
        with self._database.unit():
            self._database.many(
                "UPDATE events SET thread_id = ?1, covered = 0 WHERE seq = ?2 AND thread_id <> ?1",
                ((thread_id, seq) for seq in seqs),
            )

    def number_of(self, project: str, seq: int) -> int:
        """Count the project's events up to this number."""
        number = self._projects.number(project)
        all_ = self._database.number(
            "SELECT count(*) FROM events WHERE project_id = ? AND seq <= ?", (number, seq)
        )
        return all_ - self._compactions_up_to(number, seq)

    def _compactions_up_to(self, project: int | None, seq: int) -> int:
        # Counted apart, each by its index: reading the type of a million rows would take seconds.
        return self._database.number(
            "SELECT count(*) FROM events WHERE project_id = ? AND seq <= ? AND type = 'COMPACTION'",
            (project, seq),
        )

    def nth(self, project: str, number: int) -> int:
        """Return the `seq` of the project's event with this number, from 1; 0 if there is none."""
        of_project, passed, seq, before = self._projects.number(project), -1, 0, 0
        while passed < before:
            passed = before
            seq = self._database.number(
                "SELECT seq FROM events WHERE project_id = ? ORDER BY seq LIMIT 1 OFFSET ?",
                (of_project, number - 1 + passed),
            )
            before = self._compactions_up_to(of_project, seq)
        return seq

    def since(self, project: str, seq: int, limit: int) -> list[Event]:
        """Return the project's next events after this number."""
        rows = self._database.all(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE project_id = ? AND seq > ? "  # noqa: S608 # our own columns
            f"AND {_SAID} ORDER BY seq LIMIT ?",
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

    def session_begins(self, project: str, session: str) -> int:
        """Return the number of a session's first event; 0 if it has none."""
        return self._database.number(
            "SELECT min(seq) FROM events WHERE project_id = ? AND session = ?",
            (self._projects.number(project), session),
        )

    def count_on(self, thread_id: str, session: str, after: int) -> int:
        """Count the events that a session put on a thread after a number."""
        return self._database.number(
            "SELECT count(*) FROM events WHERE thread_id = ? AND seq > ? AND session = ?",
            (thread_id, after, session),
        )

    def counts(self, thread_ids: Sequence[str]) -> dict[str, int]:
        """Count the events of each of these threads that has any."""
        found: dict[str, int] = {}
        for start in range(0, len(thread_ids), _AT_ONCE):
            some = thread_ids[start : start + _AT_ONCE]
            rows = self._database.all(
                f"SELECT thread_id, count(*) FROM events WHERE thread_id IN ({_marks(some)}) "  # noqa: S608 # only question marks
                f"AND {_SAID} GROUP BY thread_id",
                some,
            )
            found.update((str(thread), cast("int", count)) for thread, count in rows)
        return found

    def session_ends(self, project: str) -> dict[str, int]:
        """Return the number of the last event of each of the project's sessions."""
        # From session to session by the index: who asks must not read a million events.
        rows = self._database.all(
            "WITH RECURSIVE known (session) AS ("
            "SELECT min(session) FROM events WHERE project_id = ?1 UNION ALL "
            "SELECT (SELECT min(e.session) FROM events e WHERE e.project_id = ?1 "
            "AND e.session > known.session) FROM known WHERE known.session IS NOT NULL) "
            "SELECT session, (SELECT max(e.seq) FROM events e WHERE e.project_id = ?1 "
            "AND e.session = known.session) FROM known WHERE session IS NOT NULL",
            (self._projects.number(project),),
        )
        return {str(session): cast("int", seq) for session, seq in rows}

    def _all(self, condition: str, *values: str | int) -> list[Event]:
        rows = self._database.all(
            f"SELECT p.name, {_NUMBERED} FROM events e JOIN projects p ON p.id = e.project_id "  # noqa: S608 # our own columns
            f"WHERE {condition} ORDER BY e.seq",
            values,
        )
        return [event_of(row[1:], str(row[0])) for row in rows]


def mark_of(project: str, event_id: str) -> bytes:
    """Return what a forgotten message is known by: it cannot be read back."""
    digest = blake2b(f"{project}\x1f{event_id}".encode(), digest_size=16).digest()
    # No byte of it is a letter: who searches the raw file never takes it for a word.
    return bytes(each | 0x80 for each in digest)


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
