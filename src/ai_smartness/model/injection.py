"""What is put in front of an agent before a turn."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from ai_smartness.model.session import SkippedThread
from ai_smartness.model.thread import Thread

__all__ = ["InjectedLine", "InjectedThread", "Injection", "InjectionReason"]


class InjectionReason(StrEnum):
    """Why a thread was thought of."""

    RELEVANT = "relevant"
    PINNED = "pinned"
    IDENTITY = "identity"
    PREFERENCE = "preference"
    IMPORTANT = "important"
    RECENT = "recent"
    FOCUS = "focus"


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedLine:
    """One message of a thread that is shown, or what matters of it."""

    seq: int
    id: str
    role: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedThread:
    """One thread that is shown: the lines that matched, and the numbers behind it.

    `relevance` is how well it answers the prompt, `priority` what it was ranked
    by. `updated` says that it was shown before and has changed since.
    """

    thread: Thread
    lines: tuple[InjectedLine, ...]
    reason: InjectionReason
    relevance: float
    priority: float
    why: str
    updated: bool = False
    changed_files: tuple[str, ...] = ()
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """The text to add to a turn, empty where silence is best, and how it came about."""

    text: str = ""
    entries: tuple[InjectedThread, ...] = ()
    skipped: tuple[SkippedThread, ...] = ()
    took: float = 0.0
