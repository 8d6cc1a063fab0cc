"""What was shown to the sessions of an SQLite file: the newest of each."""

import json
from collections.abc import Sequence
from typing import cast

from ai_smartness.adapters.sqlite.database import Database, ProjectIds, Row
from ai_smartness.adapters.sqlite.rows import from_microseconds, to_microseconds
from ai_smartness.model.session import LedgerEntry, LedgerPage, SkippedThread

__all__ = ["ENTRY_COLUMNS", "SqliteLedger", "entry_from_row", "entry_row"]

MAX_ENTRIES = 100
"""Of a session, the newest: what was shown before is out of sight."""

MAX_PAGES = 100

ENTRY_COLUMNS = "session, epoch, turn, thread_id, revision, tokens, score, why, seqs, through, used"


class SqliteLedger:
    """Fulfils the port `Ledger`."""

    def __init__(self, database: Database, projects: ProjectIds) -> None:
        self._database = database
        self._projects = projects

    def write(self, page: LedgerPage) -> None:
        with self._database.unit():
            number = self._projects.ensure_id(page.project)
            self._database.run(
                "INSERT INTO ledger_pages (project_id, session, epoch, turn, at, took_ms, skipped) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    number,
                    page.session,
                    page.epoch,
                    page.turn,
                    to_microseconds(page.at),
                    page.took_ms,
                    json.dumps(
                        [[s.thread_id, s.title, s.reason, s.score] for s in page.skipped],
                        ensure_ascii=False,
                    ),
                ),
            )
            self._database.run_many(
                f"INSERT INTO ledger (project_id, {ENTRY_COLUMNS}) "  # our own columns
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                ((number, *entry_row(entry)) for entry in page.shown),
            )
            self._delete_old(number, page.session)

    def _delete_old(self, number: int, session: str) -> None:
        """Keep the newest; a page goes with the first of its entries, lest it say too little."""
        self._database.run(
            "DELETE FROM ledger_pages WHERE project_id = ?1 AND session = ?2 AND turn <= ("
            "SELECT turn FROM ledger WHERE project_id = ?1 AND session = ?2 "
            "ORDER BY number DESC LIMIT 1 OFFSET ?3)",
            (number, session, MAX_ENTRIES),
        )
        for table, kept in (("ledger", MAX_ENTRIES), ("ledger_pages", MAX_PAGES)):
            self._database.run(
                f"DELETE FROM {table} WHERE project_id = ?1 AND session = ?2 AND number <= ("  # our own tables
                f"SELECT number FROM {table} WHERE project_id = ?1 AND session = ?2 "
                f"ORDER BY number DESC LIMIT 1 OFFSET {kept})",
                (number, session),
            )

    def shown_entries(self, project: str, session: str) -> list[LedgerEntry]:
        rows = self._database.all(
            f"SELECT {ENTRY_COLUMNS} FROM ledger WHERE project_id = ? AND session = ? "  # our own columns
            "ORDER BY number DESC",
            (self._projects.find_id(project), session),
        )
        return [entry_from_row(row) for row in rows]

    def latest_pages(self, project: str, session: str | None, limit: int) -> list[LedgerPage]:
        rows = self._database.all(
            "SELECT session, epoch, turn, at, took_ms, skipped FROM ledger_pages "
            "WHERE project_id = ?1 AND (?2 IS NULL OR session = ?2) ORDER BY number DESC LIMIT ?3",
            (self._projects.find_id(project), session, limit),
        )
        return [self._page_from_row(project, row) for row in rows]

    def mark_used(self, project: str, session: str, turn: int, thread_ids: Sequence[str]) -> None:
        with self._database.unit():
            number = self._projects.find_id(project)
            unused = (
                "FROM ledger WHERE project_id = ? AND session = ? AND turn = ? AND thread_id = ? "
                "AND used = 0"
            )
            for thread_id in thread_ids:
                entry = (number, session, turn, thread_id)
                self._database.run(
                    f"UPDATE projects SET used = used + (SELECT count(*) {unused}) WHERE id = ?",  # our own columns
                    (*entry, number),
                )
                self._database.run(
                    f"UPDATE ledger SET used = 1 WHERE number IN (SELECT number {unused})",  # our own columns
                    entry,
                )

    def usage_counts(self, project: str) -> tuple[int, int]:
        row = self._database.first_row(
            "SELECT injected, used FROM projects WHERE name = ?", (project,)
        )
        return (0, 0) if row is None else (int(row[0] or 0), int(row[1] or 0))

    def usage_counts_by_thread(
        self, project: str, thread_ids: Sequence[str]
    ) -> dict[str, tuple[int, int]]:
        counted = (
            (
                thread_id,
                self._database.first_row(
                    "SELECT count(*), coalesce(sum(used), 0) FROM ledger "
                    "WHERE project_id = ? AND thread_id = ?",
                    (self._projects.find_id(project), thread_id),
                ),
            )
            for thread_id in thread_ids
        )
        return {
            thread_id: (cast("int", row[0]), cast("int", row[1]))
            for thread_id, row in counted
            if row is not None and row[0]
        }

    def _page_from_row(self, project: str, row: Row) -> LedgerPage:
        session, epoch, turn, at, took_ms, skipped = row
        of_turn = self._database.all(
            f"SELECT {ENTRY_COLUMNS} FROM ledger WHERE project_id = ? AND session = ? AND turn = ? "  # our own columns
            "ORDER BY number",
            (self._projects.find_id(project), session, turn),
        )
        return LedgerPage(
            project=project,
            session=str(session),
            epoch=cast("int", epoch),
            turn=cast("int", turn),
            at=from_microseconds(at),
            took_ms=cast("float", took_ms),
            shown=tuple(entry_from_row(each) for each in of_turn),
            skipped=tuple(SkippedThread(*each) for each in json.loads(str(skipped))),
        )


def entry_row(entry: LedgerEntry) -> Row:
    """Lay an entry out by `ENTRY_COLUMNS`."""
    return (
        entry.session,
        entry.epoch,
        entry.turn,
        entry.thread_id,
        entry.revision,
        entry.tokens,
        entry.score,
        entry.why,
        json.dumps(entry.seqs),
        entry.through,
        int(entry.used),
    )


def entry_from_row(row: Row) -> LedgerEntry:
    """Read an entry from `ENTRY_COLUMNS`."""
    session, epoch, turn, thread_id, revision, tokens, score, why, seqs, through, used = row
    return LedgerEntry(
        session=str(session),
        epoch=cast("int", epoch),
        turn=cast("int", turn),
        thread_id=str(thread_id),
        revision=cast("int", revision),
        tokens=cast("int", tokens),
        score=cast("float", score),
        why=str(why),
        seqs=tuple(json.loads(str(seqs))),
        through=cast("int", through),
        used=bool(used),
    )
