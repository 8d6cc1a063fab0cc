"""What makes events findable: an index of their words, and one of their vectors."""

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
    """Full text over events, one index for each project."""

    def add(self, project: str, words: Iterable[IndexedWords]) -> None:
        """Index events that are not indexed yet."""
        ...

    def clear(self, project: str) -> None:
        """Forget every word of the project."""
        ...

    def refresh_index(self, project: str) -> None:
        """Bring up to date whatever makes `match` quick."""
        ...

    def compare_words(
        self,
        scope: SearchScope,
        question: str,
        recent_text: str,
        seqs: Sequence[int],
    ) -> QueryWords:
        """Tell which words of a question, and of what was just said, stand in which events."""
        ...

    def match(self, scope: SearchScope, terms: Sequence[str], limit: int) -> list[SearchMatch]:
        """Return the events that hold any of the terms, best first by BM25."""
        ...


class VectorIndex(Protocol):
    """Embeddings of events; those of different models never meet."""

    def add(
        self,
        project: str,
        space: str,
        chunks: Sequence[Chunk],
        through: int | None = None,
    ) -> None:
        """Keep vectors; every event of the project up to the number `through` now has its own.

        An event that has vectors in this space already keeps those.
        """
        ...

    def clear(self, project: str, space: str | None = None) -> None:
        """Forget the project's vectors, of one space or of all."""
        ...

    def events_without_vectors(self, project: str, space: str, limit: int) -> list[Event]:
        """Return events with words that have no vector in this space yet, oldest first."""
        ...

    def count_missing(self, project: str, space: str) -> int:
        """Count the events with words that have no vector in this space yet."""
        ...

    def event_centres(
        self,
        project: str,
        space: str,
        seqs: Sequence[int],
    ) -> "dict[int, NDArray[np.float32]]":
        """Return for each of these events that has vectors their centre, of unit length."""
        ...

    def thread_centres(
        self,
        project: str,
        space: str,
        thread_ids: Sequence[str],
    ) -> "dict[str, NDArray[np.float32]]":
        """Return for each of these threads that has vectors its centre, of unit length.

        It is the mean of its messages' centres, whatever they are just now.
        """
        ...

    def space_counts(self) -> dict[str, int]:
        """Name each space with how many events have a vector in it."""
        ...

    def refresh_index(self, project: str, space: str, progress: Progress) -> None:
        """Bring up to date whatever makes `nearest` quick."""
        ...

    def nearest(
        self,
        scope: SearchScope,
        space: str,
        query: "NDArray[np.float32]",
        limit: int,
        also: Sequence[int] = (),
    ) -> NearestEvents:
        """Return the events nearest to the query, best first by cosine; an event counts once.

        The events numbered in `also` are among them whatever their cosine.
        """
        ...
