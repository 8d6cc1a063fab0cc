"""The ledger: the memories injected into each session, as far as they are kept."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ai_smartness.adapters.tables.rows import ENTRY_ROWS, PAGE_ROWS, to_microseconds
from ai_smartness.adapters.tables.sql_database import ProjectTables, Value
from ai_smartness.model.session import LedgerEntry, LedgerPage

__all__ = ["LedgerTables"]

MAX_ENTRIES = 100  # of each session: the agent no longer sees what was injected earlier
MAX_PAGES = 100
MAX_BLOCKS = 300  # of each project: a person looks at the latest turns


class LedgerTables(ProjectTables):
    """Fulfils the port `Ledger`."""

    def write(self, page: LedgerPage) -> None:
        with self._database.unit():
            self.insert_pages([page])
            self.insert_entries(page.project, page.shown)
            self._delete_old(self._projects.ensure_id(page.project), page.session)

    def insert_pages(self, pages: Sequence[LedgerPage]) -> None:
        """Append pages, without their entries."""
        self._database.run_many(
            f"INSERT INTO ledger_pages (project_id, {PAGE_ROWS.columns}) "
            f"VALUES (?, {PAGE_ROWS.placeholders})",
            [(self._projects.ensure_id(page.project), *PAGE_ROWS.row(page)) for page in pages],
        )

    def insert_entries(self, project: str, entries: Sequence[LedgerEntry]) -> None:
        """Append entries."""
        project_id = self._projects.ensure_id(project)
        self._database.run_many(
            f"INSERT INTO ledger (project_id, {ENTRY_ROWS.columns}) "
            f"VALUES (?, {ENTRY_ROWS.placeholders})",
            ((project_id, *ENTRY_ROWS.row(entry)) for entry in entries),
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

        # The index has the pages that still have their block, and only those.
        self._database.run(
            "UPDATE ledger_pages SET block = '' WHERE project_id = ?1 AND block <> '' "
            "AND number <= (SELECT number FROM ledger_pages WHERE project_id = ?1 "
            f"AND block <> '' ORDER BY number DESC LIMIT 1 OFFSET {MAX_BLOCKS})",
            (project_id,),
        )

    def shown_entries(self, project: str, session: str) -> list[LedgerEntry]:
        return self.select_entries(project, "AND session = ? ORDER BY number DESC", session)

    def latest_pages(
        self, project: str, session: str | None, limit: int, before: datetime | None = None
    ) -> list[LedgerPage]:
        of_session = "" if session is None else "AND session = ? "
        earlier = "" if before is None else "AND at < ? "
        pages = self.select_pages(
            project,
            f"{of_session}{earlier}ORDER BY number DESC LIMIT ?",
            *(() if session is None else (session,)),
            *(() if before is None else (to_microseconds(before),)),
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
        return (0, 0) if row is None else (row[0], row[1])

    def usage_counts_by_thread(
        self, project: str, thread_ids: Sequence[str]
    ) -> dict[str, tuple[int, int]]:
        rows = self._database.all_in(
            "SELECT thread_id, count(*), sum(used) FROM ledger "
            "WHERE project_id = ? AND thread_id IN ({}) GROUP BY thread_id",
            thread_ids,
            (self._projects.find_id(project),),
        )
        return {thread_id: (count, used) for thread_id, count, used in rows}

    def select_pages(self, project: str, condition: str, *values: Value) -> list[LedgerPage]:
        """Return the project's pages that meet a condition, without their entries."""
        rows = self._database.all(
            f"SELECT {PAGE_ROWS.columns} FROM ledger_pages WHERE project_id = ? {condition}",
            (self._projects.find_id(project), *values),
        )
        return [PAGE_ROWS.value(row, project=project, shown=()) for row in rows]

    def select_entries(self, project: str, condition: str, *values: Value) -> list[LedgerEntry]:
        """Return the project's entries that meet a condition."""
        rows = self._database.all(
            f"SELECT {ENTRY_ROWS.columns} FROM ledger WHERE project_id = ? {condition}",
            (self._projects.find_id(project), *values),
        )
        return [ENTRY_ROWS.value(row) for row in rows]
