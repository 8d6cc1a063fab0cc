"""One run of an agent, and what was shown to it."""

from dataclasses import dataclass
from datetime import datetime

__all__ = ["LedgerEntry", "LedgerPage", "Session", "SkippedThread"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One run of the agent. An epoch ends when its context is compacted or cleared.

    What was said in the session after the event numbered `epoch_seq` is in the
    agent's sight. `beat` is the one at which it was last spoken to. `crossed` is the largest
    share of its agent's window that was found to be passed since.
    """

    id: str
    project: str
    client: str = ""
    turn: int = 0
    epoch: int = 0
    beat: int = 0
    epoch_seq: int = 0
    crossed: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One thread shown in one turn, at the revision it had then, by these of its messages.

    `through` is the number of the project's last event at that moment.
    """

    session: str
    epoch: int
    turn: int
    thread_id: str
    revision: int
    tokens: int
    score: float
    why: str
    seqs: tuple[int, ...] = ()
    through: int = 0
    used: bool = False


@dataclass(frozen=True, slots=True)
class SkippedThread:
    """A thread that was looked at and not shown, and why not."""

    thread_id: str
    title: str
    reason: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerPage:
    """One turn of a session: what was shown, what was left out, and how long it took."""

    project: str
    session: str
    epoch: int
    turn: int
    at: datetime
    took_ms: float
    shown: tuple[LedgerEntry, ...]
    skipped: tuple[SkippedThread, ...]
