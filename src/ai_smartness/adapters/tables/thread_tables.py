"""The tables of threads, sessions, bridges and foci."""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial

from ai_smartness.adapters.tables.rows import (
    BRIDGE_ROWS,
    FOCUS_ROWS,
    NO_SESSION,
    SESSION_ROWS,
    THREAD_ROWS,
    compact_json,
    from_microseconds,
    prefix_range,
    to_microseconds,
    unique_match,
)
from ai_smartness.adapters.tables.sql_database import ProjectTables, Value
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.browse import ThreadFilter, ThreadPosition
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.focus import Focus
from ai_smartness.model.link import Remedy, ThreadListLink
from ai_smartness.model.session import Session
from ai_smartness.model.short_ids import BRIDGE_ID_START, id_starts
from ai_smartness.model.thread import Status, Thread

__all__ = ["BridgeTable", "FocusTable", "ThreadTable"]

_THREAD_COLUMNS = THREAD_ROWS.columns.split(", ")
_SAVE_THREAD = (
    f"INSERT INTO threads (project_id, {THREAD_ROWS.columns}) "
    f"VALUES (?, {THREAD_ROWS.placeholders}) "
    f"ON CONFLICT (id) DO UPDATE SET {THREAD_ROWS.updates('id')}"
)
_SELECT_THREADS = (
    f"SELECT p.name, {', '.join('t.' + column for column in _THREAD_COLUMNS)} "
    "FROM threads t JOIN projects p ON p.id = t.project_id"
)
_SESSION_IDS = (
    "SELECT id FROM ("
    + " UNION ".join(
        f"SELECT {column} AS id FROM projects p JOIN {table} s ON s.project_id = p.id "
        f"WHERE (CAST(?1 AS TEXT) IS NULL OR p.name = ?1) AND {column} >= ?2 AND {column} < ?3"
        for table, column in (
            ("sessions", "s.id"),
            ("events", "s.session"),
            ("ledger_pages", "s.session"),
        )
    )
    + ") ORDER BY id LIMIT ?4"
)
_OF_CLIENT = (
    "EXISTS (SELECT 1 FROM events e LEFT JOIN sessions s ON s.project_id = e.project_id "
    "AND s.id = e.session WHERE e.thread_id = threads.id "
    "AND (s.client = ? OR {position}(e.payload, ?) > 0))"
)
SHORT_ID_CHARACTERS = 6  # the hash at the end of an id
MOST_NAMESAKES = 4  # threads with one short id that a refusal can name
_FOCUS_ORDER = "ORDER BY set_at, session, folded"


class ThreadTable(ProjectTables):
    """Fulfils the port `Threads`."""

    def get(self, thread_id: str) -> Thread:
        rows = self._database.all(
            f"{_SELECT_THREADS} WHERE t.id >= ? AND t.id < ? AND {self._in_scope('t.project_id')} "
            "ORDER BY t.id LIMIT ?",
            prefix_range(thread_id),
        )
        if not rows and len(thread_id) == SHORT_ID_CHARACTERS:
            rows = self._database.all(
                f"{_SELECT_THREADS} WHERE substr(t.id, length(t.id) - ?) = ? "
                f"AND {self._in_scope('t.project_id')} ORDER BY t.id LIMIT ?",
                (SHORT_ID_CHARACTERS, f"_{thread_id}", MOST_NAMESAKES),
            )
        threads = [THREAD_ROWS.value(row[1:], project=row[0]) for row in rows]
        thread = unique_match("thread", thread_id, {thread.id: thread for thread in threads})
        if thread is None:
            problem = f"there is no thread {thread_id or '(empty id)'}{self._here}."
            raise NotFoundError(problem, Remedy(ThreadListLink(), "{}"))
        return thread

    def by_id(self, ids: Iterable[str]) -> dict[str, Thread]:
        rows = self._database.all_in(
            f"{_SELECT_THREADS} WHERE {self._in_scope('t.project_id')} AND t.id IN ({{}})",
            dict.fromkeys(ids),
        )
        threads = (THREAD_ROWS.value(row[1:], project=row[0]) for row in rows)
        return {thread.id: thread for thread in threads}

    def has(self, thread_id: str) -> bool:
        query = f"SELECT 1 FROM threads WHERE id = ? AND {self._in_scope('project_id')}"
        return self._database.first_row(query, (thread_id,)) is not None

    def is_taken(self, thread_id: str) -> bool:
        query = "SELECT 1 FROM threads WHERE id = ?"
        return self._database.first_row(query, (thread_id,)) is not None

    def all(self, project: str) -> list[Thread]:
        return self._select(project, "threads WHERE project_id = ? ORDER BY last_active DESC, id")

    def titles(self, project: str) -> set[str]:
        rows = self._database.all(
            "SELECT title FROM threads WHERE project_id = ?", (self._projects.find_id(project),)
        )
        return {title for (title,) in rows}

    def begun_at(self, project: str) -> datetime | None:
        row = self._database.first_row(
            "SELECT min(created_at) FROM threads WHERE project_id = ?",
            (self._projects.find_id(project),),
        )
        return None if row is None or row[0] is None else from_microseconds(row[0])

    def page(
        self, project: str, chosen: ThreadFilter, limit: int, after: ThreadPosition | None = None
    ) -> list[Thread]:
        wanted: list[tuple[str, tuple[Value, ...]]] = list(
            _filter_conditions(chosen, self._database.POSITION)
        )
        if after is not None:
            at = to_microseconds(after.last_active)
            # The first condition is for the index, which has no ids in this order.
            later = "last_active <= ? AND (last_active < ? OR id > ?)"
            wanted.append((later, (at, at, after.id)))
        conditions = " AND ".join(["project_id = ?", *(condition for condition, _ in wanted)])
        values = [value for _, some in wanted for value in some]
        query = f"SELECT {THREAD_ROWS.columns} FROM threads WHERE {conditions}"
        query += " ORDER BY last_active DESC, id LIMIT ?"
        rows = self._database.all(query, (self._projects.find_id(project), *values, limit))
        return [THREAD_ROWS.value(row, project=project) for row in rows]

    def save(self, thread: Thread) -> None:
        with self._database.unit():
            project_id = self._projects.ensure_id(thread.project)
            self._database.run(_SAVE_THREAD, (project_id, *THREAD_ROWS.row(thread)))

    def always_shown(self, project: str) -> list[Thread]:
        return self._select(
            project,
            f"threads{self._database.index_hint('threads_standing')} "
            "WHERE project_id = ? AND (kind IN ('identity', 'preference') OR origin = 'pin' "
            f"OR {self._database.POSITION}(tags, '\"pinned\"') > 0) AND status <> 'archived' "
            "ORDER BY weight DESC, id",
        )

    def _select(self, project: str, source: str) -> list[Thread]:
        rows = self._database.all(
            f"SELECT {THREAD_ROWS.columns} FROM {source}", (self._projects.find_id(project),)
        )
        return [THREAD_ROWS.value(row, project=project) for row in rows]

    def remove(self, thread_id: str) -> None:
        with self._database.unit():
            self._database.run("DELETE FROM threads WHERE id = ?", (thread_id,))

    def find_session(self, project: str, session_id: str) -> Session | None:
        row = self._database.first_row(
            f"SELECT {SESSION_ROWS.columns} FROM sessions WHERE project_id = ? AND id = ?",
            (self._projects.find_id(project), session_id),
        )
        return None if row is None else SESSION_ROWS.value(row, project=project)

    def save_session(self, session: Session) -> None:
        with self._database.unit():
            self._database.run(
                f"INSERT INTO sessions (project_id, {SESSION_ROWS.columns}) "
                f"VALUES (?, {SESSION_ROWS.placeholders}) ON CONFLICT (project_id, id) "
                f"DO UPDATE SET {SESSION_ROWS.updates('id')}",
                (self._projects.ensure_id(session.project), *SESSION_ROWS.row(session)),
            )

    def clients(self, project: str) -> list[str]:
        rows = self._database.all(
            "SELECT DISTINCT client FROM sessions WHERE project_id = ? AND client <> '' "
            "ORDER BY client",
            (self._projects.find_id(project),),
        )
        return [client for (client,) in rows]

    def session_clients(self, project: str, sessions: Iterable[str]) -> dict[str, str]:
        names, project_id = list(dict.fromkeys(sessions)), self._projects.find_id(project)
        rows = self._database.all_in(
            "SELECT session, payload FROM events WHERE seq IN (SELECT min(seq) FROM events "
            "WHERE project_id = ? AND session IN ({}) GROUP BY session)",
            names,
            (project_id,),
        )
        first = {session: json.loads(payload).get("client") for session, payload in rows}
        clients = {session: client for session, client in first.items() if isinstance(client, str)}
        known = self._database.all_in(
            "SELECT id, client FROM sessions WHERE project_id = ? AND client <> '' AND id IN ({})",
            names,
            (project_id,),
        )
        return clients | dict(known)

    def session_id(self, project: str | None, start: str) -> str:
        known = self._database.all(_SESSION_IDS, (project, *prefix_range(start)))
        return unique_match("session", start, {id_: id_ for (id_,) in known}) or start


def _filter_conditions(
    chosen: ThreadFilter, position: str
) -> Iterator[tuple[str, tuple[Value, ...]]]:
    """Yield the conditions of a filter with their values."""
    if chosen.kind is not None:
        yield "kind = ?", (chosen.kind.value,)
    if chosen.status is not None:
        # One that has faded is stored as active, and reads as suspended.
        stored = [Status.ACTIVE, Status.SUSPENDED]
        stored = stored if chosen.status is Status.SUSPENDED else [chosen.status]
        yield f"status IN ({', '.join('?' * len(stored))})", tuple(one.value for one in stored)
    if chosen.since is not None:
        yield "last_active >= ?", (to_microseconds(chosen.since),)
    if chosen.until is not None:
        yield "created_at < ?", (to_microseconds(chosen.until),)
    if chosen.ids is not None:
        yield f"id IN ({', '.join('?' * len(chosen.ids))})", chosen.ids
    if chosen.client is not None:
        # A hook names the client with the session, an import and other clients with the message.
        of_client = _OF_CLIENT.format(position=position)
        yield of_client, (chosen.client, f'"client":{compact_json(chosen.client)}')


class BridgeTable(ProjectTables):
    """Fulfils the port `Bridges`."""

    def save(self, bridges: Sequence[Bridge]) -> None:
        with self._database.unit():
            self._database.run_many(
                f"INSERT INTO bridges ({BRIDGE_ROWS.columns}) "
                f"VALUES ({BRIDGE_ROWS.placeholders}) "
                f"ON CONFLICT (id) DO UPDATE SET {BRIDGE_ROWS.updates('id')}",
                map(BRIDGE_ROWS.row, bridges),
            )

    def get(self, bridge_id: str) -> Bridge:
        for start in id_starts(BRIDGE_ID_START, bridge_id):
            bridges = self._select(
                f"WHERE id >= ? AND id < ? AND {self._ends_in_scope} ORDER BY id LIMIT ?",
                prefix_range(start),
            )
            bridge = unique_match("bridge", start, {bridge.id: bridge for bridge in bridges})
            if bridge is not None:
                break
        if bridge is None:
            name = bridge_id or "(empty id)"
            msg = f"there is no bridge {name}{self._here}. `ais bridges` lists them."
            raise NotFoundError(msg)
        return bridge

    def of(self, thread_id: str, *, unwanted: bool = False) -> list[Bridge]:
        return self._select(
            f"WHERE (source = ? OR target = ?) AND unwanted <= ? AND {self._ends_in_scope} "
            "ORDER BY weight DESC, id",
            (thread_id, thread_id, int(unwanted)),
        )

    def of_threads(self, thread_ids: Sequence[str]) -> list[Bridge]:
        condition = f"unwanted = 0 AND {self._ends_in_scope}"
        select = f"SELECT {BRIDGE_ROWS.columns} FROM bridges WHERE {condition}"
        wanted = dict.fromkeys(thread_ids)
        from_them, to_them = self._database.read_together(
            partial(self._database.all_in, f"{select} AND source IN ({{}})", wanted),
            partial(self._database.all_in, f"{select} AND target IN ({{}})", wanted),
        )
        bridges = {row[0]: BRIDGE_ROWS.value(row) for row in (*from_them, *to_them)}
        return sorted(bridges.values(), key=lambda bridge: (-bridge.weight, bridge.id))

    def all(self, project: str) -> list[Bridge]:
        return self._select(
            "WHERE unwanted = 0 AND source IN (SELECT t.id FROM threads t JOIN projects p "
            f"ON p.id = t.project_id WHERE p.name = ?) AND {self._ends_in_scope} "
            "ORDER BY weight DESC, id",
            (project,),
        )

    def of_change(self, project: str, limit: int) -> list[Bridge]:
        return self._select(
            f"{self._database.index_hint('bridges_of_change')} "
            "WHERE relation IN ('contradicts', 'updates', 'replaces') AND unwanted = 0 "
            "AND EXISTS (SELECT 1 FROM threads t JOIN projects p ON p.id = t.project_id "
            f"WHERE t.id = source AND p.name = ?) AND {self._ends_in_scope} "
            "ORDER BY last_used DESC, id LIMIT ?",
            (project, limit),
        )

    def kept_apart(self, project: str) -> set[frozenset[str]]:
        bridges = self._select(
            "WHERE relation = 'sibling' AND unwanted = 1 "
            "AND EXISTS (SELECT 1 FROM threads t JOIN projects p ON p.id = t.project_id "
            f"WHERE t.id = source AND p.name = ?) AND {self._ends_in_scope}",
            (project,),
        )
        return {frozenset((bridge.source, bridge.target)) for bridge in bridges}

    def remove(self, ids: Sequence[str]) -> None:
        with self._database.unit():
            self._database.run_many(
                "DELETE FROM bridges WHERE id = ?", ((bridge_id,) for bridge_id in ids)
            )

    @property
    def _ends_in_scope(self) -> str:
        """The condition on a bridge: earlier versions could link threads of two projects."""
        if self._scope is None:
            return "TRUE"
        ends = f"t.id IN (source, target) AND {self._in_scope('t.project_id')}"
        return f"(SELECT count(*) FROM threads t WHERE {ends}) = 2"

    def _select(self, condition: str, values: Sequence[Value]) -> list[Bridge]:
        rows = self._database.all(f"SELECT {BRIDGE_ROWS.columns} FROM bridges {condition}", values)
        return [BRIDGE_ROWS.value(row) for row in rows]


class FocusTable(ProjectTables):
    """Fulfils the port `Foci`."""

    def in_force(self, projects: Sequence[str], session: str | None, at: datetime) -> list[Focus]:
        if not projects:
            return []
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
                f"INSERT INTO focus (project_id, folded, {FOCUS_ROWS.columns}) "
                f"VALUES (?, ?, {FOCUS_ROWS.placeholders}) "
                "ON CONFLICT (project_id, session, folded) "
                f"DO UPDATE SET {FOCUS_ROWS.updates('session')}",
                ((project_id, focus.key[1], *FOCUS_ROWS.row(focus)) for focus in foci),
            )

    def remove(self, project: str, foci: Sequence[Focus]) -> None:
        with self._database.unit():
            project_id = self._projects.find_id(project)
            self._database.run_many(
                "DELETE FROM focus WHERE project_id = ? AND session = ? AND folded = ?",
                ((project_id, focus.session or NO_SESSION, focus.key[1]) for focus in foci),
            )

    def _select(self, condition: str, values: Sequence[Value]) -> list[Focus]:
        rows = self._database.all(
            f"SELECT {FOCUS_ROWS.columns} FROM focus WHERE {condition}", values
        )
        return [FOCUS_ROWS.value(row) for row in rows]
