"""A session of an agent, and the ledger of what was shown to it."""

from dataclasses import dataclass
from datetime import datetime

from ai_smartness.model.statement import Statement

__all__ = [
    "LedgerEntry",
    "LedgerPage",
    "LineScores",
    "LineSource",
    "Session",
    "ShownLine",
    "SkippedThread",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One run of the agent. An epoch ends when its context is compacted or cleared.

    The agent still sees the session's events after `epoch_seq`. `beat` is that of its last
    prompt. `crossed` is the largest share of its window that was passed since.
    """

    id: str
    project: str
    client: str = ""
    turn: int = 0
    epoch: int = 0
    beat: int = 0
    epoch_seq: int = 0
    crossed: float = 0.0


@dataclass(frozen=True, slots=True)
class LineScores:
    """The numbers by which a line was chosen, each 0–1.

    `words` is the share of the prompt's words that it has, `meaning` how close it is in meaning;
    each is absent if the line was not found that way.
    """

    relevance: float
    words: float | None = None
    meaning: float | None = None


@dataclass(frozen=True, slots=True)
class ShownLine:
    """One line that was shown: the message it is from, its text, and why it was chosen."""

    seq: int
    role: str
    at: datetime
    text: str
    why: str = ""
    scores: LineScores | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSource:
    """The message that a shown line is from: its id, how far it is trusted, and what it states.

    `origin` names the source if that is neither a user nor an agent.
    """

    message_id: str
    tier: str
    origin: str
    statements: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One thread shown in one turn: its revision then, and the messages shown.

    `through` is the number of the project's last event at that time. `lines` are what was shown
    of the messages; without them, they were shown whole.
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
    lines: tuple[ShownLine, ...] = ()


@dataclass(frozen=True, slots=True)
class SkippedThread:
    """A thread that was considered and not shown, with its best line, and why."""

    thread_id: str
    title: str
    reason: str
    score: float
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerPage:
    """One turn of a session: its prompt, the threads shown and skipped, and the time it took.

    `reranked_ms` is the reranker's part of that time. `block` is the text that the agent was
    sent; it is empty if nothing was, and for turns that are no longer among the latest.
    """

    project: str
    session: str
    epoch: int
    turn: int
    at: datetime
    took_ms: float
    shown: tuple[LedgerEntry, ...]
    skipped: tuple[SkippedThread, ...]
    prompt: str = ""
    reranked_ms: float = 0.0
    block: str = ""
