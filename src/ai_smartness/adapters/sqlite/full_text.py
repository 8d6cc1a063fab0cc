"""Full-text search by FTS5, and how common the words of a project are.

Each project has its own index: a search reads no other project's words, and the
rarity of a word does not depend on other projects.
"""

import re
import sqlite3
import threading
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from ai_smartness.adapters.sqlite.database import Database
from ai_smartness.adapters.tables.rows import to_microseconds
from ai_smartness.adapters.tables.sql_database import ProjectIds, Row, Value
from ai_smartness.model.search import IndexedWords, QueryWords, SearchMatch, SearchScope

__all__ = ["CommonWords", "Fts5Tokenizer", "SqliteWordIndex"]

# The weights of a match in the event's own words, in the parts of its words, in its context.
_COLUMN_WEIGHTS = "bm25(1.0, 0.5, 0.3)"

# Marks are part of a word: by default FTS5 splits Hindi or Tamil at every vowel sign.
FTS5_TOKENIZE = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"

# The first line of the parts; the second has the runs of letters, which are no words.
PARTS_OF_NAMES = "substr(w.parts, 1, instr(w.parts || char(10), char(10)) - 1)"

BUDGET_EVENTS = 15_000
"""How many events the words of one query may occur in together before the commonest are left out.

A smaller store never leaves out a word.
"""

COMMON_SHARE = 0.005  # the share of events from which on a word is recorded as common
MIN_TERMS = 2  # a query keeps at least this many terms, however common
READ_CHARACTERS = 8_000
"""Of each message: the rest is a log, whose words say little about the subject."""

KNOWN_STEMS = 50_000  # words whose stems are remembered: the vocabulary of a large project
KNOWN_CHARACTERS = 1_000

_ASCII_WORD = re.compile(r"[a-z0-9]+")


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
        return [SearchMatch(seq, -rank) for seq, rank in rows]

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


class CommonWords:
    """The common words of each project, as of its last survey.

    The cost of a full-text query is the number of events its words occur in. A word
    that half of all events have says next to nothing, and in a large store it costs more
    than all the others together: it is left out if the query has rarer ones.
    """

    def __init__(self, database: Database, tokenizer: "Fts5Tokenizer") -> None:
        self._database = database
        self._tokenizer = tokenizer

    def update_shares(self, project_id: int, index: str) -> None:
        """Count the words again if the project has doubled, or is large for the first time."""
        events = _event_count(self._database, project_id)
        if events < max(BUDGET_EVENTS, 2 * self._surveyed_events(project_id)):
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
        if not self._surveyed_events(project_id):
            return list(terms)
        events = _event_count(self._database, project_id)
        costs = [share * events for share in self._term_shares(project_id, terms)]
        left, affordable = float(BUDGET_EVENTS), list[int]()
        for number in sorted(range(len(terms)), key=lambda number: (costs[number], number)):
            left -= costs[number]
            if left < 0 and len(affordable) >= MIN_TERMS:
                break
            affordable.append(number)
        return [terms[number] for number in sorted(affordable)]

    def _term_shares(self, project_id: int, terms: Sequence[str]) -> list[float]:
        """Return the share of events that contain each term; 0 for a rare one.

        A term of several words is searched as a phrase, and is as common as its
        rarest word.
        """
        words_of_terms = self._tokenizer.words_of(terms)
        words = sorted(frozenset[str]().union(*words_of_terms))
        rows = self._database.all_in(
            "SELECT word, share FROM common_words WHERE project_id = ? AND word IN ({})",
            words,
            (project_id,),
        )
        shares: dict[str, float] = dict(rows)
        return [
            min((shares.get(word, 0.0) for word in term_words), default=0.0)
            for term_words in words_of_terms
        ]

    def _surveyed_events(self, project_id: int) -> int:
        return self._database.first_number(
            "SELECT surveyed FROM projects WHERE id = ?", (project_id,)
        )


class WordComparison:
    """Finds the words of a question in messages, with the number of events that have each."""

    def __init__(self, database: Database, tokenizer: "Fts5Tokenizer") -> None:
        self._database = database
        self._tokenizer = tokenizer
        self._counts: dict[int, tuple[int, dict[str, int]]] = {}
        self._vocabularies: set[str] = set()

    def compare_words(
        self, indexes: Mapping[int, str], question: str, recent_text: str, seqs: Sequence[int]
    ) -> QueryWords:
        """Compare a question with messages of projects, whose indexes are given by project id."""
        texts = self._texts_by_seq(seqs)
        wanted, recent, *in_texts = self._tokenizer.words_of(
            [question, recent_text, *texts.values()]
        )
        events = {project_id: _event_count(self._database, project_id) for project_id in indexes}
        spread = {
            word: sum(
                self._count_events(project_id, index, word, events[project_id])
                for project_id, index in indexes.items()
            )
            for word in wanted
        }
        return QueryWords(
            events=sum(events.values()),
            spread=spread,
            said=wanted & recent,
            held={seq: words & wanted for seq, words in zip(texts, in_texts, strict=True)},
        )

    def _texts_by_seq(self, seqs: Sequence[int]) -> dict[int, str]:
        rows = self._database.all(
            f"SELECT e.seq, substr(e.text, 1, {READ_CHARACTERS}), "
            f"substr({PARTS_OF_NAMES}, 1, {READ_CHARACTERS}), w.context FROM events e "
            "JOIN event_words w ON w.seq = e.seq "
            f"WHERE e.seq IN ({', '.join(str(seq) for seq in seqs)})"
        )
        return {row[0]: "\n".join(row[1:]) for row in rows}

    def _count_events(self, project_id: int, index: str, word: str, events: int) -> int:
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
                index, word
            )
        return min(counts[word], events)

    def _estimated_count(self, project_id: int, word: str, events: int) -> int:
        row = self._database.first_row(
            "SELECT share FROM common_words WHERE project_id = ? AND word = ?", (project_id, word)
        )
        return 0 if row is None else round(row[0] * events)

    def _exact_count(self, index: str, word: str) -> int:
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


class Fts5Tokenizer:
    """Splits texts into words exactly as the full-text index does.

    FTS5 does not offer its tokenizer to others; a small index in memory, filled and
    read back, gives the same words with the same stems. A text whose letters and digits are all
    ASCII is split here, and each of its words has to be stemmed only once.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._opened: sqlite3.Connection | None = None
        self._stems: dict[str, str] = {}

    def words_of(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """Return the distinct words of each text."""
        plain = [_plain_words(text) for text in texts]
        others = [text for text, words in zip(texts, plain, strict=True) if words is None]
        with self._turn:
            if len(self._stems) > KNOWN_STEMS:
                self._stems = {}
            stems, known = iter(self._indexed_words(others)), self._stems
            self._learn_stems(
                {word for words in plain for word in words or () if word not in known}
            )
            return [
                next(stems) if words is None else frozenset([known[word] for word in words])
                for words in plain
            ]

    def close(self) -> None:
        """Close the index in memory."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _learn_stems(self, words: Collection[str]) -> None:
        """Stem all words at once, as one text in which each has its place."""
        if words:
            rows = self._read_back([" ".join(words)], "term, offset")
            self._stems.update(
                zip(words, (term for term, _ in sorted(rows, key=_place)), strict=True)
            )

    def _indexed_words(self, texts: Sequence[str]) -> list[frozenset[str]]:
        words: list[set[str]] = [set() for _ in texts]
        for term, number in self._read_back(texts, "DISTINCT term, doc") if texts else ():
            words[number].add(term)
        return [frozenset(text_words) for text_words in words]

    def _read_back(self, texts: Sequence[str], columns: str) -> list[Row]:
        connection = self._open_index()
        connection.execute("DELETE FROM reading")
        connection.executemany("INSERT INTO reading (rowid, text) VALUES (?, ?)", enumerate(texts))
        return connection.execute(f"SELECT {columns} FROM words").fetchall()

    def _open_index(self) -> sqlite3.Connection:
        if self._opened is None:
            opened = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            opened.execute(
                f'CREATE VIRTUAL TABLE reading USING fts5(text, tokenize="{FTS5_TOKENIZE}")'
            )
            opened.execute("CREATE VIRTUAL TABLE words USING fts5vocab(reading, instance)")
            self._opened = opened
        return self._opened


def _place(row: Row) -> int:
    place: int = row[1]
    return place


def _plain_words(text: str) -> set[str] | None:
    """Return the words of a text whose letters and digits are all ASCII; nothing of another."""
    if not text.isascii() and not all(map(_separates_words, set(text))):
        return None
    return set(_ASCII_WORD.findall(text.lower()))


@lru_cache(KNOWN_CHARACTERS)
def _separates_words(character: str) -> bool:
    """Say whether a character beyond ASCII is no part of any word: punctuation, a sign, a space."""
    return character.isascii() or unicodedata.category(character)[0] in "PSZ"
