"""The text that is added to an agent's turn."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from ai_smartness.model.session import LineScores, Session, SkippedThread
from ai_smartness.model.thread import Thread

__all__ = ["InjectedLine", "InjectedThread", "Injection", "InjectionReason", "PreparedInjection"]


IN_SIGHT_WORDS = "in sight"
UNSURE_WORDS = "not sure enough"
UNNEEDED_WORDS = "does not look like it needs memory"
"""What `SkippedThread.reason` says of a line that the session sees, of one that hardly matches, and
of one that matches a prompt without need."""

NEEDED_WORDS = "the prompt looks like it needs memory"
"""How `InjectedThread.why` begins if relevance alone would not have been enough."""


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
    """One message of a thread, or the part that matters; `why` it was chosen, in plain words.

    `origin` names its source if that is neither a user nor an agent.
    """

    seq: int
    id: str
    role: str
    at: datetime
    text: str
    why: str = ""
    origin: str = ""
    scores: LineScores | None = None


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
    """The text to add to a turn, empty if nothing is relevant, and how it was chosen.

    `certainty` says how sure it is, 0–1, that the prompt needs what was found.
    """

    text: str = ""
    certainty: float = 0.0
    entries: tuple[InjectedThread, ...] = ()
    skipped: tuple[SkippedThread, ...] = ()
    took: float = 0.0
    reranked: float = 0.0
    """Of the seconds that it took, those of the reranker."""

    @property
    def is_in_sight(self) -> bool:
        """Say whether it is empty because the session can already see the lines that match."""
        if self.text or self.is_unneeded or self._has_reason(UNSURE_WORDS):
            return False
        # A pin is considered before every prompt; if it does not match, its score is zero.
        return any(IN_SIGHT_WORDS in item.reason and item.score > 0 for item in self.skipped)

    @property
    def is_unneeded(self) -> bool:
        """Say whether it is empty although something matches: the prompt seems to need nothing."""
        return not self.text and self._has_reason(UNNEEDED_WORDS)

    def _has_reason(self, words: str) -> bool:
        return any(words in thread.reason for thread in self.skipped)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedInjection:
    """An injection of which it is not known yet whether the agent has seen it.

    `sent` is its text as the client's hook prints it, where that differs.
    """

    injection: Injection
    session: Session
    at: datetime
    prompt: str = ""
    sent: str = ""
