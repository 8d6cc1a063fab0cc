"""The journal of an SQLite file: append-only, and numbered by one sequence."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias, cast

from ai_smartness.adapters.storage.sqlite.bridges import (
    BRIDGE_COLUMNS,
    bridge_of,
    row_of_bridge,
)
from ai_smartness.adapters.storage.sqlite.database import Database, Row, Value
from ai_smartness.adapters.storage.sqlite.foci import FOCUS_COLUMNS, focus_of, row_of_focus
from ai_smartness.adapters.storage.sqlite.projects import Projects
from ai_smartness.adapters.storage.sqlite.rows import (
    THREAD_COLUMNS,
    microseconds,
    moment,
    row_of_thread,
    thread_of,
)
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.focus import Focus
from ai_smartness.model.journal import (
    Actor,
    BridgeEdit,
    Change,
    FocusEdit,
    JournalEntry,
    Move,
    ThreadEdit,
)
from ai_smartness.model.thread import Thread

__all__ = ["SqliteJournal", "laid_out"]

Laid: TypeAlias = dict[str, Value] | None
"""A row by the names of its columns, so that one written before a column came can be read."""

_COLUMNS = (
    "j.seq, p.name, j.at, j.actor, j.client, j.session, j.verb, j.arguments, j.said, j.change, "
    "j.undoes"
)
_THREAD = [name.strip('"') for name in THREAD_COLUMNS.split(", ")]
_BRIDGE = BRIDGE_COLUMNS.split(", ")
_FOCUS = FOCUS_COLUMNS.split(", ")
_NO_LIMIT = -1


class SqliteJournal:
    """Fulfils the port `Journal`."""

    def __init__(self, database: Database, projects: Projects) -> None:
        self._database = database
        self._projects = projects

    def write(self, entry: JournalEntry) -> JournalEntry:
        """Add an entry, at the end unless it has a number, and return it with its number."""
        with self._database.unit():
            seq = self._database.run(
                "INSERT INTO journal (seq, project_id, at, actor, client, session, verb, "
                "arguments, said, change, moved, undoes) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    entry.seq or None,
                    self._projects.made(entry.project),
                    microseconds(entry.at),
                    entry.who.kind,
                    entry.who.client,
                    entry.session,
                    entry.verb,
                    _json(entry.arguments),
                    entry.said,
                    _json(laid_out(entry.change)),
                    entry.change.moved,
                    entry.undoes,
                ),
            )
            self._database.many(
                "INSERT INTO journal_threads (thread_id, seq) VALUES (?, ?)",
                ((thread, seq) for thread in entry.change.touched),
            )
        return replace(entry, seq=seq)

    def get(self, seq: int) -> JournalEntry:
        """Return the entry with this number."""
        found = self._where("j.seq = ?", (seq,))
        if not found:
            msg = f"there is no change {seq}. `ais log` lists them."
            raise NotFoundError(msg)
        return found[0]

    def latest(self, project: str, limit: int, before: int | None = None) -> list[JournalEntry]:
        """Return the project's latest entries, the newest first; `before` a number, if given."""
        return self._where(
            "j.project_id = ? AND (?2 IS NULL OR j.seq < ?2)",
            (self._projects.number(project), before),
            limit,
        )

    def touching(self, thread_id: str, after: int = 0) -> list[JournalEntry]:
        """Return the entries after a number that have to do with a thread, the newest first."""
        return self._where(
            "j.seq IN (SELECT seq FROM journal_threads WHERE thread_id = ? AND seq > ?)",
            (thread_id, after),
        )

    def last_move(self, project: str) -> int:
        """Return the number of the latest entry that put messages on other threads; 0 if none."""
        return self._database.number(
            "SELECT max(seq) FROM journal WHERE project_id = ? AND moved > 0",
            (self._projects.number(project),),
        )

    def _where(
        self, condition: str, values: Sequence[Value], limit: int = _NO_LIMIT
    ) -> list[JournalEntry]:
        rows = self._database.all(
            f"SELECT {_COLUMNS} FROM journal j JOIN projects p ON p.id = j.project_id "  # noqa: S608 # our own columns
            f"WHERE {condition} ORDER BY j.seq DESC LIMIT {limit}",
            values,
        )
        return [self._entry(row) for row in rows]

    def _entry(self, row: Row) -> JournalEntry:
        seq, project, at, actor, client, session, verb, arguments, said, change, undoes = row
        return JournalEntry(
            seq=cast("int", seq),
            project=str(project),
            at=moment(at),
            who=Actor(str(actor), str(client)),
            session=None if session is None else str(session),
            verb=str(verb),
            arguments=json.loads(str(arguments)),
            said=str(said),
            change=_read(json.loads(str(change)), str(project)),
            undoes=cast("int | None", undoes),
            undone_by=self._undone_by(cast("int", seq)),
        )

    def _undone_by(self, seq: int) -> int | None:
        """Return the entry that took this one back, unless it is in force again.

        A change and all that undid it or brought it back are one family. Each of
        these turned the last one around, so of them only the last is in force.
        """
        root, *turns = self._family(seq)
        if seq == root:
            return turns[-1] if len(turns) % 2 else None
        later = [turn for turn in turns if turn > seq]
        return later[0] if later else None

    def _family(self, seq: int) -> list[int]:
        rows = self._database.all(
            "WITH RECURSIVE up (seq, undoes) AS (SELECT seq, undoes FROM journal WHERE seq = ? "
            "UNION SELECT j.seq, j.undoes FROM journal j JOIN up ON j.seq = up.undoes), "
            "family (seq) AS (SELECT min(seq) FROM up "
            "UNION SELECT j.seq FROM journal j JOIN family f ON j.undoes = f.seq) "
            "SELECT seq FROM family ORDER BY seq",
            (seq,),
        )
        return [int(row[0] or 0) for row in rows]


def laid_out(change: Change) -> dict[str, object]:
    """Lay a change out as plain values."""
    return {
        "threads": [
            [_laid_thread(each.before), _laid_thread(each.after)] for each in change.threads
        ],
        "moves": [[each.source, each.target, list(each.seqs)] for each in change.moves],
        "bridges": [
            [_laid_bridge(each.before), _laid_bridge(each.after)] for each in change.bridges
        ],
        "foci": [[_laid_focus(each.before), _laid_focus(each.after)] for each in change.foci],
    }


def _read(laid: dict[str, list[list[object]]], project: str) -> Change:
    threads = cast("list[tuple[Laid, Laid]]", laid["threads"])
    moves = cast("list[tuple[str, str, list[int]]]", laid["moves"])
    bridges = cast("list[tuple[Laid, Laid]]", laid["bridges"])
    # An entry from before there were any does not speak of them.
    foci = cast("list[tuple[Laid, Laid]]", laid.get("foci", []))
    return Change(
        tuple(ThreadEdit(_thread(old, project), _thread(new, project)) for old, new in threads),
        tuple(Move(source, target, tuple(seqs)) for source, target, seqs in moves),
        tuple(BridgeEdit(_bridge(old), _bridge(new)) for old, new in bridges),
        tuple(FocusEdit(_focus(old), _focus(new)) for old, new in foci),
    )


def _laid_thread(thread: Thread | None) -> Laid:
    return None if thread is None else dict(zip(_THREAD, row_of_thread(thread), strict=True))


def _laid_bridge(bridge: Bridge | None) -> Laid:
    return None if bridge is None else dict(zip(_BRIDGE, row_of_bridge(bridge), strict=True))


def _laid_focus(focus: Focus | None) -> Laid:
    return None if focus is None else dict(zip(_FOCUS, row_of_focus(focus), strict=True))


def _thread(laid: Laid, project: str) -> Thread | None:
    return None if laid is None else thread_of(tuple(laid.get(n) for n in _THREAD), project)


def _bridge(laid: Laid) -> Bridge | None:
    return None if laid is None else bridge_of(tuple(laid.get(name) for name in _BRIDGE))


def _focus(laid: Laid) -> Focus | None:
    return None if laid is None else focus_of(tuple(laid.get(name) for name in _FOCUS))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
