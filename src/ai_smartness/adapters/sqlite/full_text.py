"""Full-text search by FTS5, and how common the words of a project are.

Each project has its own index: a search reads no other project's words, and the
rarity of a word does not depend on other projects. That of a small project is in memory only.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ai_smartness.adapters.sqlite.database import Database
from ai_smartness.adapters.sqlite.small_projects import SMALL_PROJECT, SmallProjectIndex
from ai_smartness.adapters.tables.rows import to_microseconds
from ai_smartness.adapters.tables.sql_database import ProjectIds, Row, Value
from ai_smartness.adapters.words.bm25 import COLUMN_WEIGHTS
from ai_smartness.adapters.words.common_words import COMMON_SHARE, affordable_terms, is_survey_due
from ai_smartness.adapters.words.tokenizer import FTS5_TOKENIZE, Fts5Tokenizer
from ai_smartness.model.search import IndexedWords, QueryWords, SearchMatch, SearchScope

if TYPE_CHECKING:
    from ai_smartness.adapters.sqlite.word_scores import WordScores

__all__ = ["CommonWords", "SqliteWordIndex"]

_RANK = f"bm25({', '.join(map(str, COLUMN_WEIGHTS))})"

# The first line of the parts; the second has the runs of letters, which are no words.
PARTS_OF_NAMES = "substr(w.parts, 1, instr(w.parts || char(10), char(10)) - 1)"

READ_CHARACTERS = 8_000
"""Of each message: the rest is a log, whose words say little about the subject."""


class SqliteWordIndex:
    """Fulfils the port `WordIndex`."""

    def __init__(
        self, database: Database, projects: ProjectIds, small_project: int = SMALL_PROJECT
    ) -> None:
        self._database = database
        self._projects = projects
        self._tokenizer = Fts5Tokenizer()
        self._small = SmallProjectIndex(database, small_project)
        self._common = CommonWords(database, self._tokenizer)
        self._has_searched = False
        self._comparison = WordComparison(database, self._tokenizer, self._small)

    def add(self, project: str, words: Iterable[IndexedWords]) -> None:
        with self._database.unit():
            project_id = self._projects.ensure_id(project)
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
            self._add_to_index(project_id, rows)

    def _add_to_index(self, project_id: int, rows: Sequence[Row]) -> None:
        """Add rows to the project's index in the file, which it gets when it is no longer small."""
        index = _index_name(project_id)
        if _index_exists(self._database, index):
            self._database.run_many(
                f"INSERT INTO {index} (rowid, text, parts, context) VALUES (?, ?, ?, ?)", rows
            )
        elif rows and not self._small.is_small(project_id):
            self._create_index(index, project_id)

    def _indexed_seqs(self, seqs: Iterable[int]) -> set[int]:
        rows = self._database.all_in("SELECT seq FROM event_words WHERE seq IN ({})", seqs)
        return {row[0] for row in rows}

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
        project_id = self._projects.find_id(project)
        if project_id is None or not terms:
            return []
        index = _index_name(project_id)
        if not _index_exists(self._database, index):
            return self._matches_in_small_project(project_id, scope, terms)
        terms = self._common.affordable_terms(project_id, terms)
        conditions, values = _scope_condition(project_id, scope)
        if not conditions and self._is_scored_here(project_id):
            return self._scores.best_matches(index, terms, limit)
        rows = self._database.all(
            f"SELECT rowid, rank FROM {index} AS w WHERE {index} MATCH ? "
            f"AND rank MATCH '{_RANK}' {conditions} ORDER BY rank LIMIT ?",
            (_any_term_query(terms), *values, limit),
        )
        return [SearchMatch(seq, -rank) for seq, rank in rows]

    def _is_scored_here(self, project_id: int) -> bool:
        """Say whether a project is large, and this process has searched before.

        Another one may end before numpy is loaded.
        """
        is_first, self._has_searched = not self._has_searched, True
        return not is_first and self._common.surveyed_events(project_id) > 0

    @cached_property
    def _scores(self) -> "WordScores":
        from ai_smartness.adapters.sqlite.word_scores import WordScores

        return WordScores(self._database, self._tokenizer)

    def _matches_in_small_project(
        self, project_id: int, scope: SearchScope, terms: Sequence[str]
    ) -> list[SearchMatch]:
        rows = self._small.rows(
            project_id,
            f"SELECT rowid, rank FROM words WHERE words MATCH ? AND rank MATCH '{_RANK}'",
            _any_term_query(terms),
        )
        conditions, values = _scope_condition(project_id, scope)
        if conditions:
            in_scope = self._database.all_in(
                f"SELECT w.rowid FROM event_words w WHERE TRUE {conditions} AND w.rowid IN ({{}})",
                (seq for seq, _ in rows),
                values,
            )
            seqs = {row[0] for row in in_scope}
            rows = [row for row in rows if row[0] in seqs]
        return [SearchMatch(seq, -rank) for seq, rank in rows]

    def compare_words(
        self, scope: SearchScope, question: str, recent_text: str, seqs: Sequence[int]
    ) -> QueryWords:
        ids = (self._projects.find_id(project) for project in scope.projects)
        known = {project_id for project_id in ids if project_id}
        return self._comparison.compare_words(known, question, recent_text, seqs)

    def close(self) -> None:
        """Close the tokenizer and the index in memory."""
        self._tokenizer.close()
        self._small.close()

    def refresh_index(self, project: str) -> None:
        project_id = self._projects.find_id(project)
        if project_id is not None and _index_exists(self._database, _index_name(project_id)):
            self._common.update_shares(project_id, _index_name(project_id))

    def _create_index(self, index: str, project_id: int) -> None:
        """Index all words of a project in the file."""
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
        self._database.run(
            f"INSERT INTO {index} (rowid, text, parts, context) "
            "SELECT e.seq, e.text, w.parts, w.context FROM events e "
            "JOIN event_words w ON w.seq = e.seq WHERE e.project_id = ?",
            (project_id,),
        )


def _index_exists(database: Database, index: str) -> bool:
    return bool(
        database.first_number("SELECT count(*) FROM sqlite_master WHERE name = ?", (index,))
    )


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


class CommonWords:
    """The common words of each project, as of its last survey."""

    def __init__(self, database: Database, tokenizer: Fts5Tokenizer) -> None:
        self._database = database
        self._tokenizer = tokenizer

    def update_shares(self, project_id: int, index: str) -> None:
        """Count the words again if the project has doubled, or is large for the first time."""
        events = _event_count(self._database, project_id)
        if not is_survey_due(events, self.surveyed_events(project_id)):
            return
        shares = self._count_words(index, events)
        with self._database.unit():
            self._database.run("DELETE FROM common_words WHERE project_id = ?", (project_id,))
            self._database.run_many(
                "INSERT INTO common_words (project_id, word, share) VALUES (?, ?, ?)",
                ((project_id, word, share) for word, share in shares),
            )
            self._database.run(
                "UPDATE projects SET surveyed = ? WHERE id = ?", (events, project_id)
            )

    def _count_words(self, index: str, events: int) -> list[Row]:
        """Read through the index, outside any unit: seconds at a million events."""
        self._database.run(
            f"CREATE VIRTUAL TABLE temp.{index}_words USING fts5vocab(main, {index}, row)"
        )
        rows = self._database.all(
            f"SELECT term, doc / ? FROM temp.{index}_words WHERE doc >= ?",
            (float(events), COMMON_SHARE * events),
        )
        self._database.run(f"DROP TABLE temp.{index}_words")
        return rows

    def affordable_terms(self, project_id: int, terms: Sequence[str]) -> list[str]:
        """Return the terms to search for: all, or the rarest within the budget."""
        if not self.surveyed_events(project_id):
            return list(terms)
        words_of_terms = self._tokenizer.words_of(terms)
        rows = self._database.all_in(
            "SELECT word, share FROM common_words WHERE project_id = ? AND word IN ({})",
            sorted(frozenset[str]().union(*words_of_terms)),
            (project_id,),
        )
        events = _event_count(self._database, project_id)
        return affordable_terms(terms, words_of_terms, dict(rows), events)

    def surveyed_events(self, project_id: int) -> int:
        """Return how many events a project had when its words were last counted; 0 if never."""
        return self._database.first_number(
            "SELECT surveyed FROM projects WHERE id = ?", (project_id,)
        )


class WordComparison:
    """Finds the words of a question in messages, with the number of events that have each."""

    def __init__(
        self, database: Database, tokenizer: Fts5Tokenizer, small: SmallProjectIndex
    ) -> None:
        self._database = database
        self._tokenizer = tokenizer
        self._small = small
        self._counts: dict[int, tuple[int, dict[str, int]]] = {}
        self._vocabularies: set[str] = set()

    def compare_words(
        self, project_ids: Collection[int], question: str, recent_text: str, seqs: Sequence[int]
    ) -> QueryWords:
        """Compare a question with messages of projects."""
        texts = self._texts_by_seq(seqs)
        (wanted,) = self._tokenizer.words_of([question])
        said, *held = self._tokenizer.words_among([recent_text, *texts.values()], wanted)
        events, spread = 0, dict.fromkeys(wanted, 0)
        for project_id in project_ids:
            in_project = _event_count(self._database, project_id)
            events += in_project
            for word in wanted:
                spread[word] += self._count_events(project_id, word, in_project)
        return QueryWords(
            events=events,
            spread=spread,
            said=said,
            held=dict(zip(texts, held, strict=True)),
        )

    def _texts_by_seq(self, seqs: Sequence[int]) -> dict[int, str]:
        rows = self._database.all(
            f"SELECT e.seq, substr(e.text, 1, {READ_CHARACTERS}), "
            f"substr({PARTS_OF_NAMES}, 1, {READ_CHARACTERS}), w.context FROM events e "
            "JOIN event_words w ON w.seq = e.seq "
            f"WHERE e.seq IN ({', '.join(str(seq) for seq in seqs)})"
        )
        return {row[0]: "\n".join(row[1:]) for row in rows}

    def _count_events(self, project_id: int, word: str, events: int) -> int:
        """Count the events with a word; a count is cached until an event comes.

        An older count would make an answer depend on how long the process has run.
        The common words of a large project are not counted, but estimated.
        """
        counted_at, counts = self._counts.get(project_id, (0, {}))
        if counted_at != events:
            counts = {}
            self._counts[project_id] = (events, counts)
        if word not in counts:
            counts[word] = self._estimated_count(project_id, word, events) or self._exact_count(
                project_id, word
            )
        return min(counts[word], events)

    def _estimated_count(self, project_id: int, word: str, events: int) -> int:
        row = self._database.first_row(
            "SELECT share FROM common_words WHERE project_id = ? AND word = ?", (project_id, word)
        )
        return 0 if row is None else round(row[0] * events)

    def _exact_count(self, project_id: int, word: str) -> int:
        index = _index_name(project_id)
        if not _index_exists(self._database, index):
            rows = self._small.rows(project_id, "SELECT doc FROM counts WHERE term = ?", word)
            return int(rows[0][0]) if rows else 0
        vocabulary = f"{index}_counts"
        if vocabulary not in self._vocabularies:
            self._database.run(
                f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{vocabulary} "
                f"USING fts5vocab(main, {index}, row)"
            )
            self._vocabularies.add(vocabulary)
        return self._database.first_number(
            f"SELECT doc FROM temp.{vocabulary} WHERE term = ?", (word,)
        )


def _event_count(database: Database, project_id: int) -> int:
    return database.first_number("SELECT events FROM projects WHERE id = ?", (project_id,))
