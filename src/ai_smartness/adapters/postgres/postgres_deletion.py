"""Delete events permanently from PostgreSQL, and what is left of them in tables and statistics.

What a client cannot reach is not promised: the server's write-ahead log, archives, replicas,
backups and logs keep what they have for as long as they are kept.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import islice

from ai_smartness.adapters.postgres.postgres_database import PostgresDatabase
from ai_smartness.adapters.postgres.posting_search import PostgresWordIndex
from ai_smartness.adapters.postgres.retention import retention_sentences, server_retention
from ai_smartness.adapters.postgres.team_tables import TeamTables
from ai_smartness.adapters.tables.deletion import ErasureTables
from ai_smartness.adapters.tables.event_tables import EventTable
from ai_smartness.adapters.tables.journal_table import JournalTable
from ai_smartness.adapters.tables.sql_database import ProjectIds
from ai_smartness.model.erasure import SHARED_PLACE, Trace, contained_words
from ai_smartness.model.errors import StoreError
from ai_smartness.ports import Progress

__all__ = ["PostgresErasure"]

_MESSAGE_TABLES = frozenset({"events"})  # the words searched for occur in no message
_WORDLESS_TABLES = frozenset(
    {"vectors", "statement_vectors", "line_vectors", "centres", "embedded", "forgotten"}
    | {"spending", "imports", "layout", "posting_blocks", "embedding_leases"}
)
_BATCH_ROWS = 1_000
_MAX_INDEX_WORDS = 1_000


_CLEAR_STATISTICS = {
    True: (
        "SELECT pg_clear_attribute_stats(schemaname, tablename, attname, inherited) FROM pg_stats "
        "WHERE schemaname = current_schema() AND tablename = ?"
    ),
    False: "DELETE FROM pg_catalog.pg_statistic WHERE starelid = to_regclass(?)",
}


class PostgresErasure(ErasureTables):
    """Fulfils the port `ErasureStore`."""

    _database: PostgresDatabase

    def __init__(
        self,
        database: PostgresDatabase,
        projects: ProjectIds,
        events: EventTable,
        journal: JournalTable,
        words: PostgresWordIndex,
    ) -> None:
        super().__init__(database, projects, events, journal)
        self._words = words
        self._team = TeamTables(database, projects)

    @contextmanager
    def deletion_allowed(self) -> Iterator[None]:
        with self._database.deferred_references():
            yield

    def remove_words(self, seqs: Collection[int]) -> None:
        self._database.choose_events(seqs)
        self._words.remove(seqs)

    def remove_project(self, project: str) -> None:
        self._database.run(
            "DELETE FROM posting_blocks WHERE project_id = ?", (self._projects.find_id(project),)
        )
        super().remove_project(project)

    @contextmanager
    def _journal_unlocked(self) -> Iterator[None]:
        self._database.set_local("ai_smartness.forgetting", "on")
        yield
        self._database.set_local("ai_smartness.forgetting", "off")

    def stored_names(self) -> Iterator[str]:
        yield from super().stored_names()
        rows = self._database.all(
            "SELECT table_name, column_name FROM information_schema.columns "
            "WHERE table_schema = current_schema()"
        )
        yield from (f"{table}\n{column}" for table, column in rows)

    def purge_traces(self, progress: Progress) -> None:
        """Rewrite all tables with their indexes, and their statistics."""
        with self._database.unit():
            # A common word may be deleted by now; large projects are surveyed again.
            self._database.run("DELETE FROM common_words")
            self._database.run("UPDATE projects SET surveyed = 0")
        tables = self._tables()
        for number, table in enumerate(tables):
            self._database.run_outside(f"VACUUM (FULL, ANALYZE) {table}")
            progress(number + 1, len(tables) + 1)
        self._purge_statistics()
        progress(len(tables) + 1, len(tables) + 1)

    def _purge_statistics(self) -> None:
        """Delete the statistics of empty tables, which ANALYZE leaves, and rewrite their table.

        Statistics quote common values. Only a superuser may rewrite their table, or delete from it
        before PostgreSQL 18; without that right the search for traces says what is left.
        """
        for table in self._tables():
            if self._database.first_row(f"SELECT 1 FROM {table} LIMIT 1"):
                continue
            with suppress(StoreError):
                self._database.run(_CLEAR_STATISTICS[self._has_clear_function], (table,))
        with suppress(StoreError):
            self._database.run_outside("VACUUM FULL pg_catalog.pg_statistic")

    @cached_property
    def _has_clear_function(self) -> bool:
        return bool(
            self._database.first_number(
                "SELECT count(*) FROM pg_proc WHERE proname = 'pg_clear_attribute_stats'"
            )
        )

    def leave_single_file(self) -> None:
        """Do nothing: there is no file."""

    def indexed_terms(self, words: Collection[str]) -> set[str]:
        rows = self._database.all_in(
            "SELECT DISTINCT term FROM posting_blocks WHERE term IN ({})", words
        )
        return {row[0] for row in rows}

    def remaining_traces(self, words: Collection[str]) -> list[Trace]:
        wanted = frozenset(words)
        searched = (
            *((f"table {table}", self._table_texts(table)) for table in self._text_tables()),
            ("statistics of the tables", self._statistics_texts()),
            (SHARED_PLACE, self._team.own_texts()),
        )
        traces = {
            Trace(place, word)
            for place, texts in searched
            for text in texts
            for word in contained_words(wanted, text)
        }
        traces.update(self._index_traces(wanted))
        return sorted(traces, key=lambda trace: (trace.place, trace.word))

    def unreached_places(self) -> list[str]:
        return retention_sentences(server_retention(self._database))

    def _tables(self) -> list[str]:
        rows = self._database.all(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename"
        )
        return [row[0] for row in rows]

    def _text_tables(self) -> list[str]:
        return [name for name in self._tables() if name not in _MESSAGE_TABLES | _WORDLESS_TABLES]

    def _table_texts(self, table: str) -> Iterator[str]:
        # The parts derive from the event's own words; only the context comes from elsewhere.
        columns = "seq, context" if table == "event_words" else "*"
        key = "seq" if table in {"event_words", "notes"} else ""
        rows = (
            self._walk_table(table, columns)
            if key
            else iter(self._database.all(f"SELECT {columns} FROM {table}"))
        )
        while batch := list(islice(rows, _BATCH_ROWS)):
            yield "\n".join(value for row in batch for value in row if isinstance(value, str))

    def _walk_table(self, table: str, columns: str) -> Iterator[tuple[object, ...]]:
        seq = 0
        while rows := self._database.all(
            f"SELECT {columns} FROM {table} WHERE seq > ? ORDER BY seq LIMIT ?", (seq, _BATCH_ROWS)
        ):
            yield from rows
            seq = rows[-1][0]

    def _statistics_texts(self) -> Iterator[str]:
        """Yield the values that the server has noted as common."""
        for (text,) in self._database.all(
            "SELECT concat_ws(' ', most_common_vals::text, histogram_bounds::text) FROM pg_stats "
            "WHERE schemaname = current_schema()"
        ):
            yield text

    def _index_traces(self, words: Collection[str]) -> Iterator[Trace]:
        """Yield the traces of deleted events in the posting blocks."""
        for word, seqs in self._words.indexed_seqs(list(islice(sorted(words), _MAX_INDEX_WORDS))):
            present = self._database.all_in("SELECT seq FROM events WHERE seq IN ({})", seqs)
            if len(present) < len(seqs):
                yield Trace("full-text index", word)
        gone = self._database.first_number(
            "SELECT count(*) FROM event_words w WHERE NOT EXISTS "
            "(SELECT 1 FROM events e WHERE e.seq = w.seq)"
        )
        if gone:
            yield Trace("full-text index", "(an event that is gone)")
