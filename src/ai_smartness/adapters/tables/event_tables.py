"""The tables of events and their annotations.

Events are append-only and numbered by one sequence. Compactions are events too, but
no messages: most queries leave them out.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from ai_smartness.adapters.tables.rows import (
    EVENT_ROWS,
    compact_json,
    from_microseconds,
    json_list,
    prefix_range,
    to_microseconds,
    unique_match,
)
from ai_smartness.adapters.tables.sql_database import ProjectTables, Row, Value
from ai_smartness.model.annotation import (
    Annotation,
    KindProposal,
    Mention,
    MentionKind,
    RecordedPlacement,
)
from ai_smartness.model.browse import ThreadActivity
from ai_smartness.model.erasure import forgotten_hash
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.event import Event
from ai_smartness.model.search import EventPosition
from ai_smartness.model.short_ids import MESSAGE_ID_START, id_starts
from ai_smartness.model.thread import Kind

__all__ = ["NOT_COMPACTION", "AnnotationTable", "EventTable", "neighbour"]

NOT_COMPACTION = "type <> 'COMPACTION'"
_SELECT_EVENTS = (
    f"SELECT p.name, {', '.join(f'e.{column}' for column in EVENT_ROWS.names)} "
    "FROM events e JOIN projects p ON p.id = e.project_id WHERE "
)


def neighbour(end: str, side: str) -> str:
    """Return the query for the message before or after the event `e` in its session.

    Events without a session are one session; asked for apart, both are found by an index.
    """
    sessions = ("n.session IS NULL", "n.session = e.session")
    without, within = (
        f"(SELECT {end}(n.seq) FROM events n WHERE n.project_id = e.project_id AND {same} "
        f"AND n.seq {side} e.seq AND n.{NOT_COMPACTION})"
        for same in sessions
    )
    return f"CASE WHEN e.session IS NULL THEN {without} ELSE {within} END"


class _SessionEnds(NamedTuple):
    """The last event of each session, among so many events of a project up to one."""

    by_session: dict[str, int]
    through: int
    events: int


class EventTable(ProjectTables):
    """Fulfils the port `Events`."""

    _engine_columns: Mapping[str, Value] = {}
    """Columns that only one engine has, with the value that every event gets."""

    @cached_property
    def _session_ends(self) -> dict[str, _SessionEnds]:
        """What was found by project: there are thousands of sessions, and only the last go on."""
        return {}

    def append(self, events: Sequence[Event]) -> list[Event]:
        with self._database.unit():
            return [replace(event, seq=self._insert_event(event)) for event in events]

    def _insert_event(self, event: Event) -> int:
        start = 0 if event.seq else 1
        columns = [*EVENT_ROWS.names[start:], *self._engine_columns]
        values = (*EVENT_ROWS.row(event)[start:], *self._engine_columns.values())
        return self._database.insert(
            f"INSERT INTO events (project_id, {', '.join(columns)}) "
            f"VALUES (?, {', '.join('?' * len(columns))})",
            (self._projects.ensure_id(event.project), *values),
            "seq",
        )

    def known_ids(self, project: str, ids: Iterable[str]) -> set[str]:
        rows = self._database.all_in(
            "SELECT id FROM events WHERE project_id = ? AND id IN ({})",
            ids,
            (self._projects.find_id(project),),
        )
        return {row[0] for row in rows}

    def forgotten_ids(self, project: str, ids: Iterable[str]) -> set[str]:
        by_hash = {forgotten_hash(project, event_id): event_id for event_id in ids}
        rows = self._database.all_in("SELECT mark FROM forgotten WHERE mark IN ({})", by_hash)
        return {by_hash[row[0]] for row in rows}

    def get(self, project: str, event_id: str) -> Event:
        for start in id_starts(MESSAGE_ID_START, event_id):
            events = self._select_in_project(
                project, "id >= ? AND id < ? ORDER BY id LIMIT ?", *prefix_range(start)
            )
            event = unique_match("message", start, {event.id: event for event in events})
            if event is not None:
                break
        if event is None:
            shown_id = event_id or "(empty id)"
            msg = f"there is no message {shown_id} in project {project}. `ais search` finds ids."
            raise NotFoundError(msg)
        return event

    def of_thread(self, thread_id: str) -> list[Event]:
        return self._select(f"e.thread_id = ? AND e.{NOT_COMPACTION} ORDER BY e.seq", thread_id)

    def in_view(self, thread_id: str) -> list[Event]:
        return self._select(
            f"e.thread_id = ? AND e.covered = 0 AND e.{NOT_COMPACTION} ORDER BY e.seq", thread_id
        )

    def compactions_of(self, thread_id: str) -> list[Event]:
        return self._select("e.thread_id = ? AND e.type = 'COMPACTION' ORDER BY e.seq", thread_id)

    def mark_covered(self, thread_id: str, seqs: Collection[int]) -> None:
        covered = set(seqs)
        with self._database.unit():
            rows = self._database.all(
                f"SELECT seq, covered FROM events WHERE thread_id = ? AND {NOT_COMPACTION}",
                (thread_id,),
            )
            self._database.run_many(
                "UPDATE events SET covered = ? WHERE seq = ?",
                (
                    (int(seq in covered), seq)
                    for seq, mark in rows
                    if (seq in covered) != bool(mark)
                ),
            )

    def latest_of_thread(
        self, thread_id: str, limit: int, before: int | None = None
    ) -> list[Event]:
        condition = f"e.thread_id = ? AND e.{NOT_COMPACTION}"
        values: list[Value] = [thread_id]
        if before is not None:
            condition += " AND e.seq < ?"
            values.append(before)
        return self._select(f"{condition} ORDER BY e.seq DESC LIMIT ?", *values, limit)[::-1]

    def times_of_thread(self, thread_id: str) -> list[datetime]:
        rows = self._database.all(
            f"SELECT DISTINCT at FROM events WHERE thread_id = ? AND {NOT_COMPACTION} ORDER BY at",
            (thread_id,),
        )
        return [from_microseconds(at) for (at,) in rows]

    def activity(
        self, thread_ids: Sequence[str], since: datetime, step: timedelta, steps: int
    ) -> list[ThreadActivity]:
        start, width = to_microseconds(since), step // timedelta(microseconds=1)
        rows = self._database.all_in(
            f"SELECT thread_id, session, (at - {start}) / {width} AS step, count(*) FROM events "
            f"WHERE at >= {start} AND at < {start + steps * width} AND {NOT_COMPACTION} "
            "AND thread_id IN ({}) GROUP BY thread_id, session, step ORDER BY thread_id, step",
            thread_ids,
        )
        return [ThreadActivity(*row) for row in rows]

    def by_seq(self, seqs: Iterable[int]) -> dict[int, Event]:
        rows = self._database.all_in(_SELECT_EVENTS + "e.seq IN ({}) ORDER BY e.seq", seqs)
        return {event.seq: event for event in map(_event, rows)}

    def texts_with(self, project: str, part: str) -> list[str]:
        rows = self._database.all(
            "SELECT text FROM events WHERE project_id = ? "
            f"AND {self._database.POSITION}(text, ?) > 0",
            (self._projects.find_id(project), part),
        )
        return [text for (text,) in rows]

    def texts_by_seq(self, seqs: Iterable[int]) -> dict[int, str]:
        rows = self._database.all_in("SELECT seq, text FROM events WHERE seq IN ({})", seqs)
        return dict(sorted(rows))

    def positions_by_seq(self, seqs: Iterable[int]) -> dict[int, EventPosition]:
        rows = self._database.all_in(
            f"SELECT e.seq, p.name, e.session, e.role, e.at, {neighbour('max', '<')} FROM events e "
            "JOIN projects p ON p.id = e.project_id WHERE e.seq IN ({})",
            seqs,
        )
        positions = (
            EventPosition(
                seq=seq,
                project=project,
                session=session,
                role=role,
                at=from_microseconds(at),
                previous=previous,
            )
            for seq, project, session, role, at, previous in rows
        )
        return {position.seq: position for position in positions}

    def previous_in_session(self, event: Event) -> Event | None:
        of_session = "session IS NULL" if event.session is None else "session = ?"
        events = self._select_in_project(
            event.project,
            f"{of_session} AND seq < ? AND {NOT_COMPACTION} ORDER BY seq DESC LIMIT 1",
            *(() if event.session is None else (event.session,)),
            event.seq,
        )
        return events[0] if events else None

    def move(self, seqs: Iterable[int], thread_id: str) -> None:
        with self._database.unit():
            self._database.run_many(
                "UPDATE events SET thread_id = ?1, covered = 0 WHERE seq = ?2 AND thread_id <> ?1",
                ((thread_id, seq) for seq in seqs),
            )

    def count_through(self, project: str, seq: int) -> int:
        project_id = self._projects.find_id(project)
        events = self._database.first_number(
            "SELECT count(*) FROM events WHERE project_id = ? AND seq <= ?", (project_id, seq)
        )
        return events - self._compactions_through(project_id, seq)

    def _compactions_through(self, project_id: int | None, seq: int) -> int:
        # Counted apart, each by its index: reading the type of a million rows would take seconds.
        return self._database.first_number(
            "SELECT count(*) FROM events WHERE project_id = ? AND seq <= ? AND type = 'COMPACTION'",
            (project_id, seq),
        )

    def seq_of_nth(self, project: str, number: int) -> int:
        project_id, skipped, seq, compactions = self._projects.find_id(project), -1, 0, 0
        while skipped < compactions:
            skipped = compactions
            seq = self._database.first_number(
                "SELECT seq FROM events WHERE project_id = ? ORDER BY seq LIMIT 1 OFFSET ?",
                (project_id, max(0, number - 1 + skipped)),
            )
            compactions = self._compactions_through(project_id, seq)
        return seq

    def after_seq(self, project: str, seq: int, limit: int) -> list[Event]:
        condition = f"seq > ? AND {NOT_COMPACTION} ORDER BY seq LIMIT ?"
        return self._select_in_project(project, condition, seq, limit)

    def count(self, project: str) -> int:
        return self._database.first_number("SELECT events FROM projects WHERE name = ?", (project,))

    def last_seq(self, project: str) -> int:
        return self._database.first_number(
            "SELECT max(seq) FROM events WHERE project_id = ?", (self._projects.find_id(project),)
        )

    def latest_of_session(self, project: str, session: str, limit: int) -> list[Event]:
        condition = "session = ? ORDER BY seq DESC LIMIT ?"
        return self._select_in_project(project, condition, session, limit)

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
        rows = self._database.all_in(
            "SELECT thread_id, count(*) FROM events WHERE thread_id IN ({}) "
            f"AND {NOT_COMPACTION} GROUP BY thread_id",
            thread_ids,
        )
        return dict(rows)

    def last_seqs_by_session(self, project: str) -> dict[str, int]:
        count, through = self.count(project), self.last_seq(project)
        known = self._session_ends.get(project)
        later = self._events_by_session(project, known.through) if known else []
        if known and known.events + sum(events for _, _, events in later) == count:
            new = {session: seq for session, seq, _ in later if session is not None}
            ends = known.by_session | new
        else:  # for the first time, or events were deleted since
            ends = self._all_session_ends(self._projects.find_id(project))
        self._session_ends[project] = _SessionEnds(ends, through, count)
        return dict(ends)

    def _events_by_session(self, project: str, after: int) -> list[Row]:
        """Return each session after a `seq`, its last event and how many it has."""
        return self._database.all(
            # The plus keeps SQLite from walking all events of the project.
            "SELECT session, max(seq), count(*) FROM events WHERE +project_id = ? AND seq > ? "
            "GROUP BY session",
            (self._projects.find_id(project), after),
        )

    def _all_session_ends(self, project_id: int | None) -> dict[str, int]:
        # From session to session by the index, without reading a million events.
        rows = self._database.all(
            "WITH RECURSIVE known (session) AS ("
            "SELECT min(session) FROM events WHERE project_id = ?1 UNION ALL "
            "SELECT (SELECT min(e.session) FROM events e WHERE e.project_id = ?1 "
            "AND e.session > known.session) FROM known WHERE known.session IS NOT NULL) "
            "SELECT session, (SELECT max(e.seq) FROM events e WHERE e.project_id = ?1 "
            "AND e.session = known.session) FROM known WHERE session IS NOT NULL",
            (project_id,),
        )
        return dict(rows)

    def _select(self, condition: str, *values: Value) -> list[Event]:
        return [_event(row) for row in self._database.all(_SELECT_EVENTS + condition, values)]

    def _select_in_project(self, project: str, condition: str, *values: Value) -> list[Event]:
        rows = self._database.all(
            f"SELECT {EVENT_ROWS.columns} FROM events WHERE project_id = ? AND {condition}",
            (self._projects.find_id(project), *values),
        )
        return [EVENT_ROWS.value(row, project=project) for row in rows]


def _event(row: Row) -> Event:
    return EVENT_ROWS.value(row[1:], project=row[0])


class AnnotationTable(ProjectTables):
    """Fulfils the port `Annotations`."""

    def add(self, notes: Sequence[Annotation]) -> None:
        with self._database.unit():
            self._database.run_many(
                "INSERT INTO notes (seq, placed, mentions, proposals, commit_id) "
                "VALUES (?, ?, ?, ?, ?) ON CONFLICT (seq) DO UPDATE SET placed = excluded.placed, "
                "mentions = excluded.mentions, proposals = excluded.proposals, "
                "commit_id = excluded.commit_id",
                (_annotation_row(note) for note in notes),
            )

    def of(self, seqs: Iterable[int]) -> dict[int, Annotation]:
        rows = self._database.all_in(
            "SELECT seq, placed, mentions, proposals, commit_id FROM notes WHERE seq IN ({})", seqs
        )
        return {note.seq: note for note in map(_annotation_from_row, rows)}

    def mentions(self, seqs: Iterable[int]) -> dict[int, tuple[Mention, ...]]:
        rows = self._database.all_in(
            "SELECT seq, mentions FROM notes WHERE mentions <> '[]' AND seq IN ({})", seqs
        )
        return {seq: _read_mentions(mentions) for seq, mentions in rows}

    def described_through(self, project: str) -> int:
        return self._database.first_number("SELECT told FROM projects WHERE name = ?", (project,))

    def mark_described(self, project: str, seq: int) -> None:
        with self._database.unit():
            project_id = self._projects.ensure_id(project)
            self._database.run("UPDATE projects SET told = ? WHERE id = ?", (seq, project_id))


def _annotation_row(note: Annotation) -> Row:
    placed = note.placed
    mentions = [
        [mention.named, mention.name, mention.line, mention.digest] for mention in note.mentions
    ]
    proposals = [
        [proposal.kind, proposal.sentence, proposal.plainness] for proposal in note.proposals
    ]
    reasons = [placed.reason, placed.score, placed.margin, placed.evidence, placed.held]
    json_columns = (compact_json(value) for value in (reasons, mentions, proposals))
    return (note.seq, *json_columns, note.commit)


def _annotation_from_row(row: Row) -> Annotation:
    seq, placed, mentions, proposals, commit = row
    reason, score, margin, evidence, held = json.loads(placed)
    return Annotation(
        seq=seq,
        placed=RecordedPlacement(
            reason, score, margin, tuple((name, value) for name, value in evidence), bool(held)
        ),
        mentions=_read_mentions(mentions),
        proposals=tuple(
            KindProposal(Kind(kind), sentence, plainness)
            for kind, sentence, plainness in json_list(proposals)
        ),
        commit=commit,
    )


def _read_mentions(column: str) -> tuple[Mention, ...]:
    return tuple(
        Mention(MentionKind(named), name, line, digest)
        for named, name, line, digest in json_list(column)
    )
