"""The ledger: the memories injected into each session, as far as they are kept."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from ai_smartness.adapters.sqlite.database import ProjectTables, Row, Value
from ai_smartness.adapters.sqlite.rows import from_microseconds, to_microseconds
from ai_smartness.model.session import LedgerEntry, LedgerPage, SkippedThread

__all__ = ["SqliteLedger", "skipped_json"]

MAX_ENTRIES = 100
"""Of each session: the agent no longer sees what was injected earlier."""

MAX_PAGES = 100

_ENTRY_COLUMNS = (
    "session, epoch, turn, thread_id, revision, tokens, score, why, seqs, through, used"
)
_PAGE_COLUMNS = "session, epoch, turn, at, took_ms, skipped"


class SqliteLedger(ProjectTables):
    """Fulfils the port `Ledger`."""

    def write(self, page: LedgerPage) -> None:
        with self._database.unit():
            self.insert_pages([page])
            self.insert_entries(page.project, page.shown)
            self._delete_old(self._projects.ensure_id(page.project), page.session)

    def insert_pages(self, pages: Sequence[LedgerPage]) -> None:
        """Append pages, without their entries."""
        self._database.run_many(
            f"INSERT INTO ledger_pages (project_id, {_PAGE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    self._projects.ensure_id(page.project),
                    page.session,
                    page.epoch,
                    page.turn,
                    to_microseconds(page.at),
                    page.took_ms,
                    skipped_json([[s.thread_id, s.title, s.reason, s.score] for s in page.skipped]),
                )
                for page in pages
            ],
        )

    def insert_entries(self, project: str, entries: Sequence[LedgerEntry]) -> None:
        """Append entries."""
        project_id = self._projects.ensure_id(project)
        self._database.run_many(
            f"INSERT INTO ledger (project_id, {_ENTRY_COLUMNS}) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ((project_id, *_entry_row(entry)) for entry in entries),
        )

    def _delete_old(self, project_id: int, session: str) -> None:
        """Keep the newest; delete a page with the first of its entries, lest it be incomplete."""
        self._database.run(
            "DELETE FROM ledger_pages WHERE project_id = ?1 AND session = ?2 AND turn <= ("
            "SELECT turn FROM ledger WHERE project_id = ?1 AND session = ?2 "
            "ORDER BY number DESC LIMIT 1 OFFSET ?3)",
            (project_id, session, MAX_ENTRIES),
        )
        for table, limit in (("ledger", MAX_ENTRIES), ("ledger_pages", MAX_PAGES)):
            self._database.run(
                f"DELETE FROM {table} WHERE project_id = ?1 AND session = ?2 AND number <= ("
                f"SELECT number FROM {table} WHERE project_id = ?1 AND session = ?2 "
                f"ORDER BY number DESC LIMIT 1 OFFSET {limit})",
                (project_id, session),
            )

    def shown_entries(self, project: str, session: str) -> list[LedgerEntry]:
        return self.select_entries(project, "AND session = ? ORDER BY number DESC", session)

    def latest_pages(self, project: str, session: str | None, limit: int) -> list[LedgerPage]:
        pages = self.select_pages(
            project,
            "AND (?2 IS NULL OR session = ?2) ORDER BY number DESC LIMIT ?3",
            session,
            limit,
        )
        condition = "AND session = ? AND turn = ? ORDER BY number"
        return [
            replace(
                page, shown=tuple(self.select_entries(project, condition, page.session, page.turn))
            )
            for page in pages
        ]

    def mark_used(self, project: str, session: str, turn: int, thread_ids: Sequence[str]) -> None:
        with self._database.unit():
            project_id = self._projects.find_id(project)
            unused = (
                "FROM ledger WHERE project_id = ? AND session = ? AND turn = ? AND thread_id = ? "
                "AND used = 0"
            )
            for thread_id in thread_ids:
                entry = (project_id, session, turn, thread_id)
                self._database.run(
                    f"UPDATE projects SET used = used + (SELECT count(*) {unused}) WHERE id = ?",
                    (*entry, project_id),
                )
                self._database.run(
                    f"UPDATE ledger SET used = 1 WHERE number IN (SELECT number {unused})", entry
                )

    def usage_counts(self, project: str) -> tuple[int, int]:
        row = self._database.first_row(
            "SELECT injected, used FROM projects WHERE name = ?", (project,)
        )
        return (0, 0) if row is None else (int(row[0] or 0), int(row[1] or 0))

    def usage_counts_by_thread(
        self, project: str, thread_ids: Sequence[str]
    ) -> dict[str, tuple[int, int]]:
        rows = self._database.all_in(
            "SELECT thread_id, count(*), sum(used) FROM ledger "
            "WHERE project_id = ? AND thread_id IN ({}) GROUP BY thread_id",
            thread_ids,
            (self._projects.find_id(project),),
        )
        return {str(row[0]): (cast("int", row[1]), cast("int", row[2])) for row in rows}

    def select_pages(self, project: str, condition: str, *values: Value) -> list[LedgerPage]:
        """Return the project's pages that meet a condition, without their entries."""
        rows = self._database.all(
            f"SELECT {_PAGE_COLUMNS} FROM ledger_pages WHERE project_id = ?1 {condition}",
            (self._projects.find_id(project), *values),
        )
        return [
            LedgerPage(
                project=project,
                session=str(session),
                epoch=cast("int", epoch),
                turn=cast("int", turn),
                at=from_microseconds(at),
                took_ms=cast("float", took_ms),
                shown=(),
                skipped=tuple(SkippedThread(*thread) for thread in json.loads(str(skipped))),
            )
            for session, epoch, turn, at, took_ms, skipped in rows
        ]

    def select_entries(self, project: str, condition: str, *values: Value) -> list[LedgerEntry]:
        """Return the project's entries that meet a condition."""
        rows = self._database.all(
            f"SELECT {_ENTRY_COLUMNS} FROM ledger WHERE project_id = ? {condition}",
            (self._projects.find_id(project), *values),
        )
        return [_entry_from_row(row) for row in rows]


def skipped_json(threads: Sequence[Sequence[object]]) -> str:
    """Return the threads that a page skipped as JSON."""
    return json.dumps(threads, ensure_ascii=False)


def _entry_row(entry: LedgerEntry) -> Row:
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


def _entry_from_row(row: Row) -> LedgerEntry:
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
