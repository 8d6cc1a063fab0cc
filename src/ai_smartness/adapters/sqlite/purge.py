"""Purge the traces of deleted events from the file and its indexes."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from ai_smartness.adapters.sqlite.database import Database
from ai_smartness.adapters.sqlite.deletion_proof import TraceSearch
from ai_smartness.adapters.tables.deletion import ErasureTables
from ai_smartness.adapters.tables.event_tables import EventTable
from ai_smartness.adapters.tables.journal_table import JournalTable
from ai_smartness.adapters.tables.sql_database import ProjectIds, SqlDatabase
from ai_smartness.model.errors import StoreError
from ai_smartness.ports import Progress

__all__ = ["SqliteErasure"]

_INDEXED_COLUMNS = (
    "e.project_id, e.text, (SELECT parts FROM event_words w WHERE w.seq = e.seq), "
    "(SELECT context FROM event_words w WHERE w.seq = e.seq)"
)


class SqliteErasure(TraceSearch, ErasureTables):
    """Fulfils the port `ErasureStore`."""

    def __init__(
        self,
        database: Database,
        projects: ProjectIds,
        events: EventTable,
        journal: JournalTable,
        drop_graphs: Callable[[], None],
    ) -> None:
        super().__init__(database, projects, events, journal)
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

    def stored_names(self) -> Iterator[str]:
        yield from super().stored_names()
        for row in self._database.all("SELECT name, sql FROM sqlite_master"):
            yield "\n".join(value for value in row if value is not None)

    def remove_words(self, seqs: Collection[int]) -> None:
        self._database.choose_events(seqs)
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
        self._database.run(f"DELETE FROM event_words WHERE seq IN {self._database.chosen_seqs}")

    @contextmanager
    def _journal_unlocked(self) -> Iterator[None]:
        lock = self._database.first_row(
            "SELECT sql FROM sqlite_master WHERE name = 'journal_never_changes'"
        )
        self._database.run("DROP TRIGGER IF EXISTS journal_never_changes")
        yield
        if lock is not None:
            self._database.run(lock[0])

    def purge_traces(self, progress: Progress) -> None:
        self._drop_graphs()
        _purge_file(self._database, self.word_indexes(), progress)

    def leave_single_file(self) -> None:
        self._database.run("PRAGMA journal_mode = DELETE")


def _purge_file(
    database: SqlDatabase, indexes: Sequence[tuple[int, str]], progress: Progress
) -> None:
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


def _empty_log(database: SqlDatabase) -> None:
    """Write the log into the file, and truncate it."""
    row = database.first_row("PRAGMA wal_checkpoint(TRUNCATE)")
    if row is not None and row[0]:
        msg = (
            f"the log of the memory {database.name} could not be emptied: another process is "
            "reading. What was forgotten is gone from the memory and may still be in the log; "
            "end what uses the memory and run the same command again."
        )
        raise StoreError(msg)
