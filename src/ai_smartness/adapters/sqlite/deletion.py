"""Take away what an SQLite file otherwise never lets go of.

Only here are events deleted and journal entries rewritten. What goes is known
afterwards by a hash of its id alone, so that nobody brings it back.

Leave nothing behind of rows that were deleted from an SQLite file.
"""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import cast

from ai_smartness.adapters.sqlite.database import Database, ProjectIds
from ai_smartness.adapters.sqlite.deletion_proof import TraceSearch
from ai_smartness.adapters.sqlite.deletion_queries import CHOSEN_SEQS, ErasureQueries
from ai_smartness.adapters.sqlite.event_tables import SqliteEvents, forgotten_hash
from ai_smartness.adapters.sqlite.journal_table import SqliteJournal, change_as_json
from ai_smartness.model.erasure import Trace
from ai_smartness.model.errors import StoreError
from ai_smartness.model.journal import JournalEntry
from ai_smartness.ports import Progress

__all__ = ["SqliteErasure", "purge_file"]


_INDEXED_COLUMNS = (
    "e.project_id, e.text, (SELECT parts FROM event_words w WHERE w.seq = e.seq), "
    "(SELECT context FROM event_words w WHERE w.seq = e.seq)"
)


class SqliteErasure(ErasureQueries):
    """Fulfils the port `Oblivion`."""

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
        self._proof = TraceSearch(database)

    @contextmanager
    def deletion_allowed(self) -> Iterator[None]:
        # With every deletion SQLite would look for vectors of the event, through all of them.
        self._database.run("PRAGMA foreign_keys = OFF")
        self._database.run("PRAGMA secure_delete = ON")
        try:
            yield
        finally:
            self._database.run("PRAGMA foreign_keys = ON")

    def remove_words(self, seqs: Collection[int]) -> None:
        self._choose_events(seqs)
        for number, index in self._proof.word_indexes():
            self._database.run_many(
                f"INSERT INTO {index} ({index}, rowid, text, parts, context) "  # ours
                "VALUES ('delete', ?, ?, ?, ?)",
                (
                    (seq, text, parts, context)
                    for seq, project, text, parts, context in self._walk_chosen(_INDEXED_COLUMNS)
                    if project == number and parts is not None
                ),
            )
        self._database.run(f"DELETE FROM event_words WHERE seq IN {CHOSEN_SEQS}")  # ours

    def remove_events(self, seqs: Collection[int]) -> None:
        self.remove_words(seqs)
        self._store_hashes()
        for project, space in self._database.all("SELECT project_id, space_id FROM embedded"):
            of_shelf = f"project_id = ? AND space_id = ? AND seq IN {CHOSEN_SEQS}"
            gone = self._database.first_number(
                f"SELECT count(*) FROM vectors WHERE {of_shelf}",  # ours
                (project, space),
            )
            if gone:
                self._database.run(f"DELETE FROM vectors WHERE {of_shelf}", (project, space))
                self._database.run(
                    'UPDATE embedded SET "rows" = "rows" - ?, generation = generation + 1 '
                    "WHERE project_id = ? AND space_id = ?",
                    (gone, project, space),
                )
        for table in ("notes", "events"):
            self._database.run(f"DELETE FROM {table} WHERE seq IN {CHOSEN_SEQS}")  # ours

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
                f"DELETE FROM {table} WHERE {column} IN (SELECT id FROM temp.leaving)"  # ours
            )

    def remove_project(self, project: str) -> None:
        number = self._projects.find_id(project)
        for statement in (
            (
                "DELETE FROM journal_threads WHERE seq IN "
                "(SELECT seq FROM journal WHERE project_id = ?1)"
            ),
            *(
                f"DELETE FROM {table} WHERE project_id = ?1"  # our own tables
                for table in (
                    "journal",
                    "sessions",
                    "ledger",
                    "ledger_pages",
                    "focus",
                    "common_words",
                    "embedded",
                    "threads",
                )
            ),
            "DELETE FROM projects WHERE id = ?1",
        ):
            self._database.run(statement, (number,))
        self._projects.clear_cache()

    def remove_session(self, session: str, project: str | None) -> None:
        number = None if project is None else self._projects.find_id(project)
        for table, column in (
            ("sessions", "id"),
            ("ledger", "session"),
            ("ledger_pages", "session"),
            ("focus", "session"),
        ):
            self._database.run(
                f"DELETE FROM {table} WHERE {column} = ?1 "  # our own tables
                "AND (?2 IS NULL OR project_id = ?2)",
                (session, number),
            )

    def journal_after(self, after: int, limit: int) -> list[JournalEntry]:
        rows = self._database.all(
            "SELECT seq FROM journal WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit)
        )
        return [self._journal.get(cast("int", row[0])) for row in rows]

    def rewrite_journal(self, entries: Sequence[JournalEntry]) -> None:
        with self._journal_unlocked():
            self._database.run_many(
                "UPDATE journal SET arguments = ?, said = ?, change = ? WHERE seq = ?",
                (
                    (
                        _erasure_json(each.arguments),
                        each.said,
                        _erasure_json(change_as_json(each.change)),
                        each.seq,
                    )
                    for each in entries
                ),
            )

    def record_erasure(self, entry: JournalEntry, messages: int) -> None:
        written = self._journal.write(entry)
        with self._journal_unlocked():
            # As if they had moved: whoever has them in mind looks anew.
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
            self._database.run(str(lock[0]))

    def rewrite_ledger(
        self, titled: Callable[[str, str], str], reworded: Callable[[str], str]
    ) -> None:
        pages = self._database.all("SELECT number, skipped FROM ledger_pages")
        told = [
            (
                json.dumps(
                    [
                        [id_, titled(id_, title), reworded(why), score]
                        for id_, title, why, score in json.loads(str(skipped))
                    ],
                    ensure_ascii=False,
                ),
                number,
            )
            for number, skipped in pages
            if skipped != "[]"
        ]
        self._database.run_many("UPDATE ledger_pages SET skipped = ? WHERE number = ?", told)
        whys = self._database.all("SELECT DISTINCT why FROM ledger")
        changed = [(reworded(str(why)), why) for (why,) in whys if reworded(str(why)) != why]
        self._database.run_many("UPDATE ledger SET why = ? WHERE why = ?", changed)

    def purge_traces(self, progress: Progress) -> None:
        self._drop_graphs()
        purge_file(self._database, self._proof.word_indexes(), progress)

    def leave_single_file(self) -> None:
        self._database.run("PRAGMA journal_mode = DELETE")

    def indexed_terms(self, words: Collection[str]) -> set[str]:
        return self._proof.indexed_terms(words)

    def remaining_traces(self, words: Collection[str]) -> list[Trace]:
        return self._proof.remaining_traces(words)

    def _store_hashes(self) -> None:
        rows = self._walk_chosen("(SELECT name FROM projects WHERE id = e.project_id), e.id")
        self._database.run_many(
            "INSERT OR IGNORE INTO forgotten (mark) VALUES (?)",
            [(forgotten_hash(str(name), str(id_)),) for _, name, id_ in rows],
        )


def _erasure_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def purge_file(database: Database, indexes: Sequence[tuple[int, str]], progress: Progress) -> None:
    """Rewrite the indexes and the whole file, and empty its log."""
    steps = len(indexes) + 3
    with database.unit():
        # What was common then may be forgotten now; large projects are surveyed anew.
        database.run("DELETE FROM common_words")
        database.run("UPDATE projects SET surveyed = 0")
    for number, (_, index) in enumerate(indexes):
        # Words of deleted events stay in the index's pieces until these are made one.
        database.run(f"INSERT INTO {index} ({index}) VALUES ('optimize')")  # ours
        progress(number + 1, steps)
    _empty_log(database)
    progress(steps - 2, steps)
    database.run("VACUUM")
    progress(steps - 1, steps)
    _empty_log(database)
    progress(steps, steps)


def _empty_log(database: Database) -> None:
    """Bring the log into the file, and cut it to nothing."""
    row = database.first_row("PRAGMA wal_checkpoint(TRUNCATE)")
    if row is not None and row[0]:
        msg = (
            f"the log of the memory {database.name} could not be emptied: another process is "
            "reading. What was forgotten is gone from the memory and may still be in the log; "
            "end what uses the memory and run the same command again."
        )
        raise StoreError(msg)
