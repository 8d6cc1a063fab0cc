"""Full-text search in a project that is too small for an index in the file.

SQLite reads the whole schema when it opens a file, and an FTS5 index has six entries there. With
an index for each of thousands of projects, that alone took seconds. So the words of a small
project are indexed in memory when they are searched: milliseconds, with the scores of an index
in the file. A few projects at a time are in memory.
"""

import sqlite3

from ai_smartness.adapters.sqlite.database import Database
from ai_smartness.adapters.tables.sql_database import Row
from ai_smartness.adapters.words.tokenizer import FTS5_TOKENIZE

__all__ = ["SMALL_PROJECT", "SmallProjectIndex"]

SMALL_PROJECT = 250_000
"""The largest size of a small project in characters; they are indexed in about 6 ms."""

EVENT_CHARACTERS = 200  # added for each event: indexing a row takes as long as so many characters

MOST_LOADED = 4
"""Projects in memory at a time: a search reads its own and that of the user's pins."""

# A cross join is read in this order: otherwise SQLite may walk the words of all projects.
_PROJECT_WORDS = "FROM events e CROSS JOIN event_words w ON w.seq = e.seq WHERE e.project_id = ?"


class SmallProjectIndex:
    """The FTS5 indexes `words` of small projects, each in a database in memory."""

    def __init__(self, database: Database, largest: int) -> None:
        self._database = database
        self._largest = largest
        self._indexes: dict[int, tuple[tuple[int, ...], sqlite3.Connection]] = {}

    def is_small(self, project_id: int) -> bool:
        """Say whether a project without an index in the file goes on without one."""
        size = self._database.first_number(
            "SELECT sum(? + length(e.text) + length(w.parts) + length(w.context)) "
            + _PROJECT_WORDS,
            (EVENT_CHARACTERS, project_id),
        )
        return size <= self._largest

    def rows(self, project_id: int, sql: str, *values: str) -> list[Row]:
        """Return the rows of a query on the index of a project, which is loaded if needed."""
        with self._database.turn():
            return self._load(project_id).execute(sql, values).fetchall()

    def close(self) -> None:
        """Close the indexes."""
        while self._indexes:
            self._indexes.popitem()[1][1].close()

    def _load(self, project_id: int) -> sqlite3.Connection:
        """Return the index of a project as it is now, and make it the latest used."""
        state = self._database.write_counts()
        if project_id not in self._indexes:
            self._indexes[project_id] = (), self._free_index()
        loaded, index = self._indexes.pop(project_id)
        if loaded != state:
            self._fill(index, project_id)
        self._indexes[project_id] = state, index
        return index

    def _free_index(self) -> sqlite3.Connection:
        """Return a new index, or that of the project that was not used for longest."""
        if len(self._indexes) < MOST_LOADED:
            return _opened_index()
        return self._indexes.pop(next(iter(self._indexes)))[1]

    def _fill(self, index: sqlite3.Connection, project_id: int) -> None:
        rows = self._database.all(
            f"SELECT e.seq, e.text, w.parts, w.context {_PROJECT_WORDS}", (project_id,)
        )
        index.execute("INSERT INTO words (words) VALUES ('delete-all')")
        index.executemany(
            "INSERT INTO words (rowid, text, parts, context) VALUES (?, ?, ?, ?)", rows
        )
        index.commit()


def _opened_index() -> sqlite3.Connection:
    index = sqlite3.connect(":memory:", check_same_thread=False)
    index.execute(
        "CREATE VIRTUAL TABLE words USING fts5(text, parts, context, content='', "
        f'tokenize="{FTS5_TOKENIZE}")'
    )
    index.execute("CREATE VIRTUAL TABLE counts USING fts5vocab(words, row)")
    return index
