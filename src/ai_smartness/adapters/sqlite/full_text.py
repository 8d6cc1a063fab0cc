"""Full-text search by FTS5.

Each project has its own index: a search reads no other project's words, and the
rarity of a word does not depend on other projects.
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

# The weights of a match in the event's own words, in the parts of its words, in its context.
_COLUMN_WEIGHTS = "bm25(1.0, 0.5, 0.3)"


class SqliteWordIndex:
    """Fulfils the port `WordIndex`."""

    def __init__(self, database: Database, projects: ProjectIds) -> None:
        self._database = database
        self._projects = projects
        self._tokenizer = Fts5Tokenizer()
        self._common = CommonWords(database, self._tokenizer)
        self._comparison = WordComparison(database, self._tokenizer)

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
                f"INSERT INTO {index} (rowid, text, parts, context) VALUES (?, ?, ?, ?)", rows
            )

    def _indexed_seqs(self, seqs: Iterable[int]) -> set[int]:
        rows = self._database.all_in("SELECT seq FROM event_words WHERE seq IN ({})", seqs)
        return {int(row[0] or 0) for row in rows}

    def clear(self, project: str) -> None:
        project_id = self._projects.find_id(project)
        if project_id is None:
            return
        with self._database.unit():
            self._database.run(f"DROP TABLE IF EXISTS {_index_name(project_id)}")
            self._database.run(f"DROP VIEW IF EXISTS {_index_name(project_id)}_source")
            self._database.run(
                "DELETE FROM event_words WHERE seq IN "
                "(SELECT seq FROM events WHERE project_id = ?)",
                (project_id,),
            )

    def match(self, scope: SearchScope, terms: Sequence[str], limit: int) -> list[SearchMatch]:
        matches = [
            match
            for project in scope.projects
            for match in self._matches_in_project(project, scope, terms, limit)
        ]
        return sorted(matches, key=lambda match: (-match.score, match.seq))[:limit]

    def _matches_in_project(
        self, project: str, scope: SearchScope, terms: Sequence[str], limit: int
    ) -> list[SearchMatch]:
        project_id = self._indexed_project(project)
        if project_id is None or not terms:
            return []
        index = _index_name(project_id)
        query = _any_term_query(self._common.affordable_terms(project_id, terms))
        conditions, values = _scope_condition(project_id, scope)
        rows = self._database.all(
            f"SELECT rowid, rank FROM {index} AS w WHERE {index} MATCH ? "
            f"AND rank MATCH '{_COLUMN_WEIGHTS}' {conditions} ORDER BY rank LIMIT ?",
            (query, *values, limit),
        )
        return [SearchMatch(cast("int", seq), -cast("float", rank)) for seq, rank in rows]

    def compare_words(
        self, scope: SearchScope, question: str, recent_text: str, seqs: Sequence[int]
    ) -> QueryWords:
        ids = (self._indexed_project(project) for project in scope.projects)
        indexes = {project_id: _index_name(project_id) for project_id in ids if project_id}
        return self._comparison.compare_words(indexes, question, recent_text, seqs)

    def close(self) -> None:
        """Close the tokenizer."""
        self._tokenizer.close()

    def refresh_index(self, project: str) -> None:
        project_id = self._indexed_project(project)
        if project_id is not None:
            self._common.update_shares(project_id, _index_name(project_id))

    def _indexed_project(self, project: str) -> int | None:
        """Return the id of a project that has an index."""
        project_id = self._projects.find_id(project)
        return project_id if project_id and self._index_exists(_index_name(project_id)) else None

    def _ensure_index(self, project_id: int) -> str:
        """Return the name of the project's index, creating it if needed."""
        index = _index_name(project_id)
        if not self._index_exists(index):
            # The words are not stored twice: the index reads them through a view, which also
            # lets a row be removed or the whole index be rebuilt.
            self._database.run(
                f"CREATE VIEW {index}_source AS "
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


def _index_name(project_id: int) -> str:
    return f"words_{project_id}"


def _scope_condition(project_id: int, scope: SearchScope) -> tuple[str, list[Value]]:
    conditions, values = "", list[Value]()
    if scope.session is not None:
        conditions += "AND rowid IN (SELECT seq FROM events WHERE project_id = ? AND session = ?) "
        values += [project_id, scope.session]
    if scope.before is not None:
        conditions += "AND (SELECT at FROM events WHERE seq = w.rowid) < ? "
        values += [to_microseconds(scope.before)]
    return conditions, values


def _any_term_query(terms: Sequence[str]) -> str:
    """Return an FTS5 query for any of the terms; quoted, so that no word is an operator."""
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
