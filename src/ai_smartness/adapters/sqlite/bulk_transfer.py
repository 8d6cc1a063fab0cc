"""All that an SQLite file keeps, read through in order and put back as it was."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import cast

from ai_smartness.adapters.sqlite.database import Database, ProjectIds, Row
from ai_smartness.adapters.sqlite.journal_table import SqliteJournal
from ai_smartness.adapters.sqlite.ledger_tables import ENTRY_COLUMNS, entry_from_row, entry_row
from ai_smartness.adapters.sqlite.rows import (
    EVENT_COLUMNS,
    event_from_row,
    from_microseconds,
    to_microseconds,
)
from ai_smartness.model.event import Event
from ai_smartness.model.journal import JournalEntry
from ai_smartness.model.session import LedgerEntry, LedgerPage, SkippedThread
from ai_smartness.ports.transfer import LastSeqs

__all__ = ["SqliteTransfer"]

_BATCH_SIZE = 500
_COUNTED_TABLES = {
    "session": "sessions",
    "event": "events",
    "change": "journal",
    "turn": "ledger_pages",
    "shown": "ledger",
}


class SqliteTransfer:
    """Fulfils the port `Archive`."""

    def __init__(self, database: Database, projects: ProjectIds, journal: SqliteJournal) -> None:
        self._database = database
        self._projects = projects
        self._journal = journal

    def snapshot(self) -> AbstractContextManager[None]:
        return self._database.snapshot()

    def is_empty(self) -> bool:
        # The sequence too: a number that was given once is not given again.
        return not self._database.first_number(
            "SELECT (SELECT count(*) FROM threads) + (SELECT count(*) FROM sessions) "
            "+ coalesce((SELECT sum(seq) FROM sqlite_sequence), 0)"
        )

    def record_counts(self, projects: Collection[str]) -> Mapping[str, int]:
        return {
            kind: sum(
                self._database.first_number(
                    f"SELECT count(*) FROM {table} WHERE project_id = ?",  # our own tables
                    (self._projects.find_id(project),),
                )
                for project in projects
            )
            for kind, table in _COUNTED_TABLES.items()
        }

    def last_seqs(self, projects: Collection[str]) -> LastSeqs:

        def last_seq(table: str) -> int:
            of_each = (
                self._database.first_number(
                    f"SELECT max(seq) FROM {table} WHERE project_id = ?",  # our own tables
                    (self._projects.find_id(project),),
                )
                for project in projects
            )
            return max(of_each, default=0)

        return LastSeqs(last_seq("events"), last_seq("journal"))

    def reserve_seqs(self, lasts: LastSeqs) -> None:
        with self._database.unit():
            for table, last in (("events", lasts.event), ("journal", lasts.change)):
                # Until something was numbered there is no row to be set.
                self._database.run(
                    "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0 "
                    "WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
                    (table,),
                )
                self._database.run(
                    "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (last, table)
                )

    def session_ids(self, project: str) -> list[str]:
        rows = self._database.all(
            "SELECT id FROM sessions WHERE project_id = ? ORDER BY id",
            (self._projects.find_id(project),),
        )
        return [str(row[0]) for row in rows]

    def events_after(self, project: str, after: int, limit: int) -> list[Event]:
        rows = self._database.all(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE project_id = ? AND seq > ? "  # our own columns
            "ORDER BY seq LIMIT ?",
            (self._projects.find_id(project), after, limit),
        )
        return [event_from_row(row, project) for row in rows]

    def events_by_id(self, project: str, ids: Iterable[str]) -> dict[str, Event]:
        wanted, number = list(ids), self._projects.find_id(project)
        found: dict[str, Event] = {}
        for start in range(0, len(wanted) if number else 0, _BATCH_SIZE):
            some = wanted[start : start + _BATCH_SIZE]
            rows = self._database.all(
                f"SELECT {EVENT_COLUMNS} FROM events "  # our own columns
                f"WHERE project_id = ? AND id IN ({', '.join('?' * len(some))})",
                (number, *some),
            )
            found.update(
                (event.id, event) for event in (event_from_row(row, project) for row in rows)
            )
        return found

    def journal_after(self, project: str, after: int, limit: int) -> list[JournalEntry]:
        rows = self._database.all(
            "SELECT seq FROM journal WHERE project_id = ? AND seq > ? ORDER BY seq LIMIT ?",
            (self._projects.find_id(project), after, limit),
        )
        return [self._journal.get(cast("int", row[0])) for row in rows]

    def ledger_pages(self, project: str) -> list[LedgerPage]:
        rows = self._database.all(
            "SELECT session, epoch, turn, at, took_ms, skipped FROM ledger_pages "
            "WHERE project_id = ? ORDER BY number",
            (self._projects.find_id(project),),
        )
        return [_page_from_row(row, project) for row in rows]

    def ledger_entries(self, project: str) -> list[LedgerEntry]:
        rows = self._database.all(
            f"SELECT {ENTRY_COLUMNS} FROM ledger WHERE project_id = ? ORDER BY number",  # our own columns
            (self._projects.find_id(project),),
        )
        return [entry_from_row(row) for row in rows]

    def spent_tokens(self) -> dict[str, int]:
        rows = self._database.all("SELECT day, tokens FROM spending ORDER BY day")
        return {str(day): cast("int", tokens) for day, tokens in rows}

    def forgotten_hashes(self) -> list[str]:
        rows = self._database.all("SELECT mark FROM forgotten ORDER BY mark")
        return [cast("bytes", row[0]).hex() for row in rows]

    def add_ledger_pages(self, turns: Sequence[LedgerPage]) -> None:
        with self._database.unit():
            self._database.run_many(
                "INSERT INTO ledger_pages (project_id, session, epoch, turn, at, took_ms, skipped) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                ((self._projects.ensure_id(turn.project), *_page_row(turn)) for turn in turns),
            )

    def add_ledger_entries(self, project: str, entries: Sequence[LedgerEntry]) -> None:
        with self._database.unit():
            number = self._projects.ensure_id(project)
            marks = ", ".join("?" * (1 + len(ENTRY_COLUMNS.split(", "))))
            self._database.run_many(
                f"INSERT INTO ledger (project_id, {ENTRY_COLUMNS}) VALUES ({marks})",  # our own columns
                ((number, *entry_row(entry)) for entry in entries),
            )

    def set_usage_counts(self, project: str, injected: int, used: int) -> None:
        with self._database.unit():
            self._database.run(
                "UPDATE projects SET injected = ?, used = ? WHERE id = ?",
                (injected, used, self._projects.ensure_id(project)),
            )

    def add_forgotten_hashes(self, marks: Iterable[str]) -> None:
        with self._database.unit():
            self._database.run_many(
                "INSERT OR IGNORE INTO forgotten (mark) VALUES (?)",
                ((bytes.fromhex(mark),) for mark in marks),
            )


def _page_from_row(row: Row, project: str) -> LedgerPage:
    session, epoch, turn, at, took_ms, skipped = row
    return LedgerPage(
        project=project,
        session=str(session),
        epoch=cast("int", epoch),
        turn=cast("int", turn),
        at=from_microseconds(at),
        took_ms=cast("float", took_ms),
        shown=(),
        skipped=tuple(SkippedThread(*each) for each in json.loads(str(skipped))),
    )


def _page_row(turn: LedgerPage) -> Row:
    skipped = [[s.thread_id, s.title, s.reason, s.score] for s in turn.skipped]
    return (
        turn.session,
        turn.epoch,
        turn.turn,
        to_microseconds(turn.at),
        turn.took_ms,
        json.dumps(skipped, ensure_ascii=False),
    )
