"""The journal: append-only, and numbered by one sequence."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

from ai_smartness.adapters.tables.rows import (
    BRIDGE_ROWS,
    FOCUS_ROWS,
    REVIEW_ROWS,
    THREAD_ROWS,
    RowLayout,
    compact_json,
    from_microseconds,
    to_microseconds,
)
from ai_smartness.adapters.tables.sql_database import ProjectTables, Row, Value
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.journal import (
    READ_VERBS,
    Actor,
    BridgeEdit,
    Change,
    FocusEdit,
    JournalEntry,
    Move,
    ReviewEdit,
    ThreadEdit,
)

__all__ = ["JournalTable", "change_as_json"]

JsonRow: TypeAlias = dict[str, Value] | None
"""A row by its column names, so that a row from an older layout can be read."""

_Value = TypeVar("_Value")

_JOURNAL_COLUMNS = (
    "j.seq, p.name, j.at, j.actor, j.client, j.session, j.verb, j.arguments, j.said, j.change, "
    "j.undoes"
)
_READ_VERBS = ", ".join(f"'{verb}'" for verb in READ_VERBS)
_WRITTEN_COLUMNS = (
    *("project_id", "at", "actor", "client", "session", "verb", "arguments", "said", "change"),
    *("moved", "undoes"),
)


class JournalTable(ProjectTables):
    """Fulfils the port `Journal`."""

    def write(self, entry: JournalEntry) -> JournalEntry:
        with self._database.unit():
            numbered = ("seq",) if entry.seq else ()
            columns = (*numbered, *_WRITTEN_COLUMNS)
            seq = self._database.insert(
                f"INSERT INTO journal ({', '.join(columns)}) "
                f"VALUES ({', '.join('?' * len(columns))})",
                (
                    *((entry.seq,) if entry.seq else ()),
                    self._projects.ensure_id(entry.project),
                    to_microseconds(entry.at),
                    entry.who.kind,
                    entry.who.client,
                    entry.session,
                    entry.verb,
                    compact_json(entry.arguments),
                    entry.said,
                    compact_json(change_as_json(entry.change)),
                    entry.change.moved_count,
                    entry.undoes,
                ),
                "seq",
            )
            self._database.run_many(
                "INSERT INTO journal_threads (thread_id, seq) VALUES (?, ?)",
                ((thread, seq) for thread in entry.change.touched_threads),
            )
        return replace(entry, seq=seq)

    def get(self, seq: int) -> JournalEntry:
        entries = self._select_entries(f"j.seq = ? AND {self._in_scope('j.project_id')}", (seq,))
        if not entries:
            msg = f"there is no change {seq}{self._here}. `ais log` lists them."
            raise NotFoundError(msg)
        return entries[0]

    def latest_entries(
        self, project: str, limit: int, before: int | None = None, *, with_reads: bool = True
    ) -> list[JournalEntry]:
        changes_only = "" if with_reads else f" AND j.verb NOT IN ({_READ_VERBS})"
        return self._select_entries(
            f"j.project_id = ?{'' if before is None else ' AND j.seq < ?'}{changes_only}",
            (self._projects.find_id(project), *(() if before is None else (before,))),
            limit,
        )

    def entries_touching(self, thread_id: str, after: int = 0) -> list[JournalEntry]:
        return self._select_entries(
            "j.seq IN (SELECT seq FROM journal_threads WHERE thread_id = ? AND seq > ?) "
            f"AND {self._in_scope('j.project_id')}",
            (thread_id, after),
        )

    def last_move_seq(self, project: str) -> int:
        return self._database.first_number(
            "SELECT max(seq) FROM journal WHERE project_id = ? AND moved > 0",
            (self._projects.find_id(project),),
        )

    def _select_entries(
        self, condition: str, values: Sequence[Value], limit: int | None = None
    ) -> list[JournalEntry]:
        rows = self._database.all(
            f"SELECT {_JOURNAL_COLUMNS} FROM journal j JOIN projects p ON p.id = j.project_id "
            f"WHERE {condition} ORDER BY j.seq DESC"
            + ("" if limit is None or limit < 0 else f" LIMIT {limit}"),
            values,
        )
        return [self._entry_from_row(row) for row in rows]

    def _entry_from_row(self, row: Row) -> JournalEntry:
        seq, project, at, actor, client, session, verb, arguments, text, change, undoes = row
        return JournalEntry(
            seq=seq,
            project=project,
            at=from_microseconds(at),
            who=Actor(actor, client),
            session=session,
            verb=verb,
            arguments=json.loads(arguments),
            said=text,
            change=_change_from_json(json.loads(change), project),
            undoes=undoes,
            undone_by=self._undone_by_seq(seq),
        )

    def _undone_by_seq(self, seq: int) -> int | None:
        """Return the entry that undid this one, unless it is in force again.

        A change, its undo, the undo of that and so on form a chain. Each reverses
        the one before, so only the last is in force.
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
        return [row[0] for row in rows]


def change_as_json(change: Change) -> dict[str, object]:
    """Return a change as JSON values."""
    return {
        "threads": _edits_as_json(change.threads, THREAD_ROWS),
        "moves": [[move.source, move.target, list(move.seqs)] for move in change.moves],
        "bridges": _edits_as_json(change.bridges, BRIDGE_ROWS),
        "foci": _edits_as_json(change.foci, FOCUS_ROWS),
        "reviews": _edits_as_json(change.reviews, REVIEW_ROWS),
    }


def _edits_as_json(
    edits: Iterable[ThreadEdit | BridgeEdit | FocusEdit | ReviewEdit], layout: RowLayout[Any]
) -> list[list[JsonRow]]:
    return [
        [
            None if value is None else dict(zip(layout.names, layout.row(value), strict=True))
            for value in (edit.before, edit.after)
        ]
        for edit in edits
    ]


def _change_from_json(change: dict[str, list[Any]], project: str) -> Change:
    threads = _read_edits(change["threads"], THREAD_ROWS, project=project)
    bridges = _read_edits(change["bridges"], BRIDGE_ROWS)
    # An entry of an older layout has no foci and no reviews.
    foci = _read_edits(change.get("foci", []), FOCUS_ROWS)
    reviews = _read_edits(change.get("reviews", []), REVIEW_ROWS, project=project)
    return Change(
        tuple(ThreadEdit(before, after) for before, after in threads),
        tuple(Move(source, target, tuple(seqs)) for source, target, seqs in change["moves"]),
        tuple(BridgeEdit(before, after) for before, after in bridges),
        tuple(FocusEdit(before, after) for before, after in foci),
        tuple(ReviewEdit(before, after) for before, after in reviews),
    )


def _read_edits(
    edits: Iterable[Sequence[JsonRow]], layout: RowLayout[_Value], **fields: object
) -> Iterator[tuple[_Value | None, _Value | None]]:
    for edit in edits:
        before, after = (
            None
            if row is None
            else layout.value(tuple(row.get(name) for name in layout.names), **fields)
            for row in edit
        )
        yield before, after
