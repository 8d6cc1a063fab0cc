"""Full text of an SQLite file, by FTS5.

Each project has an index of its own: a search reads no other project's
words, and how rare a word is does not depend on what other projects say.
"""

from collections.abc import Iterable, Sequence
from typing import cast

from ai_smartness.adapters.storage.sqlite.common_words import CommonWords
from ai_smartness.adapters.storage.sqlite.comparing import Comparing
from ai_smartness.adapters.storage.sqlite.database import Database, Value
from ai_smartness.adapters.storage.sqlite.projects import Projects
from ai_smartness.adapters.storage.sqlite.rows import microseconds
from ai_smartness.adapters.storage.sqlite.tokens import TOKENIZER, Tokens
from ai_smartness.model.found import Compared, Match, Scope, Words

__all__ = ["SqliteWords"]

# How much a match counts: in the event's own words, in the parts of its words, in its context.
_COLUMN_WEIGHTS = "bm25(1.0, 0.5, 0.3)"


class SqliteWords:
    """Fulfils the port `WordIndex`."""

    def __init__(self, database: Database, projects: Projects) -> None:
        self._database = database
        self._projects = projects
        self._tokens = Tokens()
        self._common = CommonWords(database, self._tokens)
        self._comparing = Comparing(database, self._tokens)

    def add(self, project: str, words: Iterable[Words]) -> None:
        """Index events that are not indexed yet."""
        with self._database.unit():
            index = self._made(self._projects.made(project))
            entries = list(words)
            known = self._indexed(entry.seq for entry in entries)
            rows = [
                (entry.seq, entry.text, entry.parts, entry.context)
                for entry in entries
                if entry.seq not in known
            ]
            self._database.many(
                "INSERT INTO event_words (seq, parts, context) VALUES (?, ?, ?)",
                ((seq, parts, context) for seq, _, parts, context in rows),
            )
            self._database.many(
                f"INSERT INTO {index} (rowid, text, parts, context) VALUES (?, ?, ?, ?)",  # noqa: S608 # our own name
                rows,
            )

    def _indexed(self, seqs: Iterable[int]) -> set[int]:
        marks = ", ".join(str(seq) for seq in seqs)
        rows = self._database.all(f"SELECT seq FROM event_words WHERE seq IN ({marks})")  # noqa: S608 # numbers
        return {int(row[0] or 0) for row in rows}

    def clear(self, project: str) -> None:
        """Forget every word of the project."""
        number = self._projects.number(project)
        if number is None:
            return
        with self._database.unit():
            self._database.run(f"DROP TABLE IF EXISTS {_index(number)}")
            self._database.run(f"DROP VIEW IF EXISTS {_index(number)}_source")
            self._database.run(
                "DELETE FROM event_words WHERE seq IN "
                "(SELECT seq FROM events WHERE project_id = ?)",
                (number,),
            )

    def match(self, scope: Scope, terms: Sequence[str], limit: int) -> list[Match]:
        """Return the events that hold any of the terms, best first by BM25."""
        found = [
            match
            for project in scope.projects
            for match in self._matches(project, scope, terms, limit)
        ]
        return sorted(found, key=lambda match: (-match.score, match.seq))[:limit]

    def compared(self, scope: Scope, asked: str, said: str, seqs: Sequence[int]) -> Compared:
        """Tell which words of a question, and of what was just said, stand in which events."""
        numbers = (self._projects.number(project) for project in scope.projects)
        indexes = {n: _index(n) for n in numbers if n is not None and self._exists(_index(n))}
        return self._comparing.compared(indexes, asked, said, seqs)

    def close(self) -> None:
        """Let go of the words in mind."""
        self._tokens.close()

    def settle(self, project: str) -> None:
        """Bring up to date whatever makes `match` quick."""
        number = self._projects.number(project)
        if number is not None and self._exists(_index(number)):
            self._common.survey(number, _index(number))

    def _matches(self, project: str, scope: Scope, terms: Sequence[str], limit: int) -> list[Match]:
        number = self._projects.number(project)
        if number is None or not terms or not self._exists(_index(number)):
            return []
        query = _any_of(self._common.affordable(number, terms))
        conditions, values = _narrowed(number, scope)
        rows = self._database.all(
            f"SELECT rowid, rank FROM {_index(number)} AS w WHERE {_index(number)} MATCH ? "  # noqa: S608 # our own name
            f"AND rank MATCH '{_COLUMN_WEIGHTS}' {conditions} ORDER BY rank LIMIT ?",
            (query, *values, limit),
        )
        return [Match(cast("int", seq), -cast("float", rank)) for seq, rank in rows]

    def _made(self, number: int) -> str:
        """Name the project's index, making it if there is none."""
        index = _index(number)
        if not self._exists(index):
            # The words are not stored a second time: the index reads them through a view, which
            # is also what lets a row be taken out again or the whole be rebuilt.
            self._database.run(
                f"CREATE VIEW {index}_source AS "  # noqa: S608 # our own name
                "SELECT e.seq AS seq, e.text AS text, w.parts AS parts, w.context AS context "
                "FROM events e JOIN event_words w ON w.seq = e.seq"
            )
            self._database.run(
                f"CREATE VIRTUAL TABLE {index} USING fts5(text, parts, context, "
                f"content='{index}_source', content_rowid='seq', "
                f'tokenize="{TOKENIZER}")'
            )
        return index

    def _exists(self, index: str) -> bool:
        row = self._database.one("SELECT 1 FROM sqlite_master WHERE name = ?", (index,))
        return row is not None


def _index(number: int) -> str:
    return f"words_{number}"


def _narrowed(number: int, scope: Scope) -> tuple[str, list[Value]]:
    conditions, values = "", list[Value]()
    if scope.session is not None:
        conditions += "AND rowid IN (SELECT seq FROM events WHERE project_id = ? AND session = ?) "
        values += [number, scope.session]
    if scope.before is not None:
        conditions += "AND (SELECT at FROM events WHERE seq = w.rowid) < ? "
        values += [microseconds(scope.before)]
    return conditions, values


def _any_of(terms: Sequence[str]) -> str:
    """Write the terms as one FTS5 query; each is quoted, so that no word is an operator."""
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
