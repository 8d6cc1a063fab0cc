"""Where a word occurs, packed into blocks of numbers, and BM25 over them.

The scores are those of SQLite's full-text index: the same words, the same formula, phrases by the
positions of their words.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ai_smartness.adapters.words.bm25 import (
    COLUMN_WEIGHTS,
    EventTokens,
    inverse_frequency,
    term_score,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    ScoredSeqs: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]
    """Events, ascending, and their scores."""

__all__ = [
    "CollectionSize",
    "Postings",
    "event_blocks",
    "index_key",
    "phrase_postings",
    "scored_events",
]

_LONGEST_KEY = 200  # bytes: PostgreSQL indexes no key of more than some 2,700
_COLUMNS = len(COLUMN_WEIGHTS)
_EVENT_STEP = 1 << 32  # more than any position within an event
_POSTING = np.dtype([("seq", "<i8"), ("words", "<u4"), ("counts", "<u4", (_COLUMNS,))])


def index_key(term: str) -> str:
    """Return the term under which a word is indexed; a very long one stands under its hash."""
    encoded = term.encode(errors="surrogatepass")
    if len(encoded) <= _LONGEST_KEY:
        return term
    return f"{encoded[:64].decode(errors='ignore')} {blake2b(encoded, digest_size=16).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Postings:
    """The events with one term, in their order; `positions` has those of the term in each.

    A position is three times the number of the word in its column, plus the column.
    """

    postings: "NDArray[np.void]"
    positions: "NDArray[np.uint32]"

    @classmethod
    def of_blocks(cls, blocks: Iterable[tuple[bytes, bytes]]) -> "Postings":
        """Unpack blocks, in any order; an event that was indexed again may be in a later one."""
        packed = list(blocks)
        unpacked = cls(
            np.frombuffer(b"".join(postings for postings, _ in packed), _POSTING),
            np.frombuffer(b"".join(positions for _, positions in packed), "<u4"),
        )
        if np.all(unpacked.seqs[1:] > unpacked.seqs[:-1]):
            return unpacked
        return unpacked._ordered()

    def _ordered(self) -> "Postings":
        """Return the same in the order of the events."""
        order, counts = np.argsort(self.seqs, kind="stable"), self._occurrences
        if int(counts.sum()) != len(self.positions):
            return Postings(self.postings[order], self.positions)
        runs = np.split(self.positions, np.cumsum(counts)[:-1])
        return Postings(self.postings[order], np.concatenate([runs[place] for place in order]))

    @property
    def seqs(self) -> "NDArray[np.int64]":
        """The events."""
        return self.postings["seq"]

    def packed(self) -> tuple[bytes, bytes]:
        """Return both as bytes."""
        return self.postings.tobytes(), self.positions.tobytes()

    def without(self, seqs: "NDArray[np.int64]") -> "Postings":
        """Return the postings of all other events."""
        left = ~np.isin(self.seqs, seqs)
        counts = self._occurrences
        if int(counts.sum()) != len(self.positions):
            return Postings(self.postings[left], self.positions)
        return Postings(self.postings[left], self.positions[np.repeat(left, counts)])

    @property
    def _occurrences(self) -> "NDArray[np.int64]":
        return np.asarray(self.postings["counts"].sum(axis=1), np.int64)

    def placed_in(self, seqs: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return the positions in these events, ascending, after the place of each event there."""
        places = np.searchsorted(seqs, self.seqs)
        is_wanted = np.zeros(len(places), bool)
        inside = places < len(seqs)
        is_wanted[inside] = seqs[places[inside]] == self.seqs[inside]
        counts = self._occurrences
        wanted = self.positions[np.repeat(is_wanted, counts)].astype(np.int64)
        found: NDArray[np.int64] = np.repeat(places[is_wanted], counts[is_wanted])
        return np.sort(found * _EVENT_STEP + wanted)


def event_blocks(seq: int, tokens: EventTokens) -> Iterable[tuple[str, bytes, bytes]]:
    """Yield the key and the block of each word of an event."""
    places: dict[str, list[int]] = defaultdict(list)
    for column, words in enumerate(tokens):
        for number, word in enumerate(words):
            places[index_key(word)].append(number * _COLUMNS + column)
    for key, positions in places.items():
        marks = np.array(positions, "<u4")
        counts = np.bincount(marks % _COLUMNS, minlength=_COLUMNS)
        posting = np.zeros(1, _POSTING)
        posting["seq"], posting["words"], posting["counts"] = seq, tokens.length, counts
        yield key, posting.tobytes(), marks.tobytes()


def phrase_postings(terms: Sequence[Postings]) -> Postings:
    """Return where the terms follow one another, in one column of one event."""
    first, *others = terms
    seqs = first.seqs
    for term in others:
        seqs = seqs[np.isin(seqs, term.seqs, assume_unique=True)]
    starts = first.placed_in(seqs)
    for number, term in enumerate(others, 1):
        before = term.placed_in(seqs) - _COLUMNS * number
        starts = starts[np.isin(starts, before, assume_unique=True)]
    events, positions = np.divmod(starts, _EVENT_STEP)
    occurring, numbers = np.unique(events, return_inverse=True)
    counts = np.bincount(
        numbers * _COLUMNS + positions % _COLUMNS, minlength=len(occurring) * _COLUMNS
    )
    left = first.postings[np.searchsorted(first.seqs, seqs[occurring])].copy()
    left["counts"] = counts.reshape(-1, _COLUMNS)
    return Postings(left, positions.astype("<u4"))


@dataclass(frozen=True, slots=True)
class CollectionSize:
    """How many events an index has, and how many words they have together."""

    events: int
    words: int


def scored_events(phrases: Sequence[Postings], size: CollectionSize) -> "ScoredSeqs":
    """Return the events that have any of the phrases, ascending, and their scores."""
    found = [phrase for phrase in phrases if len(phrase.postings)]
    if not found or not size.events:
        return np.empty(0, np.int64), np.empty(0, np.float64)
    seqs = np.unique(np.concatenate([phrase.seqs for phrase in found]))
    scores = np.zeros(len(seqs))
    mean = size.words / size.events
    for phrase in found:
        idf = inverse_frequency(size.events, len(phrase.postings))
        frequency = phrase.postings["counts"].astype(np.float64) @ np.array(COLUMN_WEIGHTS)
        length = phrase.postings["words"].astype(np.float64)
        added = term_score(frequency, length, mean, idf)
        scores[np.searchsorted(seqs, phrase.seqs)] += added
    return seqs, scores
