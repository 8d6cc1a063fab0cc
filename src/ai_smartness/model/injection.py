"""The text that is added to an agent's turn."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from ai_smartness.model.session import Session, SkippedThread
from ai_smartness.model.thread import Thread

__all__ = ["InjectedLine", "InjectedThread", "Injection", "InjectionReason", "PreparedInjection"]


class InjectionReason(StrEnum):
    """Why a thread was considered."""

    RELEVANT = "relevant"
    PINNED = "pinned"
    IDENTITY = "identity"
    PREFERENCE = "preference"
    IMPORTANT = "important"
    RECENT = "recent"
    FOCUS = "focus"


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedLine:
    """One message of a thread, or the part that matters; `why` it was chosen, in plain words."""

    seq: int
    id: str
    role: str
    at: datetime
    text: str
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedThread:
    """One injected thread: the lines that matched, and the numbers behind it.

    `relevance` is how well it answers the prompt, `priority` what it was ranked by. `updated`:
    it was shown before, and has changed since.
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
    """The text to add to a turn, empty if nothing is relevant, and how it was chosen."""

    text: str = ""
    entries: tuple[InjectedThread, ...] = ()
    skipped: tuple[SkippedThread, ...] = ()
    took: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedInjection:
    """An injection of which it is not known yet whether the agent has seen it."""

    injection: Injection
    session: Session
    at: datetime
    prompt: str = ""
