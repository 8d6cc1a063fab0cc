"""Delete events permanently, with everything derived from them.

Only this module deletes events and rewrites journal entries. A deleted event is
remembered by a hash of its id alone, so that no import brings it back.
"""

import json
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager

from ai_smartness.adapters.tables.deletion_queries import ErasureQueries
from ai_smartness.adapters.tables.event_tables import EventTable
from ai_smartness.adapters.tables.journal_table import JournalTable, change_as_json
from ai_smartness.adapters.tables.rows import compact_json, skipped_json
from ai_smartness.adapters.tables.sql_database import ProjectIds, SqlDatabase
from ai_smartness.adapters.tables.statement_deletion import (
    remove_statement_traces,
    remove_statements,
)
from ai_smartness.model.erasure import forgotten_hash
from ai_smartness.model.journal import JournalEntry

__all__ = ["ErasureTables"]

_PROJECT_TABLES = (
    *("journal", "sessions", "ledger", "ledger_pages", "focus"),
    *("common_words", "embedded", "threads", "statement_progress", "statement_reviews"),
)


class ErasureTables(ErasureQueries):
    """Fulfils the port `ErasureStore`, all but the indexes and the traces of deleted rows."""

    def __init__(
        self, database: SqlDatabase, projects: ProjectIds, events: EventTable, journal: JournalTable
    ) -> None:
        super().__init__(database, projects, events)
        self._journal = journal

    @abstractmethod
    def remove_words(self, seqs: Collection[int]) -> None:
        """Remove events from the full-text index, and choose them."""

    @abstractmethod
    def _journal_unlocked(self) -> AbstractContextManager[None]:
        """Let journal entries be rewritten while inside."""

    def remove_events(self, seqs: Collection[int]) -> None:
        self.remove_words(seqs)
        self._store_hashes()
        for project, space in self._database.all("SELECT project_id, space_id FROM embedded"):
            chosen = (
                "FROM vectors WHERE project_id = ? AND space_id = ? "
                f"AND seq IN {self._database.chosen_seqs}"
            )
            gone = self._database.first_number(f"SELECT count(*) {chosen}", (project, space))
            if gone:
                self._database.run(f"DELETE {chosen}", (project, space))
                self._database.run(
                    'UPDATE embedded SET "rows" = "rows" - ?, generation = generation + 1 '
                    "WHERE project_id = ? AND space_id = ?",
                    (gone, project, space),
                )
        remove_statements(self._database)
        for table in ("notes", "events"):
            self._database.run(f"DELETE FROM {table} WHERE seq IN {self._database.chosen_seqs}")

    def remove_threads(self, thread_ids: Collection[str]) -> None:
        for table, column in (
            ("bridges", "source"),
            ("bridges", "target"),
            ("centres", "thread_id"),
            ("ledger", "thread_id"),
            ("focus", "topic"),
            ("threads", "id"),
        ):
            self._database.run_many(
                f"DELETE FROM {table} WHERE {column} = ?", [(id_,) for id_ in thread_ids]
            )

    def remove_project(self, project: str) -> None:
        project_id = self._projects.find_id(project)
        self._database.run(
            "DELETE FROM journal_threads WHERE seq IN "
            "(SELECT seq FROM journal WHERE project_id = ?)",
            (project_id,),
        )
        for table in _PROJECT_TABLES:
            self._database.run(f"DELETE FROM {table} WHERE project_id = ?", (project_id,))
        self._database.run("DELETE FROM projects WHERE id = ?", (project_id,))
        self._projects.clear_cache()

    def remove_session(self, session: str, project: str | None) -> None:
        project_id = None if project is None else self._projects.find_id(project)
        for table, column in (
            ("sessions", "id"),
            ("ledger", "session"),
            ("ledger_pages", "session"),
            ("focus", "session"),
        ):
            condition, values = (
                f"{column} = ?",
                [session, *([] if project is None else [project_id])],
            )
            condition += "" if project is None else " AND project_id = ?"
            self._database.run(f"DELETE FROM {table} WHERE {condition}", values)

    def journal_after(self, after: int, limit: int) -> list[JournalEntry]:
        rows = self._database.all(
            "SELECT seq FROM journal WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit)
        )
        return [self._journal.get(row[0]) for row in rows]

    def rewrite_journal(self, entries: Sequence[JournalEntry]) -> None:
        with self._journal_unlocked():
            self._database.run_many(
                "UPDATE journal SET arguments = ?, said = ?, change = ? WHERE seq = ?",
                (
                    (
                        compact_json(entry.arguments),
                        entry.said,
                        compact_json(change_as_json(entry.change)),
                        entry.seq,
                    )
                    for entry in entries
                ),
            )

    def record_erasure(self, entry: JournalEntry, messages: int) -> None:
        written = self._journal.write(entry)
        with self._journal_unlocked():
            # As if they had moved: processes that cache them read them again.
            self._database.run(
                "UPDATE journal SET moved = ? WHERE seq = ?", (messages, written.seq)
            )

    def ledger_texts(self) -> Iterator[str]:
        for prompt, skipped in self._database.all("SELECT prompt, skipped FROM ledger_pages"):
            yield prompt
            yield from (text for fields in json.loads(skipped) for text in fields[4:])
        for (lines,) in self._database.all("SELECT lines FROM ledger WHERE lines <> '[]'"):
            yield from (text for _seq, _role, _at, text, *_ in json.loads(lines))

    def rewrite_ledger(
        self,
        titled: Callable[[str, str], str],
        reworded: Callable[[str], str],
        removed_seqs: Collection[int],
    ) -> None:
        # A block quotes shortened lines, titles and topics: what of it would stay cannot be told.
        self._database.run("UPDATE ledger_pages SET block = '' WHERE block <> ''")
        pages = self._database.all("SELECT number, skipped, prompt FROM ledger_pages")
        for number, skipped, prompt in pages:
            threads = [
                [thread_id, titled(thread_id, title), reworded(why), score, *map(reworded, text)]
                for thread_id, title, why, score, *text in json.loads(skipped)
            ]
            self._database.run(
                "UPDATE ledger_pages SET skipped = ?, prompt = ? WHERE number = ?",
                (skipped_json(threads), reworded(prompt), number),
            )
        whys = self._database.all("SELECT DISTINCT why FROM ledger")
        changed = [(reworded(why), why) for (why,) in whys if reworded(why) != why]
        self._database.run_many("UPDATE ledger SET why = ? WHERE why = ?", changed)
        entries = self._database.all("SELECT number, lines FROM ledger WHERE lines <> '[]'")
        for number, lines in entries:
            left = [
                [seq, role, at, text, reworded(why), *numbers]
                for seq, role, at, text, why, *numbers in json.loads(lines)
                if seq not in removed_seqs and reworded(text)
            ]
            self._database.run(
                "UPDATE ledger SET lines = ? WHERE number = ?", (compact_json(left), number)
            )

    def rewrite_statements(self, has_traces: Callable[[str], bool]) -> None:
        remove_statement_traces(self._database, has_traces)

    def _store_hashes(self) -> None:
        rows = self._walk_chosen("(SELECT name FROM projects WHERE id = e.project_id), e.id")
        self._database.run_many(
            "INSERT INTO forgotten (mark) VALUES (?) ON CONFLICT DO NOTHING",
            [(forgotten_hash(name, id_),) for _, name, id_ in rows],
        )
