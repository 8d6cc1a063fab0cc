"""A thread: an append-only log of events on one subject, under one lasting id."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

__all__ = [
    "IMPORTANCE",
    "MERGED_INTO",
    "Kind",
    "Origin",
    "Rating",
    "SplitLock",
    "Status",
    "Thread",
    "short_thread_id",
]

ID_START = "thread_"
ID_CHARACTERS, SHORT_ID_CHARACTERS = 29, 6

MERGED_INTO = "merged_into:"  # starts the tag of an absorbed thread that names its survivor


class Status(StrEnum):
    """The lifecycle state of a thread."""

    ACTIVE = "active"
    SUSPENDED = "suspended"
    ARCHIVED = "archived"


class Kind(StrEnum):
    """What a thread says about its owner or the work."""

    WORK = "work"
    IDENTITY = "identity"
    PREFERENCE = "preference"
    DECISION = "decision"
    CONSTRAINT = "constraint"
    FACT = "fact"
    GOAL = "goal"
    TODO = "todo"
    OBSERVATION = "observation"


IMPORTANCE: dict[Kind, float] = {
    Kind.IDENTITY: 1.0,
    Kind.PREFERENCE: 0.9,
    Kind.DECISION: 0.8,
    Kind.CONSTRAINT: 0.8,
    Kind.GOAL: 0.7,
    Kind.FACT: 0.6,
    Kind.TODO: 0.6,
    Kind.WORK: 0.5,
    Kind.OBSERVATION: 0.3,
}
"""The default importance of each kind, 0–1."""


class Origin(StrEnum):
    """How a thread began."""

    PROMPT = "prompt"
    FILE_READ = "file_read"
    TASK = "task"
    FETCH = "fetch"
    RESPONSE = "response"
    SPLIT = "split"
    PIN = "pin"
    IMPORT = "import"


class SplitLock(StrEnum):
    """What allows a split thread to be merged again."""

    COMPACTION = "compaction"
    AGENT_RELEASE = "agent_release"
    FORCE = "force"


@dataclass(frozen=True, slots=True)
class Rating:
    """One answer to "was this thread useful when it was shown?"; a guess is weaker."""

    useful: bool
    at: datetime
    reason: str | None = None
    strength: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A thread as the store keeps it, without its events.

    `weight` is its weight at `last_active`; `threads.decay` computes the present one. `revision`
    grows with every change of content. A title that was given stays, others change as the thread
    grows; topics that were given come first. `lock_session` is the session whose next context
    compaction releases a `compaction` lock. `set_aside` numbers its inactive compactions.
    """

    id: str
    project: str
    title: str
    created_at: datetime
    last_active: datetime
    kind: Kind = Kind.WORK
    importance: float = IMPORTANCE[Kind.WORK]
    status: Status = Status.ACTIVE
    summary: str = ""
    topics: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    weight: float = 1.0
    activation_count: int = 0
    origin: Origin = Origin.PROMPT
    parent_id: str | None = None
    child_ids: tuple[str, ...] = ()
    split_lock: SplitLock | None = None
    lock_session: str | None = None
    title_given: bool = False
    ratings: tuple[Rating, ...] = ()
    relevance: float = 1.0
    drift: float = 0.0
    revision: int = 0
    files: tuple[str, ...] = ()
    commit: str | None = None
    topics_given: tuple[str, ...] = ()
    set_aside: tuple[int, ...] = ()

    @property
    def split_locked(self) -> bool:
        """Say whether merging is locked."""
        return self.split_lock is not None

    @property
    def split_locked_until(self) -> str | None:
        """What releases the lock, as the tools print it."""
        return None if self.split_lock is None else self.split_lock.value

    @property
    def merged_into(self) -> str | None:
        """The thread that this one was merged into, if it was."""
        marks = (tag for tag in self.tags if tag.startswith(MERGED_INTO))
        return next((mark.removeprefix(MERGED_INTO) for mark in marks), None)


def short_thread_id(thread_id: str) -> str:
    """Return the last six characters of an id, which every verb accepts in its place."""
    is_ours = len(thread_id) == ID_CHARACTERS and thread_id.startswith(ID_START)
    return thread_id[-SHORT_ID_CHARACTERS:] if is_ours else thread_id
