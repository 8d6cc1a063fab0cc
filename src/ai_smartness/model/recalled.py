"""What a recall answers."""

from dataclasses import dataclass
from datetime import datetime

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.found import Hit
from ai_smartness.model.thread import Thread

__all__ = ["RecallBridge", "Recalled", "RecalledThread"]


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
class RecallBridge:
    """A bridge between two threads, each by its title."""

    bridge: Bridge
    source: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The threads that answer a query, the best first, and the bridges between and around them.

    `text` is all of it as an agent reads it. Where nothing matched, `topics` are
    the nearest there are.
    """

    query: str
    at: datetime
    threads: tuple[RecalledThread, ...]
    bridges: tuple[RecallBridge, ...]
    topics: tuple[str, ...] = ()
    text: str = ""
