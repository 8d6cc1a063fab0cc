"""The threads and sessions of an SQLite file."""

from typing import cast

from ai_smartness.adapters.storage.sqlite.database import Database
from ai_smartness.adapters.storage.sqlite.projects import Projects
from ai_smartness.adapters.storage.sqlite.rows import THREAD_COLUMNS, row_of_thread, thread_of
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.session import Session
from ai_smartness.model.thread import Thread

__all__ = ["SqliteThreads"]

_COLUMNS = THREAD_COLUMNS.split(", ")
_SAVE = (
    f"INSERT INTO threads (project_id, {THREAD_COLUMNS}) "  # noqa: S608 # our own columns
    f"VALUES ({', '.join('?' * (len(_COLUMNS) + 1))}) ON CONFLICT (id) DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in _COLUMNS[1:])
)
_AMBIGUOUS_SHOWN = 3


class SqliteThreads:
    """Fulfils the port `Threads`."""

    def __init__(self, database: Database, projects: Projects) -> None:
        self._database = database
        self._projects = projects

    def get(self, thread_id: str) -> Thread:
        """Return the thread with this id, or with this unique start of an id."""
        found = self._starting_with(thread_id) if thread_id else []
        exact = [thread for thread in found if thread.id == thread_id]
        if exact:
            return exact[0]
        if not found:
            msg = f"there is no thread {thread_id or '(empty id)'}. `ais threads` lists them."
            raise NotFoundError(msg)
        if len(found) > 1:
            some = ", ".join(thread.id for thread in found[:_AMBIGUOUS_SHOWN])
            msg = f"{thread_id} is the start of several thread ids ({some} …). Give more of it."
            raise RefusedError(msg)
        return found[0]

    def has(self, thread_id: str) -> bool:
        """Say whether there is a thread with exactly this id."""
        return self._database.one("SELECT 1 FROM threads WHERE id = ?", (thread_id,)) is not None

    def _starting_with(self, start: str) -> list[Thread]:
        rows = self._database.all(
            f"SELECT p.name, {', '.join('t.' + column for column in _COLUMNS)} "  # noqa: S608 # our own columns
            "FROM threads t JOIN projects p ON p.id = t.project_id "
            "WHERE t.id >= ? AND t.id < ? ORDER BY t.id LIMIT ?",
            (start, start + "\U0010ffff", _AMBIGUOUS_SHOWN + 1),
        )
        return [thread_of(row[1:], str(row[0])) for row in rows]

    def all(self, project: str) -> list[Thread]:
        """Return the project's threads, the most recently active first."""
        rows = self._database.all(
            f"SELECT {THREAD_COLUMNS} FROM threads WHERE project_id = ? "  # noqa: S608 # our own columns
            "ORDER BY last_active DESC, id",
            (self._projects.number(project),),
        )
        return [thread_of(row, project) for row in rows]

    def save(self, thread: Thread) -> None:
        """Add the thread, or put it in the place of the one with its id."""
        with self._database.unit():
            self._database.run(_SAVE, (self._projects.made(thread.project), *row_of_thread(thread)))

    def standing(self, project: str) -> list[Thread]:
        """Return what is shown whatever is asked: pins, identity and preferences, not archived."""
        rows = self._database.all(
            f"SELECT {THREAD_COLUMNS} FROM threads INDEXED BY threads_standing "  # noqa: S608 # our own columns
            "WHERE project_id = ? AND (kind IN ('identity', 'preference') OR origin = 'pin' "
            "OR instr(tags, '\"pinned\"') > 0) AND status <> 'archived' ORDER BY weight DESC, id",
            (self._projects.number(project),),
        )
        return [thread_of(row, project) for row in rows]

    def remove(self, thread_id: str) -> None:
        """Take away a thread that has no events and no bridges."""
        self._database.run("DELETE FROM threads WHERE id = ?", (thread_id,))

    def of_session(self, project: str, session: str | None) -> str | None:
        """Name the thread that the session's latest event is on."""
        row = self._database.one(
            "SELECT thread_id FROM events WHERE project_id = ? AND session IS ? "
            "AND type <> 'COMPACTION' ORDER BY seq DESC LIMIT 1",
            (self._projects.number(project), session),
        )
        return None if row is None else str(row[0])

    def session(self, project: str, session_id: str) -> Session | None:
        """Return the session if it is known."""
        row = self._database.one(
            "SELECT client, turn, epoch, beat, epoch_seq, crossed FROM sessions "
            "WHERE project_id = ? AND id = ?",
            (self._projects.number(project), session_id),
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
        """Add the session, or put it in the place of the one with its id."""
        with self._database.unit():
            self._database.run(
                "INSERT OR REPLACE INTO sessions "
                "(project_id, id, client, turn, epoch, beat, epoch_seq, crossed) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    self._projects.made(session.project),
                    session.id,
                    session.client,
                    session.turn,
                    session.epoch,
                    session.beat,
                    session.epoch_seq,
                    session.crossed,
                ),
            )
