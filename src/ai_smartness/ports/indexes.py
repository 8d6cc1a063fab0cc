"""The search indexes over events: full text and vectors."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from ai_smartness.model.event import Event
from ai_smartness.model.search import (
    Chunk,
    IndexedWords,
    NearestEvents,
    QueryWords,
    SearchMatch,
    SearchScope,
)
from ai_smartness.ports.services import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["VectorIndex", "WordIndex"]


class WordIndex(Protocol):
    """Full-text search over events, with one index per project."""

    def add(self, project: str, words: Iterable[IndexedWords]) -> None:
        """Index events that are not indexed yet."""

    def clear(self, project: str) -> None:
        """Delete the project's index."""

    def refresh_index(self, project: str) -> None:
        """Refresh whatever makes `match` quick."""

    def compare_words(
        self, scope: SearchScope, question: str, recent_text: str, seqs: Sequence[int]
    ) -> QueryWords:
        """Return which words of a question, and of the recent text, occur in which events."""

    def match(self, scope: SearchScope, terms: Sequence[str], limit: int) -> list[SearchMatch]:
        """Return the events that contain any of the terms, best first by BM25.

        Tokens and scores are the same on every engine: `adapters/words` has the formula. The
        average length and the rarity of a term are those of the event's project. A term of
        several tokens is a phrase. Of a large project's terms only the rarest are searched for,
        within a budget.
        """


class VectorIndex(Protocol):
    """The embeddings of events; those of different models are never compared."""

    def add(
        self, project: str, space: str, chunks: Sequence[Chunk], through: int | None = None
    ) -> None:
        """Save vectors; all of the project's events up to the seq `through` now have theirs.

        An event that already has vectors in this space keeps them.
        """

    def replace(self, project: str, space: str, chunks: Sequence[Chunk]) -> None:
        """Save the vectors of these events in place of those that they have in this space."""

    def clear(self, project: str, space: str | None = None) -> None:
        """Delete the project's vectors, of one space or of all."""

    def lease_events(self, project: str, space: str, limit: int) -> list[Event]:
        """Return the events with text that have no vector in this space yet, oldest first.

        Of a store that several machines use, no other process gets them for a minute.
        """

    def count_missing(self, project: str, space: str) -> int:
        """Count the events with text that have no vector in this space yet."""

    def event_centres(
        self, project: str, space: str, seqs: Sequence[int]
    ) -> "dict[int, NDArray[np.float32]]":
        """Return the mean vector, of unit length, of each of these events that has vectors."""

    def thread_centres(
        self, project: str, space: str, thread_ids: Sequence[str]
    ) -> "dict[str, NDArray[np.float32]]":
        """Return the mean of its events' vectors, of unit length, for each of these threads."""

    def space_counts(self) -> dict[str, int]:
        """Return the number of vectors in each space, by its name."""

    def refresh_index(self, project: str, space: str, progress: Progress) -> None:
        """Refresh whatever makes `nearest` quick."""

    def nearest(
        self,
        scope: SearchScope,
        space: str,
        query: "NDArray[np.float32]",
        limit: int,
        also: Sequence[int] = (),
    ) -> NearestEvents:
        """Return the events nearest to the query, best first by cosine, each once.

        The events in `also` are included whatever their cosine.
        """
