"""Where a word occurs, packed into blocks of numbers, and BM25 over them.

The scores are those of SQLite's full-text index: the same words, the same formula, phrases by the
positions of their words.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
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
_NOWHERE = np.empty(0, np.intp)
_COMPUTED_BYTES = 16  # of each event: its number and the end of its positions


def index_key(term: str) -> str:
    """Return the term under which a word is indexed; a very long one stands under its hash."""
    encoded = term.encode(errors="surrogatepass")
    if len(encoded) <= _LONGEST_KEY:
        return term
    return f"{encoded[:64].decode(errors='ignore')} {blake2b(encoded, digest_size=16).hexdigest()}"


class Postings:
    """The events with one term, in their order; `positions` has those of the term in each.

    A position is three times the number of the word in its column, plus the column.
    """

    def __init__(self, postings: "NDArray[np.void]", positions: "NDArray[np.uint32]") -> None:
        self.postings = postings
        self.positions = positions

    @classmethod
    def of_block(cls, postings: bytes, positions: bytes) -> "Postings":
        """Unpack a block; an event that was indexed again may stand behind later ones in it."""
        block = cls(np.frombuffer(postings, _POSTING), np.frombuffer(positions, "<u4"))
        return block if np.all(block.seqs[1:] > block.seqs[:-1]) else block._ordered()

    @classmethod
    def of_parts(cls, parts: Sequence["Postings"]) -> "Postings":
        """Join the parts of one term, which have no event in common."""
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return cls(np.empty(0, _POSTING), np.empty(0, np.uint32))
        placed = parts if all(part.has_positions for part in parts) else ()
        joined = cls(
            np.concatenate([part.postings for part in parts]),
            np.concatenate([np.empty(0, np.uint32), *(part.positions for part in placed)]),
        )
        return joined if np.all(joined.seqs[1:] > joined.seqs[:-1]) else joined._ordered()

    def __len__(self) -> int:
        return len(self.postings)

    @cached_property
    def seqs(self) -> "NDArray[np.int64]":
        """The events."""
        return np.ascontiguousarray(self.postings["seq"])

    @property
    def has_positions(self) -> bool:
        """Say whether the positions were read too."""
        return bool(len(self.positions))

    @property
    def size(self) -> int:
        """How many bytes this takes, with what is computed from it."""
        return self.postings.nbytes + self.positions.nbytes + _COMPUTED_BYTES * len(self)

    def packed(self) -> tuple[bytes, bytes]:
        """Return both as bytes."""
        return self.postings.tobytes(), self.positions.tobytes()

    def without(self, seqs: "NDArray[np.int64]") -> "Postings":
        """Return the postings of all other events."""
        left = np.flatnonzero(~np.isin(self.seqs, seqs))
        return self._rows(left)

    def _ordered(self) -> "Postings":
        """Return the same in the order of the events."""
        return self._rows(np.argsort(self.postings["seq"], kind="stable"))

    def _rows(self, rows: "NDArray[np.intp]") -> "Postings":
        positions = self.positions[self._places_of(rows)] if self.has_positions else self.positions
        return Postings(self.postings[rows], positions)

    @cached_property
    def _ends(self) -> "NDArray[np.int64]":
        """Where the positions of each event end."""
        return np.cumsum(self.postings["counts"].sum(axis=1), dtype=np.int64)

    def _counts_of(self, rows: "NDArray[np.intp]") -> "NDArray[np.int64]":
        return np.asarray(self.postings["counts"][rows].sum(axis=1), np.int64)

    def _places_of(self, rows: "NDArray[np.intp]") -> "NDArray[np.int64]":
        """Return where the positions of some rows are, row by row."""
        counts = self._counts_of(rows)
        starts = self._ends[rows] - counts
        steps = np.arange(int(counts.sum()))
        return np.repeat(starts - np.cumsum(counts) + counts, counts) + steps

    def rows_of(self, seqs: "NDArray[np.int64]") -> "tuple[NDArray[np.intp], NDArray[np.intp]]":
        """Return where some events stand among `seqs`, ascending, and where they stand here."""
        if not len(self) or not len(seqs):
            return _NOWHERE, _NOWHERE
        rows = np.minimum(np.searchsorted(self.seqs, seqs), len(self) - 1)
        places = np.flatnonzero(self.seqs[rows] == seqs)
        return places, rows[places]

    def placed_in(self, seqs: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return the positions in these events, after the place of each event there."""
        places, rows = self.rows_of(seqs)
        found = np.repeat(places.astype(np.int64), self._counts_of(rows))
        return found * _EVENT_STEP + self.positions[self._places_of(rows)].astype(np.int64)


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


def phrase_postings(terms: Sequence[Sequence[Postings]]) -> Postings:
    """Return where the terms follow one another, in one column of one event.

    Of a frequent term, which has many parts, only the events of the rarest are looked up.
    """
    rarest = Postings.of_parts(min(terms, key=lambda parts: sum(map(len, parts))))
    seqs = rarest.seqs
    for parts in terms:
        present = [part.rows_of(seqs)[0] for part in parts]
        seqs = seqs[np.sort(np.concatenate([_NOWHERE, *present]))]
    starts = _placed_in(terms[0], seqs)
    for number, parts in enumerate(terms[1:], 1):
        before = _placed_in(parts, seqs) - _COLUMNS * number
        starts = starts[np.isin(starts, before, assume_unique=True)]
    events, positions = np.divmod(starts, _EVENT_STEP)
    occurring, numbers = np.unique(events, return_inverse=True)
    counts = np.bincount(
        numbers * _COLUMNS + positions % _COLUMNS, minlength=len(occurring) * _COLUMNS
    )
    left = rarest.postings[np.searchsorted(rarest.seqs, seqs[occurring])].copy()
    left["counts"] = counts.reshape(-1, _COLUMNS)
    return Postings(left, positions.astype("<u4"))


def _placed_in(parts: Sequence[Postings], seqs: "NDArray[np.int64]") -> "NDArray[np.int64]":
    found = [part.placed_in(seqs) for part in parts]
    return np.sort(np.concatenate([np.empty(0, np.int64), *found]))


@dataclass(frozen=True, slots=True)
class CollectionSize:
    """How many events an index has, and how many words they have together."""

    events: int
    words: int


def scored_events(phrases: Sequence[Postings], size: CollectionSize) -> "ScoredSeqs":
    """Return the events that have any of the phrases, ascending, and their scores."""
    found = [phrase for phrase in phrases if len(phrase)]
    if not found or not size.events:
        return np.empty(0, np.int64), np.empty(0, np.float64)
    # Sorted runs are merged in a fraction of the time that np.unique takes.
    every = np.sort(np.concatenate([phrase.seqs for phrase in found]), kind="stable")
    seqs = every[np.append(True, every[1:] != every[:-1])]
    scores = np.zeros(len(seqs))
    mean = size.words / size.events
    for phrase in found:
        idf = inverse_frequency(size.events, len(phrase))
        frequency = phrase.postings["counts"].astype(np.float64) @ np.array(COLUMN_WEIGHTS)
        length = phrase.postings["words"].astype(np.float64)
        added = term_score(frequency, length, mean, idf)
        scores[np.searchsorted(seqs, phrase.seqs)] += added
    return seqs, scores
