"""Delete events permanently, and purge their traces from the file.

Only this module deletes events and rewrites journal entries. A deleted event is
remembered by a hash of its id alone, so that no import brings it back.
"""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from ai_smartness.adapters.sqlite.database import Database, ProjectIds
from ai_smartness.adapters.sqlite.deletion_queries import CHOSEN_SEQS, ErasureQueries
from ai_smartness.adapters.sqlite.event_tables import SqliteEvents
from ai_smartness.adapters.sqlite.journal_table import SqliteJournal, change_as_json
from ai_smartness.adapters.sqlite.rows import compact_json, skipped_json
from ai_smartness.adapters.sqlite.statement_deletion import (
    remove_statement_traces,
    remove_statements,
)
from ai_smartness.model.erasure import forgotten_hash
from ai_smartness.model.errors import StoreError
from ai_smartness.model.journal import JournalEntry
from ai_smartness.ports import Progress

__all__ = ["SqliteErasure"]

_INDEXED_COLUMNS = (
    "e.project_id, e.text, (SELECT parts FROM event_words w WHERE w.seq = e.seq), "
    "(SELECT context FROM event_words w WHERE w.seq = e.seq)"
)
_PROJECT_TABLES = (
    *("journal", "sessions", "ledger", "ledger_pages", "focus"),
    *("common_words", "embedded", "threads", "statement_progress", "statement_reviews"),
)


class SqliteErasure(ErasureQueries):
    """Fulfils the port `ErasureStore`."""

    def __init__(
        self,
        database: Database,
        projects: ProjectIds,
        events: SqliteEvents,
        journal: SqliteJournal,
        drop_graphs: Callable[[], None],
    ) -> None:
        super().__init__(database, projects, events)
        self._journal = journal
        self._drop_graphs = drop_graphs

    @contextmanager
    def deletion_allowed(self) -> Iterator[None]:
        # Otherwise each deletion would scan all vectors for references to the event.
        self._database.run("PRAGMA foreign_keys = OFF")
        self._database.run("PRAGMA secure_delete = ON")
        try:
            yield
        finally:
            self._database.run("PRAGMA foreign_keys = ON")

    def remove_words(self, seqs: Collection[int]) -> None:
        self._choose_events(seqs)
        for project_id, index in self.word_indexes():
            self._database.run_many(
                f"INSERT INTO {index} ({index}, rowid, text, parts, context) "
                "VALUES ('delete', ?, ?, ?, ?)",
                (
                    (seq, text, parts, context)
                    for seq, project, text, parts, context in self._walk_chosen(_INDEXED_COLUMNS)
                    if project == project_id and parts is not None
                ),
            )
        self._database.run(f"DELETE FROM event_words WHERE seq IN {CHOSEN_SEQS}")

    def remove_events(self, seqs: Collection[int]) -> None:
        self.remove_words(seqs)
        self._store_hashes()
        for project, space in self._database.all("SELECT project_id, space_id FROM embedded"):
            chosen = f"FROM vectors WHERE project_id = ? AND space_id = ? AND seq IN {CHOSEN_SEQS}"
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
            self._database.run(f"DELETE FROM {table} WHERE seq IN {CHOSEN_SEQS}")

    def remove_threads(self, thread_ids: Collection[str]) -> None:
        self._database.run("CREATE TEMP TABLE IF NOT EXISTS leaving (id TEXT PRIMARY KEY)")
        self._database.run("DELETE FROM temp.leaving")
        self._database.run_many(
            "INSERT INTO temp.leaving VALUES (?)", ((id_,) for id_ in thread_ids)
        )
        for table, column in (
            ("bridges", "source"),
            ("bridges", "target"),
            ("centres", "thread_id"),
            ("ledger", "thread_id"),
            ("focus", "topic"),
            ("threads", "id"),
        ):
            self._database.run(
                f"DELETE FROM {table} WHERE {column} IN (SELECT id FROM temp.leaving)"
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
            self._database.run(
                f"DELETE FROM {table} WHERE {column} = ?1 AND (?2 IS NULL OR project_id = ?2)",
                (session, project_id),
            )

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

    @contextmanager
    def _journal_unlocked(self) -> Iterator[None]:
        lock = self._database.first_row(
            "SELECT sql FROM sqlite_master WHERE name = 'journal_never_changes'"
        )
        self._database.run("DROP TRIGGER IF EXISTS journal_never_changes")
        yield
        if lock is not None:
            self._database.run(lock[0])

    def ledger_texts(self) -> Iterator[str]:
        for prompt, skipped in self._database.all("SELECT prompt, skipped FROM ledger_pages"):
            yield prompt
            yield from (text for fields in json.loads(skipped) for text in fields[4:])
        for (lines,) in self._database.all("SELECT lines FROM ledger WHERE lines <> '[]'"):
            yield from (text for _seq, _role, _at, text, _why in json.loads(lines))

    def rewrite_ledger(
        self,
        titled: Callable[[str, str], str],
        reworded: Callable[[str], str],
        removed_seqs: Collection[int],
    ) -> None:
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
                [seq, role, at, text, reworded(why)]
                for seq, role, at, text, why in json.loads(lines)
                if seq not in removed_seqs and reworded(text)
            ]
            self._database.run(
                "UPDATE ledger SET lines = ? WHERE number = ?", (compact_json(left), number)
            )

    def rewrite_statements(self, has_traces: Callable[[str], bool]) -> None:
        remove_statement_traces(self._database, has_traces)

    def purge_traces(self, progress: Progress) -> None:
        self._drop_graphs()
        _purge_file(self._database, self.word_indexes(), progress)

    def leave_single_file(self) -> None:
        self._database.run("PRAGMA journal_mode = DELETE")

    def _store_hashes(self) -> None:
        rows = self._walk_chosen("(SELECT name FROM projects WHERE id = e.project_id), e.id")
        self._database.run_many(
            "INSERT OR IGNORE INTO forgotten (mark) VALUES (?)",
            [(forgotten_hash(name, id_),) for _, name, id_ in rows],
        )


def _purge_file(database: Database, indexes: Sequence[tuple[int, str]], progress: Progress) -> None:
    """Rewrite the indexes and the whole file, and empty its log."""
    steps = len(indexes) + 3
    with database.unit():
        # A common word may be deleted by now; large projects are surveyed again.
        database.run("DELETE FROM common_words")
        database.run("UPDATE projects SET surveyed = 0")
    for number, (_, index) in enumerate(indexes):
        # Words of deleted events stay in the index's segments until these are merged.
        database.run(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
        progress(number + 1, steps)
    _empty_log(database)
    progress(steps - 2, steps)
    database.run("VACUUM")
    progress(steps - 1, steps)
    _empty_log(database)
    progress(steps, steps)


def _empty_log(database: Database) -> None:
    """Write the log into the file, and truncate it."""
    row = database.first_row("PRAGMA wal_checkpoint(TRUNCATE)")
    if row is not None and row[0]:
        msg = (
            f"the log of the memory {database.name} could not be emptied: another process is "
            "reading. What was forgotten is gone from the memory and may still be in the log; "
            "end what uses the memory and run the same command again."
        )
        raise StoreError(msg)
