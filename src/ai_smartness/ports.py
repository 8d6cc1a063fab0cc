"""What the rules need from outside.

A store, an embedder, a language model, a clock: each a protocol that an
adapter fulfils. `tests/contract/` holds what every fulfilment must do.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeAlias

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.event import Event
from ai_smartness.model.found import Chunk, Match, Nearby, Scope, Standing, Words
from ai_smartness.model.note import Note
from ai_smartness.model.session import Session
from ai_smartness.model.thread import Thread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Bridges",
    "Clock",
    "Embedder",
    "Events",
    "LanguageModel",
    "Notes",
    "Progress",
    "ProjectCount",
    "ThreadStore",
    "Threads",
    "Vectors",
    "WordIndex",
    "Worktree",
]

Progress: TypeAlias = Callable[[int, int], None]
"""Told now and then: how much is done, of how much."""


@dataclass(frozen=True, slots=True)
class ProjectCount:
    """A project the store knows, with how much it holds of it."""

    project: str
    threads: int
    events: int


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """Return the present moment in UTC."""
        ...


class Threads(Protocol):
    """The threads of a store."""

    def get(self, thread_id: str) -> Thread:
        """Return the thread with this id, or with this unique start of an id."""
        ...

    def has(self, thread_id: str) -> bool:
        """Say whether there is a thread with exactly this id."""
        ...

    def all(self, project: str) -> list[Thread]:
        """Return the project's threads, the most recently active first."""
        ...

    def save(self, thread: Thread) -> None:
        """Add the thread, or put it in the place of the one with its id."""
        ...

    def of_session(self, project: str, session: str | None) -> str | None:
        """Name the thread that the session's latest event is on."""
        ...

    def session(self, project: str, session_id: str) -> Session | None:
        """Return the session if it is known."""
        ...

    def save_session(self, session: Session) -> None:
        """Add the session, or put it in the place of the one with its id."""
        ...


class Events(Protocol):
    """The events of a store: append-only, in one order."""

    def append(self, events: Sequence[Event]) -> list[Event]:
        """Add events at the end and return them with their `seq`."""
        ...

    def known(self, project: str, ids: Iterable[str]) -> set[str]:
        """Return those ids the project has an event for."""
        ...

    def get(self, project: str, event_id: str) -> Event:
        """Return the event with this id."""
        ...

    def of_thread(self, thread_id: str) -> list[Event]:
        """Return a thread's events in the order of `seq`."""
        ...

    def by_seq(self, seqs: Iterable[int]) -> dict[int, Event]:
        """Return events by their number."""
        ...

    def standing(self, seqs: Iterable[int]) -> dict[int, Standing]:
        """Return where events stand, by their number."""
        ...

    def previous(self, event: Event) -> Event | None:
        """Return the event of the same session that came before this stored one."""
        ...

    def move(self, seqs: Iterable[int], thread_id: str) -> None:
        """Put events on another thread."""
        ...

    def number_of(self, project: str, seq: int) -> int:
        """Count the project's events up to this number."""
        ...

    def nth(self, project: str, number: int) -> int:
        """Return the `seq` of the project's event with this number, from 1; 0 if there is none."""
        ...

    def since(self, project: str, seq: int, limit: int) -> list[Event]:
        """Return the project's next events after this number."""
        ...

    def count(self, project: str) -> int:
        """Count the project's events."""
        ...


class Notes(Protocol):
    """What was worked out about events when they were captured."""

    def add(self, notes: Sequence[Note]) -> None:
        """Keep notes, each in the place of what its event had."""
        ...

    def of(self, seqs: Iterable[int]) -> dict[int, Note]:
        """Return the notes of these events."""
        ...

    def told(self, project: str) -> int:
        """Return the number up to which the project's events have been told of."""
        ...

    def mark_told(self, project: str, seq: int) -> None:
        """Set the number up to which the project's events have been told of."""
        ...


class Bridges(Protocol):
    """The links between threads."""

    def save(self, bridges: Sequence[Bridge]) -> None:
        """Add bridges, each in the place of the one with its id."""
        ...

    def of(self, thread_id: str) -> list[Bridge]:
        """Return the bridges from and to a thread, the heaviest first."""
        ...

    def remove(self, ids: Sequence[str]) -> None:
        """Take bridges away."""
        ...


class WordIndex(Protocol):
    """Full text over events, one index for each project."""

    def add(self, project: str, words: Iterable[Words]) -> None:
        """Index events that are not indexed yet."""
        ...

    def clear(self, project: str) -> None:
        """Forget every word of the project."""
        ...

    def settle(self, project: str) -> None:
        """Bring up to date whatever makes `match` quick."""
        ...

    def match(self, scope: Scope, terms: Sequence[str], limit: int) -> list[Match]:
        """Return the events that hold any of the terms, best first by BM25."""
        ...


class Vectors(Protocol):
    """Embeddings of events; those of different models never meet."""

    def add(
        self, project: str, space: str, chunks: Sequence[Chunk], through: int | None = None
    ) -> None:
        """Keep vectors; every event of the project up to the number `through` now has its own.

        An event that has vectors in this space already keeps those.
        """
        ...

    def clear(self, project: str, space: str | None = None) -> None:
        """Forget the project's vectors, of one space or of all."""
        ...

    def missing(self, project: str, space: str, limit: int) -> list[Event]:
        """Return events with words that have no vector in this space yet, oldest first."""
        ...

    def pending(self, project: str, space: str) -> int:
        """Count the events with words that have no vector in this space yet."""
        ...

    def of_events(
        self, project: str, space: str, seqs: Sequence[int]
    ) -> "dict[int, NDArray[np.float32]]":
        """Return for each of these events that has vectors their centre, of unit length."""
        ...

    def spaces(self) -> dict[str, int]:
        """Name each space with how many events have a vector in it."""
        ...

    def settle(self, project: str, space: str, progress: Progress) -> None:
        """Bring up to date whatever makes `nearest` quick."""
        ...

    def nearest(
        self,
        scope: Scope,
        space: str,
        query: "NDArray[np.float32]",
        limit: int,
        also: Sequence[int] = (),
    ) -> Nearby:
        """Return the events nearest to the query, best first by cosine; an event counts once.

        The events numbered in `also` are among them whatever their cosine.
        """
        ...


class ThreadStore(Protocol):
    """Where everything is kept."""

    @property
    def threads(self) -> Threads:
        """The threads and sessions."""
        ...

    @property
    def events(self) -> Events:
        """The events."""
        ...

    @property
    def notes(self) -> Notes:
        """What was worked out about events."""
        ...

    @property
    def bridges(self) -> Bridges:
        """The links between threads."""
        ...

    @property
    def words(self) -> WordIndex:
        """The full-text index."""
        ...

    @property
    def vectors(self) -> Vectors:
        """The embeddings."""
        ...

    def unit(self) -> AbstractContextManager[None]:
        """Carry out all writes inside, or none of them; units nest into one."""
        ...

    def projects(self) -> list[ProjectCount]:
        """Return the projects the store knows."""
        ...

    def check(self) -> str:
        """Say what is damaged; nothing if the store is whole."""
        ...

    def close(self) -> None:
        """Let go of the store."""
        ...


class Embedder(Protocol):
    """Turns text into vectors of unit length."""

    @property
    def space(self) -> str:
        """Name the model and its revision: vectors of another space are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """Tell the length of a vector."""
        ...

    def documents(self, texts: Sequence[str]) -> "list[NDArray[np.float32]]":
        """Return for each text its chunks as rows: at least one, several for a long text."""
        ...

    def query(self, text: str) -> "NDArray[np.float32]":
        """Return the vector to search with."""
        ...

    @property
    def strangers(self) -> float:
        """Tell the cosine of two documents that have nothing to do with each other."""
        ...

    def similarity(self, cosine: float) -> float:
        """Map this model's cosine to our 0–1, where 0 is unrelated and 1 is the same said again."""
        ...


class Worktree(Protocol):
    """The files of a project as they are now."""

    def commit(self) -> str | None:
        """Return the commit that is checked out, if there is one."""
        ...

    def digest(self, path: str) -> str | None:
        """Return a checksum of the content of a file of the project, if it is one."""
        ...


class LanguageModel(Protocol):
    """Writes text. Optional, never in the read path."""

    def complete(self, prompt: str, max_tokens: int) -> str:
        """Return the model's answer."""
        ...
