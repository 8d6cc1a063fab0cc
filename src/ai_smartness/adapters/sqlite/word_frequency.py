"""Take texts apart into words exactly as the full-text index does.

FTS5 offers its tokenizer to nobody else; a small index in memory, filled and
read back, gives the same words with the same stems.

Keep common words from making a search slow.

What full text costs is how many events its words stand in. A word that half
of all events have says next to nothing, and in a large store it costs more than
all the others together: it is left out, when there is a rarer one to go by.

Which words of a question stand in which messages, and how rare each of them is.
"""

import sqlite3
import threading
from collections.abc import Mapping, Sequence

from ai_smartness.adapters.sqlite.database import Database, Row
from ai_smartness.model.search import QueryWords

__all__ = ["FTS5_TOKENIZE", "CommonWords", "Fts5Tokenizer", "WordComparison"]


# Marks are part of a word: by default FTS5 splits Hindi or Tamil at every vowel sign.
FTS5_TOKENIZE = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"


class Fts5Tokenizer:
    """The words of texts as the index knows them."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._opened: sqlite3.Connection | None = None

    def words_of(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """Return the distinct words of each text."""
        found: list[set[str]] = [set() for _ in texts]
        with self._turn:
            connection = self._open_index()
            connection.execute("DELETE FROM reading")
            connection.executemany(
                "INSERT INTO reading (rowid, text) VALUES (?, ?)", enumerate(texts)
            )
            rows = connection.execute("SELECT DISTINCT term, doc FROM words")
            for term, number in rows:
                found[number].add(term)
        return [frozenset(each) for each in found]

    def close(self) -> None:
        """Let go of the small index."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _open_index(self) -> sqlite3.Connection:
        """Return the small index, made when it is first needed."""
        if self._opened is None:
            opened = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            opened.execute(
                f'CREATE VIRTUAL TABLE reading USING fts5(text, tokenize="{FTS5_TOKENIZE}")'
            )
            opened.execute("CREATE VIRTUAL TABLE words USING fts5vocab(reading, instance)")
            self._opened = opened
        return self._opened


BUDGET_EVENTS = 15_000
"""How many events the words of one query may stand in together before the commonest are left out.

A smaller store never leaves out a word.
"""

COMMON_SHARE = 0.005
"""A word is worth remembering as common from this share of the events on."""

MIN_TERMS = 2
"""However common, this many terms of a query are looked for."""


class CommonWords:
    """Knows how common each common word of a project is, as of its last survey."""

    def __init__(self, database: Database, tokens: Fts5Tokenizer) -> None:
        self._database = database
        self._tokens = tokens

    def update_shares(self, project: int, index: str) -> None:
        """Count the words anew if the project has doubled since, or is large for the first time."""
        events = self._event_count(project)
        if events < max(BUDGET_EVENTS, 2 * self._surveyed_events(project)):
            return
        shares = self._count_words(index, events)
        with self._database.unit():
            self._database.run("DELETE FROM common_words WHERE project_id = ?", (project,))
            self._database.run_many(
                "INSERT INTO common_words (project_id, word, share) VALUES (?, ?, ?)",
                ((project, word, share) for word, share in shares),
            )
            self._database.run("UPDATE projects SET surveyed = ? WHERE id = ?", (events, project))

    def _count_words(self, index: str, events: int) -> list[Row]:
        """Read through the index, outside any unit: seconds at a million events."""
        self._database.run(
            f"CREATE VIRTUAL TABLE temp.{index}_words USING fts5vocab(main, {index}, row)"
        )
        rows = self._database.all(
            f"SELECT term, doc / ? FROM temp.{index}_words WHERE doc >= ?",  # our own name
            (float(events), COMMON_SHARE * events),
        )
        self._database.run(f"DROP TABLE temp.{index}_words")
        return rows

    def affordable_terms(self, project: int, terms: Sequence[str]) -> list[str]:
        """Return the terms to look for: all, or the rarest that stay within the budget."""
        if not self._surveyed_events(project):
            return list(terms)
        events = self._event_count(project)
        costs = [share * events for share in self._term_shares(project, terms)]
        left, kept = float(BUDGET_EVENTS), list[int]()
        for number in sorted(range(len(terms)), key=lambda number: (costs[number], number)):
            left -= costs[number]
            if left < 0 and len(kept) >= MIN_TERMS:
                break
            kept.append(number)
        return [terms[number] for number in sorted(kept)]

    def _term_shares(self, project: int, terms: Sequence[str]) -> list[float]:
        """Return for each term the share of the events it stands in, 0 where it is rare.

        A term of several words is looked for as a phrase, and no more common
        than its rarest word.
        """
        words = self._tokens.words_of(terms)
        all_words = sorted(frozenset[str]().union(*words))
        marks = ", ".join("?" * len(all_words))
        known = self._database.all(
            f"SELECT word, share FROM common_words WHERE project_id = ? AND word IN ({marks})",  # only question marks
            (project, *all_words),
        )
        shares = {str(word): float(share or 0) for word, share in known}
        return [min((shares.get(word, 0.0) for word in each), default=0.0) for each in words]

    def _event_count(self, project: int) -> int:
        return self._database.first_number("SELECT events FROM projects WHERE id = ?", (project,))

    def _surveyed_events(self, project: int) -> int:
        return self._database.first_number("SELECT surveyed FROM projects WHERE id = ?", (project,))


READ_CHARACTERS = 8_000
"""Of a message: what follows is a log, and its words say little of what it is about."""


class WordComparison:
    """Holds questions against messages, with the counts of words it has met in mind."""

    def __init__(self, database: Database, tokens: Fts5Tokenizer) -> None:
        self._database = database
        self._tokens = tokens
        self._counts: dict[int, tuple[int, dict[str, int]]] = {}
        self._vocabularies: set[str] = set()

    def compare_words(
        self, indexes: Mapping[int, str], question: str, recent_text: str, seqs: Sequence[int]
    ) -> QueryWords:
        """Compare a question with messages of projects, given by number and index."""
        texts = self._texts_by_seq(seqs)
        wanted, just_said, *held = self._tokens.words_of([question, recent_text, *texts.values()])
        events = {number: self._event_count(number) for number in indexes}
        spread = {
            word: sum(self._count_events(n, index, word, events[n]) for n, index in indexes.items())
            for word in wanted
        }
        return QueryWords(
            events=sum(events.values()),
            spread=spread,
            said=wanted & just_said,
            held={seq: words & wanted for seq, words in zip(texts, held, strict=True)},
        )

    def _texts_by_seq(self, seqs: Sequence[int]) -> dict[int, str]:
        marks = ", ".join(str(seq) for seq in seqs)
        rows = self._database.all(
            f"SELECT e.seq, substr(e.text, 1, {READ_CHARACTERS}), "  # numbers
            f"substr(w.parts, 1, {READ_CHARACTERS}), w.context FROM events e "
            f"JOIN event_words w ON w.seq = e.seq WHERE e.seq IN ({marks})"
        )
        return {int(row[0] or 0): "\n".join(str(each) for each in row[1:]) for row in rows}

    def _event_count(self, number: int) -> int:
        return self._database.first_number("SELECT events FROM projects WHERE id = ?", (number,))

    def _count_events(self, number: int, index: str, word: str, events: int) -> int:
        """Count the events with a word; what was counted holds until an event comes.

        A count that was let grow old would make an answer depend on how long the
        process has run. The common words of a large project are not counted at all.
        """
        then, counts = self._counts.get(number, (0, {}))
        if then != events:
            counts = {}
            self._counts[number] = (events, counts)
        if word not in counts:
            counts[word] = self._estimated_count(number, word, events) or self._exact_count(
                index, word
            )
        return min(counts[word], events)

    def _estimated_count(self, number: int, word: str, events: int) -> int:
        row = self._database.first_row(
            "SELECT share FROM common_words WHERE project_id = ? AND word = ?", (number, word)
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
            f"SELECT doc FROM temp.{vocabulary} WHERE term = ?",  # our own name
            (word,),
        )
