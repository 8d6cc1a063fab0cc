"""The scope and the results of a search and of a recall."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.thread import Thread
from ai_smartness.text.trust import USER

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
    "RecalledLine",
    "RecalledThread",
    "SearchMatch",
    "SearchScope",
    "typical_value",
]


USER_PROJECT = "*"  # the user's own project, which is visible from every other

MANY_VALUES = 20_000  # of fewer, numpy finds the median as quickly
SAMPLED_VALUES = 1_000  # among which the middle ones are looked for
MIDDLE_SHARES = 0.45, 0.55  # of the sample, between which the median of all values is


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchScope:
    """Where a search looks: one project and the user's own, before a time, in a session.

    `linked` are the former names of the project, whose memory is seen too.
    """

    project: str
    before: datetime | None = None
    session: str | None = None
    linked: tuple[str, ...] = ()

    @property
    def projects(self) -> tuple[str, ...]:
        """The projects that are visible from this one."""
        return tuple(dict.fromkeys((self.project, *self.linked, USER_PROJECT)))


@dataclass(frozen=True, slots=True)
class IndexedWords:
    """The full-text entry of one event: its words, their parts, and a little context."""

    seq: int
    text: str
    parts: str
    context: str


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """A part of an event as a unit vector; a long event has several."""

    seq: int
    number: int
    vector: "NDArray[np.float32]"


class SearchMatch(NamedTuple):
    """One event that a search found; a higher score is better."""

    seq: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPosition:
    """The project, session, role and time of an event, and the event before it in the session."""

    seq: int
    project: str
    session: str | None
    role: str
    at: datetime
    previous: int | None


@dataclass(frozen=True, slots=True)
class NearestEvents:
    """The events nearest to a query, best first, and the typical cosine of any event."""

    matches: list[SearchMatch]
    typical: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryWords:
    """The words of a question, as the full-text index splits them.

    `spread` counts the events with each word, out of `events`. `said` are the words that were
    just used, and `held` the words of each message.
    """

    events: int
    spread: Mapping[str, int]
    said: frozenset[str]
    held: Mapping[int, frozenset[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HitReason:
    """How a hit was found: its rank by words and by meaning, from 1, and the raw scores."""

    words_rank: int | None = None
    words_score: float | None = None
    meaning_rank: int | None = None
    similarity: float | None = None
    words_share: float | None = None

    def __str__(self) -> str:
        reasons = []
        if self.words_rank is not None:
            reasons.append(f"words #{self.words_rank} (bm25 {self.words_score:.2f})")
        if self.meaning_rank is not None:
            reasons.append(f"meaning #{self.meaning_rank} (similarity {self.similarity:.2f})")
        if self.words_share:
            reasons.append(f"{self.words_share:.0%} of the question")
        return ", ".join(reasons)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One message that answers a query.

    `score`, 0–1, ranks the hits of one search. `relevance`, 0–1, says how well a message answers
    at all, and can be compared between searches. `tier` says how far it is trusted, and `origin`
    names its source if that is neither a user nor an agent.
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
    tier: str = USER
    origin: str = ""


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
class RecalledLine:
    """A sentence or two of a message that answer a query.

    `place` is their position in the message. `times` counts the messages that say the same, and
    the latest of them is shown. `until` is the time from which the line no longer holds, and
    `superseded` are the older lines that this one replaced: they are shown only below it.
    `origin` names the source of a line that is neither a user's nor an agent's. `order` is what
    the user had asked for before an agent reported a change, in the message `order_seq`.
    """

    text: str
    message_id: str
    seq: int
    place: int
    thread_id: str
    role: str
    at: datetime
    score: float
    times: int = 1
    until: datetime | None = None
    superseded: "tuple[RecalledLine, ...]" = ()
    statement_ids: tuple[str, ...] = ()
    origin: str = ""
    order: str = ""
    order_seq: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """The lines and threads that answer a query, the best first, and the threads' bridges.

    `is_weak` says that no line matches well, and then `topics` are the nearest. `text` is
    the whole answer as an agent reads it.
    """

    query: str
    at: datetime
    threads: tuple[RecalledThread, ...]
    bridges: tuple[RecalledBridge, ...]
    lines: tuple[RecalledLine, ...] = ()
    is_weak: bool = False
    topics: tuple[str, ...] = ()
    text: str = ""


def typical_value(values: "NDArray[np.float32]") -> float:
    """Return the median: exactly, and of many values in a quarter of the time.

    A sample tells roughly where it is, and only the values near there are put in order.
    """
    import numpy as np

    if len(values) >= MANY_VALUES:
        sample = np.sort(values[:: len(values) // SAMPLED_VALUES])
        low, high = (sample[int(len(sample) * share)] for share in MIDDLE_SHARES)
        middle = values[(values >= low) & (values <= high)]
        upper = len(values) // 2 - int(np.count_nonzero(values < low))
        lower = upper - 1 + len(values) % 2
        if lower >= 0 and upper < len(middle):
            return float(np.mean(np.partition(middle, [lower, upper])[[lower, upper]]))
    return float(np.median(values))
