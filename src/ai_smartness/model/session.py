"""One run of an agent, and what was shown to it."""

from dataclasses import dataclass

__all__ = ["LedgerEntry", "Session"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One run of the agent. An epoch ends when its context is compacted or cleared."""

    id: str
    project: str
    client: str = ""
    turn: int = 0
    epoch: int = 0
    beat: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One thread shown in one turn, at the revision it had then."""

    session: str
    epoch: int
    turn: int
    thread_id: str
    revision: int
    tokens: int
    score: float
    why: str
    used: bool = False
