"""What an agent can ask for by reading a path."""

from dataclasses import dataclass

from ai_smartness.model.split import Part
from ai_smartness.model.thread import SplitLock

__all__ = [
    "Complete",
    "Handoff",
    "Help",
    "Incomplete",
    "Look",
    "Merge",
    "Recall",
    "Request",
    "SplitConfirm",
    "SplitList",
    "Status",
    "Suggestions",
    "Unknown",
    "Unlock",
]


@dataclass(frozen=True, slots=True)
class Merge:
    """Put the messages of one thread on another."""

    survivor: str
    absorbed: str


@dataclass(frozen=True, slots=True)
class SplitList:
    """List a thread's messages, and how it could be split."""

    thread: str


@dataclass(frozen=True, slots=True)
class SplitConfirm:
    """Split a thread into these parts."""

    thread: str
    parts: tuple[Part, ...]
    lock: SplitLock = SplitLock.COMPACTION


@dataclass(frozen=True, slots=True)
class Unlock:
    """Let a split thread be merged again."""

    thread: str


@dataclass(frozen=True, slots=True)
class Recall:
    """Answer a question with threads, or give the one whose id it is."""

    query: str
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Say what could be done, for what somebody is at or for the session."""

    context: str | None = None


@dataclass(frozen=True, slots=True)
class Handoff:
    """Say where a session stood: the one named, or the one that whoever asks means."""

    session: str | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """Say what there is."""


@dataclass(frozen=True, slots=True)
class Help:
    """Say which paths there are."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing that can be asked for; without a verb the path is not one of ours at all."""

    verb: str | None


@dataclass(frozen=True, slots=True)
class Incomplete:
    """A known verb with something missing, too much or wrong, and the thread if one was named."""

    verb: str
    why: str
    thread: str | None = None


Look = Recall | Suggestions | Handoff | Status
"""What changes nothing, but for what a recall brings back."""

Complete = Merge | SplitList | SplitConfirm | Unlock | Look
"""What the memory can be asked as it stands."""

Request = Complete | Help | Unknown | Incomplete
