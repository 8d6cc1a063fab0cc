"""Full text of an SQLite file, by FTS5.

Each project has an index of its own: a search reads no other project's
words, and how rare a word is does not depend on what other projects say.
"""

from collections.abc import Iterable, Sequence
from typing import cast

from ai_smartness.adapters.sqlite.database import Database, ProjectIds, Value
from ai_smartness.adapters.sqlite.rows import to_microseconds
from ai_smartness.adapters.sqlite.word_frequency import (
    FTS5_TOKENIZE,
    CommonWords,
    Fts5Tokenizer,
    WordComparison,
)
from ai_smartness.model.search import IndexedWords, QueryWords, SearchMatch, SearchScope

__all__ = ["SqliteWordIndex"]

# How much a match counts: in the event's own words, in the parts of its words, in its context.
_COLUMN_WEIGHTS = "bm25(1.0, 0.5, 0.3)"


class SqliteWordIndex:
    """Fulfils the port `WordIndex`."""

    def __init__(self, database: Database, projects: ProjectIds) -> None:
        self._database = database
        self._projects = projects
        self._tokens = Fts5Tokenizer()
        self._common = CommonWords(database, self._tokens)
        self._comparing = WordComparison(database, self._tokens)

    def add(self, project: str, words: Iterable[IndexedWords]) -> None:
        with self._database.unit():
            index = self._ensure_index(self._projects.ensure_id(project))
            entries = list(words)
            known = self._indexed_seqs(entry.seq for entry in entries)
            rows = [
                (entry.seq, entry.text, entry.parts, entry.context)
                for entry in entries
                if entry.seq not in known
            ]
            self._database.run_many(
                "INSERT INTO event_words (seq, parts, context) VALUES (?, ?, ?)",
                ((seq, parts, context) for seq, _, parts, context in rows),
            )
            self._database.run_many(
                f"INSERT INTO {index} (rowid, text, parts, context) VALUES (?, ?, ?, ?)",  # our own name
                rows,
            )

    def _indexed_seqs(self, seqs: Iterable[int]) -> set[int]:
        marks = ", ".join(str(seq) for seq in seqs)
        rows = self._database.all(f"SELECT seq FROM event_words WHERE seq IN ({marks})")  # numbers
        return {int(row[0] or 0) for row in rows}

    def clear(self, project: str) -> None:
        number = self._projects.find_id(project)
        if number is None:
            return
        with self._database.unit():
            self._database.run(f"DROP TABLE IF EXISTS {_index_name(number)}")
            self._database.run(f"DROP VIEW IF EXISTS {_index_name(number)}_source")
            self._database.run(
                "DELETE FROM event_words WHERE seq IN "
                "(SELECT seq FROM events WHERE project_id = ?)",
                (number,),
            )

    def match(self, scope: SearchScope, terms: Sequence[str], limit: int) -> list[SearchMatch]:
        found = [
            match
            for project in scope.projects
            for match in self._matches_in_project(project, scope, terms, limit)
        ]
        return sorted(found, key=lambda match: (-match.score, match.seq))[:limit]

    def compare_words(
        self, scope: SearchScope, question: str, recent_text: str, seqs: Sequence[int]
    ) -> QueryWords:
        numbers = (self._projects.find_id(project) for project in scope.projects)
        indexes = {
            n: _index_name(n)
            for n in numbers
            if n is not None and self._index_exists(_index_name(n))
        }
        return self._comparing.compare_words(indexes, question, recent_text, seqs)

    def close(self) -> None:
        """Let go of the words in mind."""
        self._tokens.close()

    def refresh_index(self, project: str) -> None:
        number = self._projects.find_id(project)
        if number is not None and self._index_exists(_index_name(number)):
            self._common.update_shares(number, _index_name(number))

    def _matches_in_project(
        self, project: str, scope: SearchScope, terms: Sequence[str], limit: int
    ) -> list[SearchMatch]:
        number = self._projects.find_id(project)
        if number is None or not terms or not self._index_exists(_index_name(number)):
            return []
        query = _any_term_query(self._common.affordable_terms(number, terms))
        conditions, values = _scope_condition(number, scope)
        rows = self._database.all(
            f"SELECT rowid, rank FROM {_index_name(number)} AS w WHERE {_index_name(number)} MATCH ? "  # our own name
            f"AND rank MATCH '{_COLUMN_WEIGHTS}' {conditions} ORDER BY rank LIMIT ?",
            (query, *values, limit),
        )
        return [SearchMatch(cast("int", seq), -cast("float", rank)) for seq, rank in rows]

    def _ensure_index(self, number: int) -> str:
        """Name the project's index, making it if there is none."""
        index = _index_name(number)
        if not self._index_exists(index):
            # The words are not stored a second time: the index reads them through a view, which
            # is also what lets a row be taken out again or the whole be rebuilt.
            self._database.run(
                f"CREATE VIEW {index}_source AS "  # our own name
                "SELECT e.seq AS seq, e.text AS text, w.parts AS parts, w.context AS context "
                "FROM events e JOIN event_words w ON w.seq = e.seq"
            )
            self._database.run(
                f"CREATE VIRTUAL TABLE {index} USING fts5(text, parts, context, "
                f"content='{index}_source', content_rowid='seq', "
                f'tokenize="{FTS5_TOKENIZE}")'
            )
        return index

    def _index_exists(self, index: str) -> bool:
        row = self._database.first_row("SELECT 1 FROM sqlite_master WHERE name = ?", (index,))
        return row is not None


def _index_name(number: int) -> str:
    return f"words_{number}"


def _scope_condition(number: int, scope: SearchScope) -> tuple[str, list[Value]]:
    conditions, values = "", list[Value]()
    if scope.session is not None:
        conditions += "AND rowid IN (SELECT seq FROM events WHERE project_id = ? AND session = ?) "
        values += [number, scope.session]
    if scope.before is not None:
        conditions += "AND (SELECT at FROM events WHERE seq = w.rowid) < ? "
        values += [to_microseconds(scope.before)]
    return conditions, values


def _any_term_query(terms: Sequence[str]) -> str:
    """Write the terms as one FTS5 query; each is quoted, so that no word is an operator."""
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
