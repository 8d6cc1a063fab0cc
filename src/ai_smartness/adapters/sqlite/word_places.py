"""How often words stand in the events of a project, read from its full-text index.

To read all places of a word that every third event has takes longer than the rest of an answer. So
the commonest of the words that were asked for are remembered, and after new events only these are
split into words. Whatever else changes an index shows in its number of events, or in the schema of
the file, and then everything is read anew.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ai_smartness.adapters.sqlite.database import Database
from ai_smartness.adapters.tables.sql_database import Row
from ai_smartness.adapters.words.bm25 import COLUMN_WEIGHTS
from ai_smartness.adapters.words.tokenizer import Fts5Tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["REMEMBERED_FROM_EVENTS", "IndexState", "WordFrequencies", "WordPlaces"]

REMEMBERED_FROM_EVENTS = 500  # of fewer, a word's places are read as quickly as they are looked up
MOST_REMEMBERED = 2_000_000  # events of all words of an index together, 16 bytes each
MOST_NEW_EVENTS = 200  # that are split into words; after more of them, everything is read anew
MOST_NEW_CHARACTERS = 200_000  # of these events, likewise

_COLUMN_BITS = 2  # of a place: which of the three columns it is in
_PLACES = "doc * 4 + CASE col WHEN 'text' THEN 0 WHEN 'parts' THEN 1 ELSE 2 END"


class IndexState(NamedTuple):
    """What tells that an index was changed: its schema, its number of events, the last of them."""

    schema: int
    events: int
    last_seq: int


class WordFrequencies(NamedTuple):
    """The events with a word in their order, and how often each has it, by column weights."""

    seqs: "NDArray[np.int64]"
    frequencies: "NDArray[np.float64]"

    def joined_with(self, later: "WordFrequencies") -> "WordFrequencies":
        """Return these events and later ones."""
        return WordFrequencies(
            np.concatenate([self.seqs, later.seqs]),
            np.concatenate([self.frequencies, later.frequencies]),
        )

    def up_to(self, seq: int) -> "WordFrequencies":
        """Return the events up to one."""
        count = int(np.searchsorted(self.seqs, seq, "right"))
        return WordFrequencies(self.seqs[:count], self.frequencies[:count])


@dataclass(slots=True)
class _RememberedWords:
    """The commonest words that were asked for, the latest last, as of a state of their index."""

    state: IndexState
    by_word: dict[str, WordFrequencies] = field(default_factory=dict)
    size: int = 0

    def find(self, word: str) -> WordFrequencies | None:
        """Return a word that is remembered, and make it the latest."""
        found = self.by_word.pop(word, None)
        if found is not None:
            self.by_word[word] = found
        return found

    def add(self, word: str, found: WordFrequencies) -> None:
        """Remember a word, and of the others as many as there is room for."""
        self.by_word[word] = found
        self.size += len(found.seqs)
        while self.size > MOST_REMEMBERED:
            self.size -= len(self.by_word.pop(next(iter(self.by_word))).seqs)

    def extend(self, places: "Mapping[str, Sequence[int]]") -> None:
        """Add the places of words in later events."""
        for word, later in places.items():
            added = _frequencies_at(np.array(later, np.int64))
            self.by_word[word] = self.by_word[word].joined_with(added)
            self.size += len(added.seqs)


class WordPlaces:
    """Reads the places of words in the full-text indexes of one file."""

    def __init__(
        self,
        database: Database,
        tokenizer: Fts5Tokenizer,
        remembered_from: int = REMEMBERED_FROM_EVENTS,
    ) -> None:
        self._database = database
        self._tokenizer = tokenizer
        self._remembered_from = remembered_from
        self._opened: set[str] = set()
        self._remembered: dict[str, _RememberedWords] = {}

    def frequencies(
        self, index: str, words: Sequence[str], state: IndexState
    ) -> list[WordFrequencies]:
        """Return for each word the events that have it; `state` was read before."""
        known = self._remembered_words(index, state)
        return [self._frequencies_of(index, word, known) for word in words]

    def _frequencies_of(self, index: str, word: str, known: _RememberedWords) -> WordFrequencies:
        found = known.find(word)
        if found is None:
            found = _frequencies_at(self._read_places(index, word))
            if len(found.seqs) >= self._remembered_from:
                # What another process has added since the state was read is added again.
                known.add(word, found.up_to(known.state.last_seq))
        return found

    def _remembered_words(self, index: str, state: IndexState) -> _RememberedWords:
        known = self._remembered.get(index)
        if known is None or not self._is_brought_up(index, known, state):
            known = self._remembered[index] = _RememberedWords(state)
        known.state = state
        return known

    def _is_brought_up(self, index: str, known: _RememberedWords, state: IndexState) -> bool:
        """Add what is new, if it is little; say whether the words are now as they should be."""
        old, new = known.state, state.events - known.state.events
        if state == old:
            return True
        if state.schema != old.schema or not 0 < new <= MOST_NEW_EVENTS:
            return False
        rows = self._later_events(index, old.last_seq)
        size = sum(len(text) for row in rows for text in row[1:])
        # If there are more or fewer, earlier events were removed or added.
        if len(rows) != new or rows[-1][0] != state.last_seq or size > MOST_NEW_CHARACTERS:
            return False
        known.extend(self._places_in(rows, known.by_word))
        return True

    def _later_events(self, index: str, after: int) -> list[Row]:
        return self._database.all(
            f"SELECT s.seq, s.text, s.parts, s.context FROM {index}_docsize d "
            f"CROSS JOIN {index}_source s ON s.seq = d.id WHERE d.id > ? ORDER BY d.id LIMIT ?",
            (after, MOST_NEW_EVENTS + 1),
        )

    def _places_in(self, rows: Iterable[Row], wanted: Container[str]) -> dict[str, list[int]]:
        """Return the places of wanted words in events, in the order of the index."""
        places: dict[str, list[int]] = {}
        for seq, *texts in rows:
            for column, words in enumerate(self._tokenizer.tokens_of(texts)):
                for word in words:
                    if word in wanted:
                        places.setdefault(word, []).append(seq << _COLUMN_BITS | column)
        return places

    def _read_places(self, index: str, word: str) -> "NDArray[np.int64]":
        """Return the places of a word: all events at once, as one text."""
        if index not in self._opened:
            self._database.run(
                f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{index}_places "
                f"USING fts5vocab(main, {index}, instance)"
            )
            self._opened.add(index)
        row = self._database.first_row(
            f"SELECT group_concat({_PLACES}) FROM temp.{index}_places WHERE term = ?", (word,)
        )
        joined = row[0] if row else None
        return np.fromstring(str(joined or ""), np.int64, sep=",")


def _frequencies_at(places: "NDArray[np.int64]") -> WordFrequencies:
    """Return the events of places, each once, with the weights of its places together."""
    if not len(places):
        return WordFrequencies(places, np.empty(0))
    seqs = places >> _COLUMN_BITS
    starts = np.flatnonzero(np.diff(seqs, prepend=-1))
    weights = np.array(COLUMN_WEIGHTS)[places & ((1 << _COLUMN_BITS) - 1)]
    return WordFrequencies(seqs[starts], np.add.reduceat(weights, starts))
