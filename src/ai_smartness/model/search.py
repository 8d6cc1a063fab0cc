"""What a search is asked and what it answers.

What a recall answers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.thread import Thread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


__all__ = [
    "USER_PROJECT",
    "Chunk",
    "EventPosition",
    "Hit",
    "HitReason",
    "IndexedWords",
    "NearestEvents",
    "QueryWords",
    "RecallResult",
    "RecalledBridge",
    "RecalledThread",
    "SearchMatch",
    "SearchScope",
]


USER_PROJECT = "*"
"""The user's own project: what is in it is seen from every other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchScope:
    """Where a search may look: one project (and the user's own), up to a moment, in a session."""

    project: str
    before: datetime | None = None
    session: str | None = None

    @property
    def projects(self) -> tuple[str, ...]:
        """Name the projects that are in sight from this one."""
        return (self.project,) if self.project == USER_PROJECT else (self.project, USER_PROJECT)


@dataclass(frozen=True, slots=True)
class IndexedWords:
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
class SearchMatch:
    """One event found by one of the searches; a higher score is better."""

    seq: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPosition:
    """Where an event stands: whose it is, when, in which session, and the event before it there."""

    seq: int
    project: str
    session: str | None
    role: str
    at: datetime
    previous: int | None


@dataclass(frozen=True, slots=True)
class NearestEvents:
    """The events nearest to a query, best first, and the cosine that any event may have."""

    matches: list[SearchMatch]
    typical: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryWords:
    """Which words of a question stand where, as the full-text index knows words.

    `spread` says in how many of the `events` each of its words is, `said` which
    of them were just said, `held` which each message has.
    """

    events: int
    spread: Mapping[str, int]
    said: frozenset[str]
    held: Mapping[int, frozenset[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HitReason:
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
    why: HitReason
    relevance: float = 0.0
    seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledThread:
    """A thread that answers, with the messages that matched, the best first.

    `relevance` is how well it answers, 0–1; `score` what it was ranked by.
    """

    thread: Thread
    messages: tuple[Hit, ...]
    relevance: float
    score: float
    reactivated: bool = False
    changed_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecalledBridge:
    """A bridge between two threads, each by its title."""

    bridge: Bridge
    source: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """The threads that answer a query, the best first, and the bridges between and around them.

    `text` is all of it as an agent reads it. Where nothing matched, `topics` are
    the nearest there are.
    """

    query: str
    at: datetime
    threads: tuple[RecalledThread, ...]
    bridges: tuple[RecalledBridge, ...]
    topics: tuple[str, ...] = ()
    text: str = ""
