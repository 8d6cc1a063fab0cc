"""How common the words of a project are.

`CommonWords` keeps common words from making a search slow. The cost of a full-text
query is the number of events its words occur in. A word that half of all events
have says next to nothing, and in a large store it costs more than all the others
together: it is left out if the query has rarer ones.

`WordComparison` tells which words of a question occur in which messages, and how
rare each of them is.
"""

import sqlite3
import threading
from collections.abc import Mapping, Sequence

from ai_smartness.adapters.sqlite.database import Database, Row
from ai_smartness.model.search import QueryWords

__all__ = ["FTS5_TOKENIZE", "CommonWords", "Fts5Tokenizer", "WordComparison"]

# Marks are part of a word: by default FTS5 splits Hindi or Tamil at every vowel sign.
FTS5_TOKENIZE = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"

BUDGET_EVENTS = 15_000
"""How many events the words of one query may occur in together before the commonest are left out.

A smaller store never leaves out a word.
"""

COMMON_SHARE = 0.005
"""The share of events from which on a word is recorded as common."""

MIN_TERMS = 2
"""A query keeps at least this many terms, however common."""

READ_CHARACTERS = 8_000
"""Of each message: the rest is a log, whose words say little about the subject."""


class CommonWords:
    """The common words of each project, as of its last survey."""

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
        shares = {str(word): float(share or 0) for word, share in rows}
        return [
            min((shares.get(word, 0.0) for word in term_words), default=0.0)
            for term_words in words_of_terms
        ]

    def _surveyed_events(self, project_id: int) -> int:
        return self._database.first_number(
            "SELECT surveyed FROM projects WHERE id = ?", (project_id,)
        )


class WordComparison:
    """Compares questions with messages, and caches the counts of words."""

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
            f"substr(w.parts, 1, {READ_CHARACTERS}), w.context FROM events e "
            "JOIN event_words w ON w.seq = e.seq "
            f"WHERE e.seq IN ({', '.join(str(seq) for seq in seqs)})"
        )
        return {int(row[0] or 0): "\n".join(str(text) for text in row[1:]) for row in rows}

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
        return 0 if row is None else round(float(row[0] or 0) * events)

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
    read back, gives the same words with the same stems.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._opened: sqlite3.Connection | None = None

    def words_of(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """Return the distinct words of each text."""
        words: list[set[str]] = [set() for _ in texts]
        with self._turn:
            connection = self._open_index()
            connection.execute("DELETE FROM reading")
            connection.executemany(
                "INSERT INTO reading (rowid, text) VALUES (?, ?)", enumerate(texts)
            )
            for term, number in connection.execute("SELECT DISTINCT term, doc FROM words"):
                words[number].add(term)
        return [frozenset(text_words) for text_words in words]

    def close(self) -> None:
        """Close the index in memory."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _open_index(self) -> sqlite3.Connection:
        if self._opened is None:
            opened = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            opened.execute(
                f'CREATE VIRTUAL TABLE reading USING fts5(text, tokenize="{FTS5_TOKENIZE}")'
            )
            opened.execute("CREATE VIRTUAL TABLE words USING fts5vocab(reading, instance)")
            self._opened = opened
        return self._opened
