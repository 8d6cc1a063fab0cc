"""Score the events that have the words of a question, as FTS5 does, in a fifth of the time.

FTS5 looks up the length of every event that has a word, and every place where the word stands.
Here the places of a word are read from the index as one text (`word_places`), and the length of an
event is looked up once: it stays the same until the index is made anew. Phrases are left to FTS5;
the score of an event is the sum of what each term adds.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ai_smartness.adapters.sqlite.database import Database
from ai_smartness.adapters.sqlite.word_places import (
    REMEMBERED_FROM_EVENTS,
    IndexState,
    WordPlaces,
)
from ai_smartness.adapters.words.bm25 import COLUMN_WEIGHTS, inverse_frequency, term_score
from ai_smartness.adapters.words.tokenizer import Fts5Tokenizer
from ai_smartness.model.search import SearchMatch

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WordScores"]

_Float = TypeVar("_Float", np.float32, np.float64)

_RANK = f"bm25({', '.join(map(str, COLUMN_WEIGHTS))})"
_NUMBER_BITS, _GOES_ON = 7, 0x80  # of a byte of a number that FTS5 has packed


class WordScores:
    """Scores the events of the full-text indexes of one file."""

    def __init__(
        self,
        database: Database,
        tokenizer: Fts5Tokenizer,
        remembered_from: int = REMEMBERED_FROM_EVENTS,
    ) -> None:
        self._database = database
        self._tokenizer = tokenizer
        self._places = WordPlaces(database, tokenizer, remembered_from)
        self._lengths: dict[str, tuple[int, NDArray[np.float32]]] = {}

    def best_matches(self, index: str, terms: Sequence[str], limit: int) -> list[SearchMatch]:
        """Return the events with the best scores; of equals, the earlier one."""
        scores: NDArray[np.float64] = np.zeros(1)
        for seqs, added in self._scored_terms(index, terms):
            scores = _with_room(scores, seqs)
            scores[seqs] += added
        seqs = np.flatnonzero(scores)
        if len(seqs) > limit:
            bar = np.partition(scores[seqs], -limit)[-limit]
            seqs = seqs[scores[seqs] >= bar]
        best = seqs[np.lexsort((seqs, -scores[seqs]))[:limit]]
        pairs = zip(best.tolist(), scores[best].tolist(), strict=True)
        return [SearchMatch(seq, score) for seq, score in pairs]

    def _scored_terms(
        self, index: str, terms: Sequence[str]
    ) -> "Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]":
        """Yield the events that have a term, each once, and what it adds to their scores."""
        tokens = self._tokenizer.tokens_of(terms)
        words = [of_term[0] for of_term in tokens if len(of_term) == 1]
        state, average_length = self._state(index)
        for seqs, frequencies in self._places.frequencies(index, words, state):
            lengths = self._known_lengths(index, seqs, state.schema)
            idf = inverse_frequency(state.events, len(seqs))
            yield seqs, term_score(frequencies, lengths, average_length, idf)
        phrases = [term for term, of in zip(terms, tokens, strict=True) if len(of) > 1]
        if phrases:
            rows = self._database.all(
                f"SELECT rowid, -rank FROM {index} WHERE {index} MATCH ? AND rank MATCH '{_RANK}'",
                (" OR ".join('"' + term.replace('"', '""') + '"' for term in phrases),),
            )
            yield (
                np.array([row[0] for row in rows], np.int64),
                np.array([row[1] for row in rows], np.float64),
            )

    def _state(self, index: str) -> tuple[IndexState, float]:
        """Return what an index has now, and the length of an event on average."""
        row = self._database.first_row(f"SELECT block FROM {index}_data WHERE id = 1")
        events, *lengths = _unpacked_numbers(row[0]).tolist() if row and row[0] else [0]
        schema = self._database.first_number("PRAGMA schema_version")
        last = self._database.first_number(f"SELECT max(id) FROM {index}_docsize")
        return IndexState(schema, events, last), sum(lengths) / max(1, events)

    def _known_lengths(
        self, index: str, seqs: "NDArray[np.int64]", schema: int
    ) -> "NDArray[np.float64]":
        """Return the lengths of events, of which only new ones are read."""
        known_schema, lengths = self._lengths.get(index, (schema, np.zeros(1, np.float32)))
        if known_schema != schema:
            lengths = np.zeros(1, np.float32)
        lengths = _with_room(lengths, seqs)
        unknown = seqs[lengths[seqs] == 0]
        rows = self._database.all_in(
            f"SELECT id, sz FROM {index}_docsize WHERE id IN ({{}})", unknown.tolist()
        )
        if rows:
            sizes = _unpacked_numbers(b"".join(size for _, size in rows)).reshape(len(rows), -1)
            lengths[[seq for seq, _ in rows]] = sizes.sum(axis=1)
        self._lengths[index] = schema, lengths
        return lengths[seqs].astype(np.float64)


def _with_room(values: "NDArray[_Float]", seqs: "NDArray[np.int64]") -> "NDArray[_Float]":
    """Return values by `seq` with room for these; new ones are 0."""
    last = int(seqs.max(initial=0))
    if last < len(values):
        return values
    return np.concatenate([values, np.zeros(last + 1 + last // 8 - len(values), values.dtype)])


def _unpacked_numbers(packed: bytes) -> "NDArray[np.int64]":
    """Return the numbers that FTS5 has packed: seven bits a byte, the highest first."""
    joined = np.frombuffer(packed, np.uint8)
    ends = np.flatnonzero(joined < _GOES_ON)
    starts = np.concatenate([[0], ends[:-1] + 1])
    numbers = np.zeros(len(ends), np.int64)
    for place in range(int((ends - starts).max(initial=0)) + 1):
        goes_on = starts + place <= ends
        digits = joined[np.minimum(starts + place, ends)] & (_GOES_ON - 1)
        numbers = np.where(goes_on, numbers << _NUMBER_BITS | digits, numbers)
    return numbers
