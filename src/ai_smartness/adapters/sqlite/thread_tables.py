"""The tables of threads, sessions, bridges and foci."""

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from ai_smartness.adapters.sqlite.database import Database, ProjectTables, Value
from ai_smartness.adapters.sqlite.rows import (
    BRIDGE_COLUMNS,
    FOCUS_COLUMNS,
    NO_SESSION,
    THREAD_COLUMNS,
    bridge_from_row,
    bridge_row,
    focus_from_row,
    focus_row,
    prefix_range,
    thread_from_row,
    thread_row,
    to_microseconds,
    unique_match,
)
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.focus import Focus
from ai_smartness.model.link import Remedy, ThreadListLink
from ai_smartness.model.session import Session
from ai_smartness.model.thread import Thread

__all__ = ["SqliteBridges", "SqliteFoci", "SqliteThreads"]

_THREAD_COLUMNS = THREAD_COLUMNS.split(", ")
_SAVE_THREAD = (
    f"INSERT INTO threads (project_id, {THREAD_COLUMNS}) "
    f"VALUES ({', '.join('?' * (len(_THREAD_COLUMNS) + 1))}) ON CONFLICT (id) DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in _THREAD_COLUMNS[1:])
)
_BRIDGE_PLACEHOLDERS = ", ".join("?" * len(BRIDGE_COLUMNS.split(", ")))
_FOCUS_ORDER = "ORDER BY set_at, session, folded"


class SqliteThreads(ProjectTables):
    """Fulfils the port `Threads`."""

    def get(self, thread_id: str) -> Thread:
        rows = self._database.all(
            f"SELECT p.name, {', '.join('t.' + column for column in _THREAD_COLUMNS)} "
            "FROM threads t JOIN projects p ON p.id = t.project_id "
            "WHERE t.id >= ? AND t.id < ? ORDER BY t.id LIMIT ?",
            prefix_range(thread_id),
        )
        threads = [thread_from_row(row[1:], str(row[0])) for row in rows]
        problem = f"there is no thread {thread_id or '(empty id)'}."
        missing = NotFoundError(problem, Remedy(ThreadListLink(), "{}"))
        return unique_match("thread", thread_id, {thread.id: thread for thread in threads}, missing)

    def has(self, thread_id: str) -> bool:
        row = self._database.first_row("SELECT 1 FROM threads WHERE id = ?", (thread_id,))
        return row is not None

    def all(self, project: str) -> list[Thread]:
        return self._select(project, "threads WHERE project_id = ? ORDER BY last_active DESC, id")

    def save(self, thread: Thread) -> None:
        with self._database.unit():
            project_id = self._projects.ensure_id(thread.project)
            self._database.run(_SAVE_THREAD, (project_id, *thread_row(thread)))

    def always_shown(self, project: str) -> list[Thread]:
        return self._select(
            project,
            "threads INDEXED BY threads_standing "
            "WHERE project_id = ? AND (kind IN ('identity', 'preference') OR origin = 'pin' "
            "OR instr(tags, '\"pinned\"') > 0) AND status <> 'archived' ORDER BY weight DESC, id",
        )

    def _select(self, project: str, source: str) -> list[Thread]:
        rows = self._database.all(
            f"SELECT {THREAD_COLUMNS} FROM {source}", (self._projects.find_id(project),)
        )
        return [thread_from_row(row, project) for row in rows]

    def remove(self, thread_id: str) -> None:
        self._database.run("DELETE FROM threads WHERE id = ?", (thread_id,))

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


class SqliteBridges:
    """Fulfils the port `Bridges`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, bridges: Sequence[Bridge]) -> None:
        with self._database.unit():
            self._database.run_many(
                f"INSERT OR REPLACE INTO bridges ({BRIDGE_COLUMNS}) "
                f"VALUES ({_BRIDGE_PLACEHOLDERS})",
                (bridge_row(bridge) for bridge in bridges),
            )

    def get(self, bridge_id: str) -> Bridge:
        bridges = self._select(
            "WHERE id >= ? AND id < ? ORDER BY id LIMIT ?", prefix_range(bridge_id)
        )
        problem = f"there is no bridge {bridge_id or '(empty id)'}. `ais bridges` lists them."
        by_id = {bridge.id: bridge for bridge in bridges}
        return unique_match("bridge", bridge_id, by_id, NotFoundError(problem))

    def of(self, thread_id: str, *, unwanted: bool = False) -> list[Bridge]:
        return self._select(
            "WHERE (source = ? OR target = ?) AND unwanted <= ? ORDER BY weight DESC, id",
            (thread_id, thread_id, int(unwanted)),
        )

    def all(self, project: str) -> list[Bridge]:
        return self._select(
            "WHERE unwanted = 0 AND source IN (SELECT t.id FROM threads t JOIN projects p "
            "ON p.id = t.project_id WHERE p.name = ?) ORDER BY weight DESC, id",
            (project,),
        )

    def of_change(self, project: str, limit: int) -> list[Bridge]:
        return self._select(
            "INDEXED BY bridges_of_change "
            "WHERE relation IN ('contradicts', 'updates', 'replaces') AND unwanted = 0 "
            "AND EXISTS (SELECT 1 FROM threads t JOIN projects p ON p.id = t.project_id "
            "WHERE t.id = source AND p.name = ?) ORDER BY last_used DESC, id LIMIT ?",
            (project, limit),
        )

    def remove(self, ids: Sequence[str]) -> None:
        with self._database.unit():
            self._database.run_many(
                "DELETE FROM bridges WHERE id = ?", ((bridge_id,) for bridge_id in ids)
            )

    def _select(self, condition: str, values: Sequence[Value]) -> list[Bridge]:
        rows = self._database.all(f"SELECT {BRIDGE_COLUMNS} FROM bridges {condition}", values)
        return [bridge_from_row(row) for row in rows]


class SqliteFoci(ProjectTables):
    """Fulfils the port `Foci`."""

    def in_force(self, projects: Sequence[str], session: str | None, at: datetime) -> list[Focus]:
        placeholders = ", ".join("?" * len(projects))
        return self._select(
            f"project_id IN (SELECT id FROM projects WHERE name IN ({placeholders})) "
            f"AND session IN (?, ?) AND (until IS NULL OR until > ?) {_FOCUS_ORDER}",
            (*projects, NO_SESSION, session or NO_SESSION, to_microseconds(at)),
        )

    def all(self, project: str) -> list[Focus]:
        return self._select(f"project_id = ? {_FOCUS_ORDER}", (self._projects.find_id(project),))

    def save(self, project: str, foci: Sequence[Focus]) -> None:
        with self._database.unit():
            project_id = self._projects.ensure_id(project)
            self._database.run_many(
                f"INSERT OR REPLACE INTO focus (project_id, folded, {FOCUS_COLUMNS}) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                ((project_id, focus.key[1], *focus_row(focus)) for focus in foci),
            )

    def remove(self, project: str, foci: Sequence[Focus]) -> None:
        with self._database.unit():
            project_id = self._projects.find_id(project)
            self._database.run_many(
                "DELETE FROM focus WHERE project_id = ? AND session = ? AND folded = ?",
                ((project_id, focus.session or NO_SESSION, focus.key[1]) for focus in foci),
            )

    def _select(self, condition: str, values: Sequence[Value]) -> list[Focus]:
        rows = self._database.all(f"SELECT {FOCUS_COLUMNS} FROM focus WHERE {condition}", values)
        return [focus_from_row(row) for row in rows]
