"""What a search is asked and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "EVERYWHERE",
    "Chunk",
    "Compared",
    "Hit",
    "Match",
    "Nearby",
    "Scope",
    "Standing",
    "Why",
    "Words",
]

EVERYWHERE = "*"
"""The user's own project: what is in it is seen from every other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where a search may look: one project (and the user's own), up to a moment, in a session."""

    project: str
    before: datetime | None = None
    session: str | None = None

    @property
    def projects(self) -> tuple[str, ...]:
        """Name the projects that are in sight from this one."""
        return (self.project,) if self.project == EVERYWHERE else (self.project, EVERYWHERE)


@dataclass(frozen=True, slots=True)
class Words:
    """What full text knows of one event: its words, the parts of its words, its little context."""

    seq: int
    text: str
    parts: str
    context: str


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """One stretch of one event as a vector of unit length; a long event has several."""

    seq: int
    number: int
    vector: "NDArray[np.float32]"


@dataclass(frozen=True, slots=True)
class Match:
    """One event found by one of the searches; a higher score is better."""

    seq: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where an event stands: whose it is, when, in which session, and the event before it there."""

    seq: int
    project: str
    session: str | None
    role: str
    at: datetime
    previous: int | None


@dataclass(frozen=True, slots=True)
class Nearby:
    """The events nearest to a query, best first, and the cosine that any event may have."""

    matches: list[Match]
    typical: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Which words of a question stand where, as the full-text index knows words.

    `spread` says in how many of the `events` each of its words is, `said` which
    of them were just said, `held` which each message has.
    """

    events: int
    spread: Mapping[str, int]
    said: frozenset[str]
    held: Mapping[int, frozenset[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """How a hit was found: its rank by words and by meaning, from 1, and the raw values."""

    words_rank: int | None = None
    words_score: float | None = None
    meaning_rank: int | None = None
    similarity: float | None = None
    words_share: float | None = None

    def __str__(self) -> str:
        found = []
        if self.words_rank is not None:
            found.append(f"words #{self.words_rank} (bm25 {self.words_score:.2f})")
        if self.meaning_rank is not None:
            found.append(f"meaning #{self.meaning_rank} (similarity {self.similarity:.2f})")
        if self.words_share:
            found.append(f"{self.words_share:.0%} of the question")
        return ", ".join(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One message that answers a query, best first.

    `score` is 0–1 within one search, by which it is ranked; `relevance` is how
    well it answers at all, 0–1, comparable between searches.
    """

    id: str
    thread_id: str
    project: str
    session: str | None
    role: str
    at: datetime
    text: str
    score: float
    why: Why
    relevance: float = 0.0
    seq: int = 0
