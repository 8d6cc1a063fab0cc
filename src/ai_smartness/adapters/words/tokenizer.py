"""Splits texts into the tokens of the full-text index: the same on every engine.

A token is a run of letters, digits and marks of any script, without its accents and in lower
case; of an English word, its stem. What else an event is indexed by (the parts of identifiers,
pairs of letters where a script has no spaces, runs of four letters in inflected languages) is
text of its own (`text/search_terms.py`) and is split like any other.
"""

import re
import sqlite3
import threading
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ai_smartness.text.words import ascii_words

__all__ = ["FTS5_TOKENIZE", "Fts5Tokenizer"]

# Marks are part of a word: by default FTS5 splits Hindi or Tamil at every vowel sign.
FTS5_TOKENIZE = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"

KNOWN_STEMS = 50_000  # words whose stems are remembered: the vocabulary of a large project

_ASCII_WORD = re.compile(r"[a-z0-9]+")


class Fts5Tokenizer:
    """Splits texts into words exactly as SQLite's FTS5 does.

    FTS5 does not offer its tokenizer to others; a small index in memory, filled and
    read back, gives the same words with the same stems. A text whose letters and digits are all
    ASCII is split here, and each of its words has to be stemmed only once. Its other signs are
    those that FTS5 leaves out: signs newer than Unicode 6.1 are letters to it.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._opened: sqlite3.Connection | None = None
        self._stems: dict[str, str] = {}
        self._separators = frozenset(map(chr, range(128)))

    def words_of(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """Return the distinct words of each text."""
        with self._turn:
            plain, others = self._plain_words(texts)
            distinct = [None if words is None else set(words) for words in plain]
            stems, known = iter(self._indexed_words(others)), self._known_stems(distinct)
            return [
                next(stems) if words is None else frozenset([known[word] for word in words])
                for words in distinct
            ]

    def words_among(self, texts: Sequence[str], wanted: Collection[str]) -> list[frozenset[str]]:
        """Return the distinct words of each text that are wanted."""
        openings = tuple({opening for word in wanted for opening in _word_openings(word)})
        with self._turn:
            plain, others = self._plain_words(texts)
            distinct = [
                None if words is None else {word for word in words if word.startswith(openings)}
                for words in plain
            ]
            stems, known = iter(self._indexed_words(others)), self._known_stems(distinct)
            return [
                next(stems).intersection(wanted)
                if words is None
                else frozenset([known[word] for word in words]).intersection(wanted)
                for words in distinct
            ]

    def tokens_of(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the tokens of each text in their order, each as often as it occurs."""
        with self._turn:
            plain, others = self._plain_words(texts)
            tokens, known = iter(self._indexed_tokens(others)), self._known_stems(plain)
            return [
                next(tokens) if words is None else [known[word] for word in words]
                for words in plain
            ]

    def close(self) -> None:
        """Close the index in memory."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _plain_words(self, texts: Sequence[str]) -> tuple[list[list[str] | None], list[str]]:
        """Return the words of each text whose letters and digits are all ASCII, and the others."""
        plain: list[list[str] | None] = []
        others: list[str] = []
        for text in texts:
            if text.isascii():
                plain.append(ascii_words(text))
            elif self._has_plain_words(text):
                plain.append(_ASCII_WORD.findall(text.lower()))
            else:
                plain.append(None)
                others.append(text)
        return plain, others

    def _has_plain_words(self, text: str) -> bool:
        """Say whether all of a text beyond ASCII is no part of any word: punctuation, a space."""
        signs = set(text) - self._separators
        if not signs:
            return True
        if any(unicodedata.category(sign)[0] not in "PSZ" for sign in signs):
            return False
        # Python knows a newer Unicode than FTS5, so the answer is the index's.
        (tokens,) = self._indexed_tokens(["".join(signs)])
        if not tokens:
            self._separators |= signs
        return not tokens

    def _known_stems(self, texts: Sequence[Collection[str] | None]) -> dict[str, str]:
        """Return the stems by word, after learning those of all words of these texts."""
        if len(self._stems) > KNOWN_STEMS:
            self._stems = {}
        known = self._stems
        self._learn_stems({word for words in texts for word in words or () if word not in known})
        return known

    def _learn_stems(self, words: Collection[str]) -> None:
        """Stem all words at once, as one text in which each has its place."""
        if words:
            (stems,) = self._indexed_tokens([" ".join(words)])
            self._stems.update(zip(words, stems, strict=True))

    def _indexed_words(self, texts: Sequence[str]) -> list[frozenset[str]]:
        words: list[set[str]] = [set() for _ in texts]
        for term, number in self._read_back(texts, "DISTINCT term, doc") if texts else ():
            words[number].add(term)
        return [frozenset(text_words) for text_words in words]

    def _indexed_tokens(self, texts: Sequence[str]) -> list[list[str]]:
        tokens: list[list[str]] = [[] for _ in texts]
        rows = self._read_back(texts, "doc, offset, term") if texts else []
        for number, _, term in sorted(rows):
            tokens[number].append(term)
        return tokens

    def _read_back(self, texts: Sequence[str], columns: str) -> list[tuple[Any, ...]]:
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


def _word_openings(stem: str) -> Iterator[str]:
    """Yield what the words with a stem begin with: no other word has to be stemmed.

    A stem has the first two letters of its word; only a second "y" becomes an "i", as in "eyed".
    """
    yield stem[:2]
    if stem[1:2] == "i":
        yield f"{stem[0]}y"
