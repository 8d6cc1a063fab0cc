"""The threads and sessions of an SQLite file.

The bridges of an SQLite file.

What is in focus, in an SQLite file.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from ai_smartness.adapters.sqlite.database import Database, ProjectIds, Row, Value
from ai_smartness.adapters.sqlite.rows import (
    THREAD_COLUMNS,
    from_microseconds,
    thread_from_row,
    thread_row,
    to_microseconds,
)
from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.focus import Focus
from ai_smartness.model.link import Remedy, ThreadListLink
from ai_smartness.model.session import Session
from ai_smartness.model.thread import Thread

__all__ = [
    "BRIDGE_COLUMNS",
    "FOCUS_COLUMNS",
    "SqliteBridges",
    "SqliteFoci",
    "SqliteThreads",
    "bridge_from_row",
    "bridge_row",
    "focus_from_row",
    "focus_row",
]


_THREAD_COLUMNS = THREAD_COLUMNS.split(", ")
_SAVE_THREAD = (
    f"INSERT INTO threads (project_id, {THREAD_COLUMNS}) "  # our own columns
    f"VALUES ({', '.join('?' * (len(_THREAD_COLUMNS) + 1))}) ON CONFLICT (id) DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in _THREAD_COLUMNS[1:])
)
_AMBIGUOUS_SHOWN = 3


class SqliteThreads:
    """Fulfils the port `Threads`."""

    def __init__(self, database: Database, projects: ProjectIds) -> None:
        self._database = database
        self._projects = projects

    def get(self, thread_id: str) -> Thread:
        found = self._threads_with_prefix(thread_id) if thread_id else []
        exact = [thread for thread in found if thread.id == thread_id]
        if exact:
            return exact[0]
        if not found:
            problem = f"there is no thread {thread_id or '(empty id)'}."
            raise NotFoundError(problem, Remedy(ThreadListLink(), "{}"))
        if len(found) > 1:
            some = ", ".join(thread.id for thread in found[:_AMBIGUOUS_SHOWN])
            msg = f"{thread_id} is the start of several thread ids ({some} …). Give more of it."
            raise RefusedError(msg)
        return found[0]

    def has(self, thread_id: str) -> bool:
        return (
            self._database.first_row("SELECT 1 FROM threads WHERE id = ?", (thread_id,)) is not None
        )

    def _threads_with_prefix(self, start: str) -> list[Thread]:
        rows = self._database.all(
            f"SELECT p.name, {', '.join('t.' + column for column in _THREAD_COLUMNS)} "  # our own columns
            "FROM threads t JOIN projects p ON p.id = t.project_id "
            "WHERE t.id >= ? AND t.id < ? ORDER BY t.id LIMIT ?",
            (start, start + "\U0010ffff", _AMBIGUOUS_SHOWN + 1),
        )
        return [thread_from_row(row[1:], str(row[0])) for row in rows]

    def all(self, project: str) -> list[Thread]:
        rows = self._database.all(
            f"SELECT {THREAD_COLUMNS} FROM threads WHERE project_id = ? "  # our own columns
            "ORDER BY last_active DESC, id",
            (self._projects.find_id(project),),
        )
        return [thread_from_row(row, project) for row in rows]

    def save(self, thread: Thread) -> None:
        with self._database.unit():
            self._database.run(
                _SAVE_THREAD, (self._projects.ensure_id(thread.project), *thread_row(thread))
            )

    def always_shown(self, project: str) -> list[Thread]:
        rows = self._database.all(
            f"SELECT {THREAD_COLUMNS} FROM threads INDEXED BY threads_standing "  # our own columns
            "WHERE project_id = ? AND (kind IN ('identity', 'preference') OR origin = 'pin' "
            "OR instr(tags, '\"pinned\"') > 0) AND status <> 'archived' ORDER BY weight DESC, id",
            (self._projects.find_id(project),),
        )
        return [thread_from_row(row, project) for row in rows]

    def remove(self, thread_id: str) -> None:
        self._database.run("DELETE FROM threads WHERE id = ?", (thread_id,))

    def latest_thread_id(self, project: str, session: str | None) -> str | None:
        row = self._database.first_row(
            "SELECT thread_id FROM events WHERE project_id = ? AND session IS ? "
            "AND type <> 'COMPACTION' ORDER BY seq DESC LIMIT 1",
            (self._projects.find_id(project), session),
        )
        return None if row is None else str(row[0])

    def find_session(self, project: str, session_id: str) -> Session | None:
        row = self._database.first_row(
            "SELECT client, turn, epoch, beat, epoch_seq, crossed FROM sessions "
            "WHERE project_id = ? AND id = ?",
            (self._projects.find_id(project), session_id),
        )
        if row is None:
            return None
        turn, epoch, beat, epoch_seq = (cast("int", value) for value in row[1:5])
        return Session(
            id=session_id,
            project=project,
            client=str(row[0]),
            turn=turn,
            epoch=epoch,
            beat=beat,
            epoch_seq=epoch_seq,
            crossed=cast("float", row[5]),
        )

    def save_session(self, session: Session) -> None:
        with self._database.unit():
            self._database.run(
                "INSERT OR REPLACE INTO sessions "
                "(project_id, id, client, turn, epoch, beat, epoch_seq, crossed) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    self._projects.ensure_id(session.project),
                    session.id,
                    session.client,
                    session.turn,
                    session.epoch,
                    session.beat,
                    session.epoch_seq,
                    session.crossed,
                ),
            )


BRIDGE_COLUMNS = (
    "id, source, target, relation, weight, reason, confidence, made_by, last_used, unwanted"
)
_BRIDGE_NAMES = BRIDGE_COLUMNS.split(", ")
_BRIDGE_PLACEHOLDERS = ", ".join("?" * len(_BRIDGE_NAMES))
_AMBIGUOUS_BRIDGES_SHOWN = 3


class SqliteBridges:
    """Fulfils the port `Bridges`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, bridges: Sequence[Bridge]) -> None:
        with self._database.unit():
            self._database.run_many(
                f"INSERT OR REPLACE INTO bridges ({BRIDGE_COLUMNS}) VALUES ({_BRIDGE_PLACEHOLDERS})",  # our own columns
                (bridge_row(bridge) for bridge in bridges),
            )

    def get(self, bridge_id: str) -> Bridge:
        found = self._select_bridges(
            "id >= ? AND id < ? ORDER BY id LIMIT ?",
            (bridge_id, bridge_id + "\U0010ffff", _AMBIGUOUS_BRIDGES_SHOWN + 1)
            if bridge_id
            else ("", "", 0),
        )
        exact = [bridge for bridge in found if bridge.id == bridge_id]
        if exact or len(found) == 1:
            return (exact or found)[0]
        if not found:
            msg = f"there is no bridge {bridge_id or '(empty id)'}. `ais bridges` lists them."
            raise NotFoundError(msg)
        some = ", ".join(bridge.id for bridge in found[:_AMBIGUOUS_BRIDGES_SHOWN])
        msg = f"{bridge_id} is the start of several bridge ids ({some} …). Give more of it."
        raise RefusedError(msg)

    def of(self, thread_id: str, *, unwanted: bool = False) -> list[Bridge]:
        return self._select_bridges(
            "(source = ? OR target = ?) AND unwanted <= ? ORDER BY weight DESC, id",
            (thread_id, thread_id, int(unwanted)),
        )

    def all(self, project: str) -> list[Bridge]:
        return self._select_bridges(
            "unwanted = 0 AND source IN (SELECT t.id FROM threads t JOIN projects p "
            "ON p.id = t.project_id WHERE p.name = ?) ORDER BY weight DESC, id",
            (project,),
        )

    def of_change(self, project: str, limit: int) -> list[Bridge]:
        rows = self._database.all(
            f"SELECT {BRIDGE_COLUMNS} FROM bridges INDEXED BY bridges_of_change "  # our own columns
            "WHERE relation IN ('contradicts', 'updates', 'replaces') AND unwanted = 0 "
            "AND EXISTS (SELECT 1 FROM threads t JOIN projects p ON p.id = t.project_id "
            "WHERE t.id = source AND p.name = ?) ORDER BY last_used DESC, id LIMIT ?",
            (project, limit),
        )
        return [bridge_from_row(row) for row in rows]

    def remove(self, ids: Sequence[str]) -> None:
        with self._database.unit():
            self._database.run_many("DELETE FROM bridges WHERE id = ?", ((each,) for each in ids))

    def _select_bridges(self, condition: str, values: Sequence[Value]) -> list[Bridge]:
        rows = self._database.all(
            f"SELECT {BRIDGE_COLUMNS} FROM bridges WHERE {condition}",  # our own columns
            values,
        )
        return [bridge_from_row(row) for row in rows]


def bridge_row(bridge: Bridge) -> Row:
    """Lay a bridge out by `BRIDGE_COLUMNS`."""
    return (
        bridge.id,
        bridge.source,
        bridge.target,
        bridge.relation.value,
        bridge.weight,
        bridge.reason,
        bridge.confidence,
        bridge.made_by,
        to_microseconds(bridge.last_used),
        int(bridge.unwanted),
    )


def bridge_from_row(row: Row) -> Bridge:
    """Read a bridge from `BRIDGE_COLUMNS`."""
    id_, source, target, relation, weight, reason, confidence, made_by, last_used, unwanted = row
    return Bridge(
        id=str(id_),
        source=str(source),
        target=str(target),
        relation=Relation(str(relation)),
        weight=cast("float", weight),
        reason=str(reason),
        confidence=cast("float", confidence),
        made_by=str(made_by),
        last_used=from_microseconds(last_used),
        unwanted=bool(unwanted),
    )


FOCUS_COLUMNS = "topic, weight, set_at, session, until"

_NO_SESSION = ""
"""Stands for no session: one that is empty is none."""

_FOCUS_ORDER = "ORDER BY set_at, session, folded"


class SqliteFoci:
    """Fulfils the port `Foci`."""

    def __init__(self, database: Database, projects: ProjectIds) -> None:
        self._database = database
        self._projects = projects

    def in_force(self, projects: Sequence[str], session: str | None, at: datetime) -> list[Focus]:
        marks = ", ".join("?" * len(projects))
        return self._select_foci(
            f"project_id IN (SELECT id FROM projects WHERE name IN ({marks})) "  # only question marks
            f"AND session IN (?, ?) AND (until IS NULL OR until > ?) {_FOCUS_ORDER}",
            (*projects, _NO_SESSION, session or _NO_SESSION, to_microseconds(at)),
        )

    def all(self, project: str) -> list[Focus]:
        return self._select_foci(
            f"project_id = ? {_FOCUS_ORDER}", (self._projects.find_id(project),)
        )

    def save(self, project: str, foci: Sequence[Focus]) -> None:
        with self._database.unit():
            number = self._projects.ensure_id(project)
            self._database.run_many(
                "INSERT OR REPLACE INTO focus "
                "(project_id, folded, topic, weight, set_at, session, until) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                ((number, each.key[1], *focus_row(each)) for each in foci),
            )

    def remove(self, project: str, foci: Sequence[Focus]) -> None:
        with self._database.unit():
            number = self._projects.find_id(project)
            self._database.run_many(
                "DELETE FROM focus WHERE project_id = ? AND session = ? AND folded = ?",
                ((number, each.session or _NO_SESSION, each.key[1]) for each in foci),
            )

    def _select_foci(self, condition: str, values: Sequence[Value]) -> list[Focus]:
        rows = self._database.all(
            f"SELECT {FOCUS_COLUMNS} FROM focus WHERE {condition}",  # our own columns
            values,
        )
        return [focus_from_row(row) for row in rows]


def focus_row(focus: Focus) -> Row:
    """Lay a focus out by `FOCUS_COLUMNS`."""
    return (
        focus.topic,
        focus.weight,
        to_microseconds(focus.set_at),
        focus.session or _NO_SESSION,
        None if focus.until is None else to_microseconds(focus.until),
    )


def focus_from_row(row: Row) -> Focus:
    """Read a focus from `FOCUS_COLUMNS`."""
    topic, weight, set_at, session, until = row
    return Focus(
        topic=str(topic),
        weight=cast("float", weight),
        set_at=from_microseconds(set_at),
        session=str(session) or None,
        until=None if until is None else from_microseconds(until),
    )
