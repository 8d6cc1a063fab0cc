"""The two plain searches that ours is measured beside.

Each takes a question as it is, or without the words that say nothing: a list of
English ones helps them much where questions are whole sentences.
"""

import math
import re
import sqlite3
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence

__all__ = ["Bm25", "PlainFts5", "telling", "words"]

DEPTH = 100
K1, B = 1.2, 0.75
_WORD = re.compile(r"\w+")

# The English list of the Natural Language Toolkit, without its contractions.
_LIST = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his
himself she her hers herself it its itself they them their theirs themselves what which who
whom this that these those am is are was were be been being have has had having do does did
doing a an the and but if or because as until while of at by for with about against between
into through during before after above below to from up down in out on off over under again
further then once here there when where why how all any both each few more most other some
such no nor not only own same so than too very s t can will just don should now
"""
_SAYS_NOTHING = frozenset(_LIST.split())


class Bm25:
    """Okapi BM25 with Lucene's idf over lower-cased words."""

    def __init__(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        self._ids = ids
        self._found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._lengths: list[int] = []
        for number, text in enumerate(texts):
            found = words(text)
            self._lengths.append(len(found))
            for word, count in Counter(found).items():
                self._found[word].append((number, count))
        self._mean = sum(self._lengths) / max(1, len(self._lengths))

    def search(self, text: str, cutoff: int) -> list[str]:
        """Rank the messages before the cutoff."""
        scores = self.scores(text, cutoff)
        ranked = sorted((-score, number) for number, score in scores.items())
        return [self._ids[number] for _, number in ranked[:DEPTH]]

    def scores(self, text: str, cutoff: int) -> dict[int, float]:
        """Score the messages before the cutoff that have any of the words, by their numbers."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(words(text)):
            found = self._found.get(word, [])
            idf = math.log(1 + (len(self._ids) - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found[: bisect_left(found, (cutoff, 0))]:
                length = K1 * (1 - B + B * self._lengths[number] / self._mean)
                scores[number] += idf * count * (K1 + 1) / (count + length)
        return scores


def telling(text: str) -> str:
    """Return a question without the words that say nothing, in English."""
    return " ".join(word for word in _WORD.findall(text) if word.lower() not in _SAYS_NOTHING)


def words(text: str) -> list[str]:
    """Return the words of a text as BM25 has them."""
    return _WORD.findall(text.lower())


class PlainFts5:
    """SQLite's FTS5 as it comes: porter unicode61, terms joined by OR, bm25()."""

    def __init__(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        self._ids = ids
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute(
            "CREATE VIRTUAL TABLE lines USING fts5(text, tokenize='porter unicode61')",
        )
        self._connection.executemany(
            "INSERT INTO lines (rowid, text) VALUES (?, ?)",
            enumerate(texts),
        )

    def search(self, text: str, cutoff: int) -> list[str]:
        """Rank the messages before the cutoff."""
        query = " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORD.findall(text)))
        rows = self._connection.execute(
            "SELECT rowid FROM lines WHERE lines MATCH ? AND rowid < ? ORDER BY rank LIMIT ?",
            (query or '""', cutoff, DEPTH),
        )
        return [self._ids[row[0]] for row in rows]
