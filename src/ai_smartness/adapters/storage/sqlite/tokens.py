"""Take texts apart into words exactly as the full-text index does.

FTS5 offers its tokenizer to nobody else; a small index in memory, filled and
read back, gives the same words with the same stems.
"""

import sqlite3
import threading
from collections.abc import Sequence

from ai_smartness.adapters.storage.sqlite.common_words import TOKENIZER

__all__ = ["Tokens"]


class Tokens:
    """The words of texts as the index knows them."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False
        )
        self._connection.execute(
            f'CREATE VIRTUAL TABLE reading USING fts5(text, tokenize="{TOKENIZER}")'
        )
        self._connection.execute("CREATE VIRTUAL TABLE words USING fts5vocab(reading, instance)")

    def of(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """Return the distinct words of each text."""
        found: list[set[str]] = [set() for _ in texts]
        with self._turn:
            self._connection.execute("DELETE FROM reading")
            self._connection.executemany(
                "INSERT INTO reading (rowid, text) VALUES (?, ?)", enumerate(texts)
            )
            rows = self._connection.execute("SELECT DISTINCT term, doc FROM words")
            for term, number in rows:
                found[number].add(term)
        return [frozenset(each) for each in found]

    def close(self) -> None:
        """Let go of the small index."""
        self._connection.close()
