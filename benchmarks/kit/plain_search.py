"""The two plain searches that ours is measured beside."""

import math
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Sequence

__all__ = ["Bm25", "PlainFts5"]

DEPTH = 100
K1, B = 1.2, 0.75
_WORD = re.compile(r"\w+")


class Bm25:
    """Okapi BM25 with Lucene's idf over lower-cased words."""

    def __init__(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        self._ids = ids
        self._found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._lengths: list[int] = []
        for number, text in enumerate(texts):
            words = _WORD.findall(text.lower())
            self._lengths.append(len(words))
            for word, count in Counter(words).items():
                self._found[word].append((number, count))
        self._mean = sum(self._lengths) / max(1, len(self._lengths))

    def search(self, text: str, cutoff: int) -> list[str]:
        """Rank the messages before the cutoff."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(_WORD.findall(text.lower())):
            found = self._found.get(word, [])
            idf = math.log(1 + (len(self._ids) - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found:
                length = K1 * (1 - B + B * self._lengths[number] / self._mean)
                scores[number] += idf * count * (K1 + 1) / (count + length)
        ranked = sorted((-score, number) for number, score in scores.items() if number < cutoff)
        return [self._ids[number] for _, number in ranked[:DEPTH]]


class PlainFts5:
    """SQLite's FTS5 as it comes: porter unicode61, terms joined by OR, bm25()."""

    def __init__(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        self._ids = ids
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute(
            "CREATE VIRTUAL TABLE lines USING fts5(text, tokenize='porter unicode61')"
        )
        self._connection.executemany(
            "INSERT INTO lines (rowid, text) VALUES (?, ?)", enumerate(texts)
        )

    def search(self, text: str, cutoff: int) -> list[str]:
        """Rank the messages before the cutoff."""
        query = " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORD.findall(text)))
        rows = self._connection.execute(
            "SELECT rowid FROM lines WHERE lines MATCH ? AND rowid < ? ORDER BY rank LIMIT ?",
            (query or '""', cutoff, DEPTH),
        )
        return [self._ids[row[0]] for row in rows]
