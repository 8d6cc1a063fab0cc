"""The journal of an SQLite file: append-only, and numbered by one sequence."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias, cast

from ai_smartness.adapters.sqlite.database import Database, ProjectIds, Row, Value
from ai_smartness.adapters.sqlite.rows import (
    THREAD_COLUMNS,
    from_microseconds,
    thread_from_row,
    thread_row,
    to_microseconds,
)
from ai_smartness.adapters.sqlite.thread_tables import (
    BRIDGE_COLUMNS,
    FOCUS_COLUMNS,
    bridge_from_row,
    bridge_row,
    focus_from_row,
    focus_row,
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

__all__ = ["SqliteJournal", "change_as_json"]

JsonRow: TypeAlias = dict[str, Value] | None
"""A row by the names of its columns, so that one written before a column came can be read."""

_JOURNAL_COLUMNS = (
    "j.seq, p.name, j.at, j.actor, j.client, j.session, j.verb, j.arguments, j.said, j.change, "
    "j.undoes"
)
_THREAD_NAMES = [name.strip('"') for name in THREAD_COLUMNS.split(", ")]
_BRIDGE_NAMES = BRIDGE_COLUMNS.split(", ")
_FOCUS_NAMES = FOCUS_COLUMNS.split(", ")
_NO_LIMIT = -1


class SqliteJournal:
    """Fulfils the port `Journal`."""

    def __init__(self, database: Database, projects: ProjectIds) -> None:
        self._database = database
        self._projects = projects

    def write(self, entry: JournalEntry) -> JournalEntry:
        with self._database.unit():
            seq = self._database.run(
                "INSERT INTO journal (seq, project_id, at, actor, client, session, verb, "
                "arguments, said, change, moved, undoes) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    entry.seq or None,
                    self._projects.ensure_id(entry.project),
                    to_microseconds(entry.at),
                    entry.who.kind,
                    entry.who.client,
                    entry.session,
                    entry.verb,
                    _journal_json(entry.arguments),
                    entry.said,
                    _journal_json(change_as_json(entry.change)),
                    entry.change.moved_count,
                    entry.undoes,
                ),
            )
            self._database.run_many(
                "INSERT INTO journal_threads (thread_id, seq) VALUES (?, ?)",
                ((thread, seq) for thread in entry.change.touched_threads),
            )
        return replace(entry, seq=seq)

    def get(self, seq: int) -> JournalEntry:
        found = self._select_entries("j.seq = ?", (seq,))
        if not found:
            msg = f"there is no change {seq}. `ais log` lists them."
            raise NotFoundError(msg)
        return found[0]

    def latest_entries(
        self, project: str, limit: int, before: int | None = None
    ) -> list[JournalEntry]:
        return self._select_entries(
            "j.project_id = ? AND (?2 IS NULL OR j.seq < ?2)",
            (self._projects.find_id(project), before),
            limit,
        )

    def entries_touching(self, thread_id: str, after: int = 0) -> list[JournalEntry]:
        return self._select_entries(
            "j.seq IN (SELECT seq FROM journal_threads WHERE thread_id = ? AND seq > ?)",
            (thread_id, after),
        )

    def last_move_seq(self, project: str) -> int:
        return self._database.first_number(
            "SELECT max(seq) FROM journal WHERE project_id = ? AND moved > 0",
            (self._projects.find_id(project),),
        )

    def _select_entries(
        self, condition: str, values: Sequence[Value], limit: int = _NO_LIMIT
    ) -> list[JournalEntry]:
        rows = self._database.all(
            f"SELECT {_JOURNAL_COLUMNS} FROM journal j JOIN projects p ON p.id = j.project_id "  # our own columns
            f"WHERE {condition} ORDER BY j.seq DESC LIMIT {limit}",
            values,
        )
        return [self._entry_from_row(row) for row in rows]

    def _entry_from_row(self, row: Row) -> JournalEntry:
        seq, project, at, actor, client, session, verb, arguments, said, change, undoes = row
        return JournalEntry(
            seq=cast("int", seq),
            project=str(project),
            at=from_microseconds(at),
            who=Actor(str(actor), str(client)),
            session=None if session is None else str(session),
            verb=str(verb),
            arguments=json.loads(str(arguments)),
            said=str(said),
            change=_change_from_json(json.loads(str(change)), str(project)),
            undoes=cast("int | None", undoes),
            undone_by=self._undone_by_seq(cast("int", seq)),
        )

    def _undone_by_seq(self, seq: int) -> int | None:
        """Return the entry that took this one back, unless it is in force again.

        A change and all that undid it or brought it back are one family. Each of
        these turned the last one around, so of them only the last is in force.
        """
        root, *turns = self._undo_chain(seq)
        if seq == root:
            return turns[-1] if len(turns) % 2 else None
        later = [turn for turn in turns if turn > seq]
        return later[0] if later else None

    def _undo_chain(self, seq: int) -> list[int]:
        rows = self._database.all(
            "WITH RECURSIVE up (seq, undoes) AS (SELECT seq, undoes FROM journal WHERE seq = ? "
            "UNION SELECT j.seq, j.undoes FROM journal j JOIN up ON j.seq = up.undoes), "
            "family (seq) AS (SELECT min(seq) FROM up "
            "UNION SELECT j.seq FROM journal j JOIN family f ON j.undoes = f.seq) "
            "SELECT seq FROM family ORDER BY seq",
            (seq,),
        )
        return [int(row[0] or 0) for row in rows]


def change_as_json(change: Change) -> dict[str, object]:
    """Lay a change out as plain values."""
    return {
        "threads": [
            [_thread_json(each.before), _thread_json(each.after)] for each in change.threads
        ],
        "moves": [[each.source, each.target, list(each.seqs)] for each in change.moves],
        "bridges": [
            [_bridge_json(each.before), _bridge_json(each.after)] for each in change.bridges
        ],
        "foci": [[_focus_json(each.before), _focus_json(each.after)] for each in change.foci],
    }


def _change_from_json(laid: dict[str, list[list[object]]], project: str) -> Change:
    threads = cast("list[tuple[JsonRow, JsonRow]]", laid["threads"])
    moves = cast("list[tuple[str, str, list[int]]]", laid["moves"])
    bridges = cast("list[tuple[JsonRow, JsonRow]]", laid["bridges"])
    # An entry from before there were any does not speak of them.
    foci = cast("list[tuple[JsonRow, JsonRow]]", laid.get("foci", []))
    return Change(
        tuple(
            ThreadEdit(_thread_from_json(old, project), _thread_from_json(new, project))
            for old, new in threads
        ),
        tuple(Move(source, target, tuple(seqs)) for source, target, seqs in moves),
        tuple(BridgeEdit(_bridge_from_json(old), _bridge_from_json(new)) for old, new in bridges),
        tuple(FocusEdit(_focus_from_json(old), _focus_from_json(new)) for old, new in foci),
    )


def _thread_json(thread: Thread | None) -> JsonRow:
    return None if thread is None else dict(zip(_THREAD_NAMES, thread_row(thread), strict=True))


def _bridge_json(bridge: Bridge | None) -> JsonRow:
    return None if bridge is None else dict(zip(_BRIDGE_NAMES, bridge_row(bridge), strict=True))


def _focus_json(focus: Focus | None) -> JsonRow:
    return None if focus is None else dict(zip(_FOCUS_NAMES, focus_row(focus), strict=True))


def _thread_from_json(laid: JsonRow, project: str) -> Thread | None:
    return (
        None
        if laid is None
        else thread_from_row(tuple(laid.get(n) for n in _THREAD_NAMES), project)
    )


def _bridge_from_json(laid: JsonRow) -> Bridge | None:
    return (
        None if laid is None else bridge_from_row(tuple(laid.get(name) for name in _BRIDGE_NAMES))
    )


def _focus_from_json(laid: JsonRow) -> Focus | None:
    return None if laid is None else focus_from_row(tuple(laid.get(name) for name in _FOCUS_NAMES))


def _journal_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
