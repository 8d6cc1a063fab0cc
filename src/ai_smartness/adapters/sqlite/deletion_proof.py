"""Search every table and index for words of deleted messages."""

from collections.abc import Collection, Iterator
from itertools import islice

from ai_smartness.adapters.tables.sql_database import ProjectTables, Row
from ai_smartness.adapters.words.tokenizer import Fts5Tokenizer
from ai_smartness.model.erasure import Trace, contained_words

__all__ = ["TraceSearch"]

_MESSAGE_TABLES = frozenset({"events"})  # the words searched for occur in no message

_WORDLESS_TABLES = frozenset(
    {"vectors", "statement_vectors", "line_vectors", "centres", "embedded", "forgotten"}
    | {"spending", "imports"}
)
"""Tables of numbers, hashes, and the names of the user's own files."""

_LONG_TABLES = ("event_words", "notes")
_BATCH_ROWS = 1_000
_MAX_INDEX_WORDS = 1_000  # the number of words that are looked up in each full-text index


class TraceSearch(ProjectTables):
    """Searches all tables and indexes of an open file; a part of `SqliteErasure`."""

    def word_indexes(self) -> list[tuple[int, str]]:
        """Return the project ids and names of the full-text indexes."""
        rows = self._database.all(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'words\\_%' "
            "ESCAPE '\\' AND sql LIKE 'CREATE VIRTUAL TABLE%'"
        )
        names = [row[0] for row in rows]
        return sorted((int(name.removeprefix("words_")), name) for name in names)

    def remaining_traces(self, words: Collection[str]) -> list[Trace]:
        """Return the words that a table or an index still contains."""
        wanted = frozenset(words)
        traces = {
            Trace(f"table {table}", word)
            for table in self._text_tables()
            for text in self._table_texts(table)
            for word in contained_words(wanted, text)
        }
        traces.update(self._index_traces(wanted))
        return sorted(traces, key=lambda trace: (trace.place, trace.word))

    def unreached_places(self) -> list[str]:
        """Return nothing: all of the memory is in files that are searched."""
        return []

    def indexed_terms(self, words: Collection[str]) -> set[str]:
        terms = set[str]()
        for _, index in self.word_indexes():
            self._database.run(
                f"CREATE VIRTUAL TABLE temp.{index}_terms USING fts5vocab(main, {index}, row)"
            )
            query = f"SELECT 1 FROM temp.{index}_terms WHERE term = ?"
            terms.update(word for word in words if self._database.first_row(query, (word,)))
            self._database.run(f"DROP TABLE temp.{index}_terms")
        return terms

    def _text_tables(self) -> list[str]:
        rows = self._database.all("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = {row[0] for row in rows} - _MESSAGE_TABLES - _WORDLESS_TABLES
        return sorted(name for name in names if not name.startswith(("words_", "sqlite_")))

    def _table_texts(self, table: str) -> Iterator[str]:
        rows = self._table_rows(table)
        while batch := list(islice(rows, _BATCH_ROWS)):
            yield "\n".join(value for row in batch for value in row if isinstance(value, str))

    def _table_rows(self, table: str) -> Iterator[Row]:
        if table not in _LONG_TABLES:
            yield from self._database.all(f"SELECT * FROM {table}")
            return
        # The parts derive from the event's own words; only the context comes from elsewhere.
        columns = "seq, context" if table == "event_words" else "*"
        seq = 0
        while rows := self._database.all(
            f"SELECT {columns} FROM {table} WHERE seq > ? ORDER BY seq LIMIT ?", (seq, _BATCH_ROWS)
        ):
            yield from rows
            seq = rows[-1][0]

    def _index_traces(self, words: Collection[str]) -> Iterator[Trace]:
        """Yield the traces of deleted events in the full-text indexes."""
        tokens = Fts5Tokenizer()
        try:
            looked_up = [
                (word, token)
                for word in islice(sorted(words), _MAX_INDEX_WORDS)
                for stems in tokens.words_of([word])
                for token in stems
            ]
        finally:
            tokens.close()
        for _, index in self.word_indexes():
            # Each event that is indexed has a row here.
            gone = "NOT IN (SELECT seq FROM events) LIMIT 1"
            if self._database.first_row(f"SELECT 1 FROM {index}_docsize WHERE id {gone}"):
                yield Trace(f"full-text index {index}", "(an event that is gone)")
            for word, token in looked_up:
                query = f"SELECT 1 FROM {index} WHERE {index} MATCH ? AND rowid {gone}"
                if self._database.first_row(query, (f'"{token}"',)):
                    yield Trace(f"full-text index {index}", word)
