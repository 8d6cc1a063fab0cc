"""The events of an SQLite file: append-only, numbered by one sequence.

Compactions are among them, and nothing that was said: only who asks for them gets them.

What was worked out about the events of an SQLite file.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, cast

from ai_smartness.adapters.sqlite.database import Database, ProjectIds, Row
from ai_smartness.adapters.sqlite.rows import (
    EVENT_COLUMNS,
    event_from_row,
    event_row,
    from_microseconds,
)
from ai_smartness.model.annotation import (
    Annotation,
    KindProposal,
    Mention,
    MentionKind,
    RecordedPlacement,
)
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Event
from ai_smartness.model.search import EventPosition
from ai_smartness.model.thread import Kind

__all__ = ["SqliteAnnotations", "SqliteEvents", "forgotten_hash"]


_BATCH_SIZE = 500
_AMBIGUOUS_SHOWN = 3
_NOT_COMPACTION = "type <> 'COMPACTION'"
_EVENT_COLUMNS = ", ".join(f"e.{column}" for column in EVENT_COLUMNS.split(", "))


class SqliteEvents:
    """Fulfils the port `Events`."""

    def __init__(self, database: Database, projects: ProjectIds) -> None:
        self._database = database
        self._projects = projects

    def append(self, events: Sequence[Event]) -> list[Event]:
        with self._database.unit():
            return [replace(event, seq=self._insert_event(event)) for event in events]

    def _insert_event(self, event: Event) -> int:
        return self._database.run(
            "INSERT INTO events (seq, project_id, id, thread_id, session, type, role, text, "
            "payload, at, source, trust) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (event.seq or None, self._projects.ensure_id(event.project), *event_row(event)),
        )

    def known_ids(self, project: str, ids: Iterable[str]) -> set[str]:
        number = self._projects.find_id(project)
        wanted = list(ids)
        found: set[str] = set()
        for start in range(0, len(wanted) if number else 0, _BATCH_SIZE):
            some = wanted[start : start + _BATCH_SIZE]
            rows = self._database.all(
                f"SELECT id FROM events WHERE project_id = ? AND id IN ({placeholders(some)})",  # only question marks
                (number, *some),
            )
            found.update(str(row[0]) for row in rows)
        return found

    def forgotten_ids(self, project: str, ids: Iterable[str]) -> set[str]:
        wanted = {forgotten_hash(project, id_): id_ for id_ in ids}
        marks, found = list(wanted), set[str]()
        for start in range(0, len(marks), _BATCH_SIZE):
            some = marks[start : start + _BATCH_SIZE]
            rows = self._database.all(
                f"SELECT mark FROM forgotten WHERE mark IN ({placeholders(some)})",  # only question marks
                some,
            )
            found.update(wanted[cast("bytes", row[0])] for row in rows)
        return found

    def get(self, project: str, event_id: str) -> Event:
        rows = self._database.all(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE project_id = ? AND id >= ? AND id < ? "  # our own columns
            "ORDER BY id LIMIT ?",
            (
                self._projects.find_id(project),
                event_id,
                event_id + "\U0010ffff",
                _AMBIGUOUS_SHOWN + 1 if event_id else 0,
            ),
        )
        found = [event_from_row(row, project) for row in rows]
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
        return self._select_events(f"e.thread_id = ? AND e.{_NOT_COMPACTION}", thread_id)

    def in_view(self, thread_id: str) -> list[Event]:
        return self._select_events(
            f"e.thread_id = ? AND e.covered = 0 AND e.{_NOT_COMPACTION}", thread_id
        )

    def compactions_of(self, thread_id: str) -> list[Event]:
        return self._select_events("e.thread_id = ? AND e.type = 'COMPACTION'", thread_id)

    def mark_covered(self, thread_id: str, seqs: Collection[int]) -> None:
        wanted = set(seqs)
        with self._database.unit():
            rows = self._database.all(
                f"SELECT seq, covered FROM events WHERE thread_id = ? AND {_NOT_COMPACTION}",  # our own condition
                (thread_id,),
            )
            self._database.run_many(
                "UPDATE events SET covered = ? WHERE seq = ?",
                ((int(seq in wanted), seq) for seq, mark in rows if (seq in wanted) != bool(mark)),
            )

    def latest_of_thread(self, thread_id: str, limit: int) -> list[Event]:
        rows = self._database.all(
            f"SELECT p.name, {_EVENT_COLUMNS} FROM events e JOIN projects p ON p.id = e.project_id "  # our own columns
            f"WHERE e.thread_id = ? AND e.{_NOT_COMPACTION} ORDER BY e.seq DESC LIMIT ?",
            (thread_id, limit),
        )
        return [event_from_row(row[1:], str(row[0])) for row in reversed(rows)]

    def by_seq(self, seqs: Iterable[int]) -> dict[int, Event]:
        wanted = list(seqs)
        events: dict[int, Event] = {}
        for start in range(0, len(wanted), _BATCH_SIZE):
            some = wanted[start : start + _BATCH_SIZE]
            found = self._select_events(f"e.seq IN ({placeholders(some)})", *some)
            events.update((event.seq, event) for event in found)
        return events

    def positions_by_seq(self, seqs: Iterable[int]) -> dict[int, EventPosition]:
        marks = ", ".join(str(seq) for seq in seqs)
        rows = self._database.all(
            "SELECT e.seq, p.name, e.session, e.role, e.at, (SELECT max(b.seq) FROM events b "  # numbers
            "WHERE b.project_id = e.project_id AND b.session IS e.session AND b.seq < e.seq "
            f"AND b.{_NOT_COMPACTION}) "
            f"FROM events e JOIN projects p ON p.id = e.project_id WHERE e.seq IN ({marks})"
        )
        found = [
            EventPosition(
                seq=cast("int", seq),
                project=str(name),
                session=None if session is None else str(session),
                role=str(role),
                at=from_microseconds(at),
                previous=cast("int | None", before),
            )
            for seq, name, session, role, at, before in rows
        ]
        return {each.seq: each for each in found}

    def previous_in_session(self, event: Event) -> Event | None:
        row = self._database.first_row(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE project_id = ? AND session IS ? "  # our own columns
            f"AND seq < ? AND {_NOT_COMPACTION} ORDER BY seq DESC LIMIT 1",
            (self._projects.find_id(event.project), event.session, event.seq),
        )
        return None if row is None else event_from_row(row, event.project)

    def move(self, seqs: Iterable[int], thread_id: str) -> None:
        with self._database.unit():
            self._database.run_many(
                "UPDATE events SET thread_id = ?1, covered = 0 WHERE seq = ?2 AND thread_id <> ?1",
                ((thread_id, seq) for seq in seqs),
            )

    def count_through(self, project: str, seq: int) -> int:
        number = self._projects.find_id(project)
        all_ = self._database.first_number(
            "SELECT count(*) FROM events WHERE project_id = ? AND seq <= ?", (number, seq)
        )
        return all_ - self._compactions_up_to(number, seq)

    def _compactions_up_to(self, project: int | None, seq: int) -> int:
        # Counted apart, each by its index: reading the type of a million rows would take seconds.
        return self._database.first_number(
            "SELECT count(*) FROM events WHERE project_id = ? AND seq <= ? AND type = 'COMPACTION'",
            (project, seq),
        )

    def seq_of_nth(self, project: str, number: int) -> int:
        of_project, passed, seq, before = self._projects.find_id(project), -1, 0, 0
        while passed < before:
            passed = before
            seq = self._database.first_number(
                "SELECT seq FROM events WHERE project_id = ? ORDER BY seq LIMIT 1 OFFSET ?",
                (of_project, number - 1 + passed),
            )
            before = self._compactions_up_to(of_project, seq)
        return seq

    def after_seq(self, project: str, seq: int, limit: int) -> list[Event]:
        rows = self._database.all(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE project_id = ? AND seq > ? "  # our own columns
            f"AND {_NOT_COMPACTION} ORDER BY seq LIMIT ?",
            (self._projects.find_id(project), seq, limit),
        )
        return [event_from_row(row, project) for row in rows]

    def count(self, project: str) -> int:
        return self._database.first_number("SELECT events FROM projects WHERE name = ?", (project,))

    def last_seq(self, project: str) -> int:
        return self._database.first_number(
            "SELECT max(seq) FROM events WHERE project_id = ?", (self._projects.find_id(project),)
        )

    def latest_of_session(self, project: str, session: str, limit: int) -> list[Event]:
        rows = self._database.all(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE project_id = ? AND session = ? "  # our own columns
            "ORDER BY seq DESC LIMIT ?",
            (self._projects.find_id(project), session, limit),
        )
        return [event_from_row(row, project) for row in rows]

    def first_seq_of_session(self, project: str, session: str) -> int:
        return self._database.first_number(
            "SELECT min(seq) FROM events WHERE project_id = ? AND session = ?",
            (self._projects.find_id(project), session),
        )

    def count_on_thread(self, thread_id: str, session: str, after: int) -> int:
        return self._database.first_number(
            "SELECT count(*) FROM events WHERE thread_id = ? AND seq > ? AND session = ?",
            (thread_id, after, session),
        )

    def counts_by_thread(self, thread_ids: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for start in range(0, len(thread_ids), _BATCH_SIZE):
            some = thread_ids[start : start + _BATCH_SIZE]
            rows = self._database.all(
                f"SELECT thread_id, count(*) FROM events WHERE thread_id IN ({placeholders(some)}) "  # only question marks
                f"AND {_NOT_COMPACTION} GROUP BY thread_id",
                some,
            )
            found.update((str(thread), cast("int", count)) for thread, count in rows)
        return found

    def last_seqs_by_session(self, project: str) -> dict[str, int]:
        # From session to session by the index: who asks must not read a million events.
        rows = self._database.all(
            "WITH RECURSIVE known (session) AS ("
            "SELECT min(session) FROM events WHERE project_id = ?1 UNION ALL "
            "SELECT (SELECT min(e.session) FROM events e WHERE e.project_id = ?1 "
            "AND e.session > known.session) FROM known WHERE known.session IS NOT NULL) "
            "SELECT session, (SELECT max(e.seq) FROM events e WHERE e.project_id = ?1 "
            "AND e.session = known.session) FROM known WHERE session IS NOT NULL",
            (self._projects.find_id(project),),
        )
        return {str(session): cast("int", seq) for session, seq in rows}

    def _select_events(self, condition: str, *values: str | int) -> list[Event]:
        rows = self._database.all(
            f"SELECT p.name, {_EVENT_COLUMNS} FROM events e JOIN projects p ON p.id = e.project_id "  # our own columns
            f"WHERE {condition} ORDER BY e.seq",
            values,
        )
        return [event_from_row(row[1:], str(row[0])) for row in rows]


def forgotten_hash(project: str, event_id: str) -> bytes:
    """Return what a forgotten message is known by: it cannot be read back."""
    digest = blake2b(f"{project}\x1f{event_id}".encode(), digest_size=16).digest()
    # No byte of it is a letter: who searches the raw file never takes it for a word.
    return bytes(each | 0x80 for each in digest)


def placeholders(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


_ANNOTATION_BATCH = 500


class SqliteAnnotations:
    """Fulfils the port `Notes`."""

    def __init__(self, database: Database, projects: ProjectIds) -> None:
        self._database = database
        self._projects = projects

    def add(self, notes: Sequence[Annotation]) -> None:
        with self._database.unit():
            self._database.run_many(
                "INSERT OR REPLACE INTO notes (seq, placed, mentions, proposals, commit_id) "
                "VALUES (?, ?, ?, ?, ?)",
                (_annotation_row(note) for note in notes),
            )

    def of(self, seqs: Iterable[int]) -> dict[int, Annotation]:
        wanted = list(seqs)
        found: dict[int, Annotation] = {}
        for start in range(0, len(wanted), _ANNOTATION_BATCH):
            marks = ", ".join(str(seq) for seq in wanted[start : start + _ANNOTATION_BATCH])
            rows = self._database.all(
                "SELECT seq, placed, mentions, proposals, commit_id FROM notes "  # numbers
                f"WHERE seq IN ({marks})"
            )
            found.update((note.seq, note) for note in map(_annotation_from_row, rows))
        return found

    def described_through(self, project: str) -> int:
        return self._database.first_number("SELECT told FROM projects WHERE name = ?", (project,))

    def mark_described(self, project: str, seq: int) -> None:
        with self._database.unit():
            number = self._projects.ensure_id(project)
            self._database.run("UPDATE projects SET told = ? WHERE id = ?", (seq, number))


def _annotation_row(note: Annotation) -> Row:
    placed = note.placed
    return (
        note.seq,
        _annotation_json(
            [placed.reason, placed.score, placed.margin, placed.evidence, placed.held]
        ),
        _annotation_json(
            [[each.named, each.name, each.line, each.digest] for each in note.mentions]
        ),
        _annotation_json([[each.kind, each.sentence, each.plainness] for each in note.proposals]),
        note.commit,
    )


def _annotation_from_row(row: Row) -> Annotation:
    seq, placed, mentions, proposals, commit = row
    reason, score, margin, evidence, held = json.loads(str(placed))
    return Annotation(
        seq=int(seq or 0),
        placed=RecordedPlacement(
            reason, score, margin, tuple((name, value) for name, value in evidence), bool(held)
        ),
        mentions=tuple(
            Mention(MentionKind(named), name, line, digest)
            for named, name, line, digest in _annotation_list(str(mentions))
        ),
        proposals=tuple(
            KindProposal(Kind(kind), sentence, plainness)
            for kind, sentence, plainness in _annotation_list(str(proposals))
        ),
        commit=None if commit is None else str(commit),
    )


def _annotation_list(written: str) -> list[Any]:
    # Most messages name nothing and state nothing.
    return [] if written == "[]" else cast("list[Any]", json.loads(written))


def _annotation_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
