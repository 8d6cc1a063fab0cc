"""What was worked out about an event when it was captured.

Where it was placed and why, what it names, what it seems to state. Derived,
kept so that it can be shown and need not be worked out twice.
"""

from dataclasses import dataclass
from enum import StrEnum

from ai_smartness.model.placed_words import why_placed
from ai_smartness.model.thread import Kind

__all__ = ["Mention", "Named", "Note", "Placed", "Proposal"]


class Named(StrEnum):
    """What sort of thing a message names."""

    PATH = "path"
    IDENTIFIER = "identifier"
    COMMAND = "command"
    URL = "url"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Mention:
    """One thing a message names; for a file, the line and the content it had then."""

    named: Named
    name: str
    line: int | None = None
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """Why a message is on its thread: the reason, and the numbers behind it.

    `held` marks one that looked like leaving the thread and awaits the next.
    """

    reason: str
    score: float
    margin: float
    evidence: tuple[tuple[str, float], ...] = ()
    held: bool = False

    def said(self) -> str:
        """Say in one sentence why the message is there."""
        return why_placed(self.reason, self.score, self.margin, self.evidence, held=self.held)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A kind that a sentence of the user's seems to state, and how plainly, 0–1."""

    kind: Kind
    sentence: str
    plainness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """All that was worked out about the event with this number."""

    seq: int
    placed: Placed
    mentions: tuple[Mention, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    commit: str | None = None
