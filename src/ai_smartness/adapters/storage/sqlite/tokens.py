"""Take texts apart into words exactly as the full-text index does.

FTS5 offers its tokenizer to nobody else; a small index in memory, filled and
read back, gives the same words with the same stems.
"""

import sqlite3
import threading
from collections.abc import Sequence

__all__ = ["TOKENIZER", "Tokens"]

# Marks are part of a word: by default FTS5 splits Hindi or Tamil at every vowel sign.
TOKENIZER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"


class Tokens:
    """The words of texts as the index knows them."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._opened: sqlite3.Connection | None = None

    def of(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """Return the distinct words of each text."""
        found: list[set[str]] = [set() for _ in texts]
        with self._turn:
            connection = self._connection()
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

    def _connection(self) -> sqlite3.Connection:
        """Return the small index, made when it is first needed."""
        if self._opened is None:
            opened = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            opened.execute(f'CREATE VIRTUAL TABLE reading USING fts5(text, tokenize="{TOKENIZER}")')
            opened.execute("CREATE VIRTUAL TABLE words USING fts5vocab(reading, instance)")
            self._opened = opened
        return self._opened
