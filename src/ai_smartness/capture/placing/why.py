"""Where a message goes, and the numbers that say why."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ai_smartness.model.placed_words import why_placed

__all__ = ["Evidence", "Placement", "Reason", "total"]

Reason: TypeAlias = Literal["explicit", "answers", "continues", "returns", "opens"]

Evidence: TypeAlias = tuple[tuple[str, float], ...]
"""What was weighed, by the name of its weight; what is positive speaks for the decision."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a message goes and why; `thread` is none for a new one."""

    thread: str | None
    reason: Reason
    score: float = 0.0
    margin: float = 0.0
    """By how much this was better than the next best."""
    evidence: Evidence = ()
    held: bool = False
    """On its thread for now: it may turn out to be the start of another subject."""
    takes_held: bool = False
    """It was: what the session held back goes along."""

    def said(self) -> str:
        """Say in one sentence where the message went and on what grounds."""
        return why_placed(
            self.reason,
            self.score,
            self.margin,
            self.evidence,
            held=self.held,
            takes_held=self.takes_held,
        )


def total(evidence: Evidence) -> float:
    """Return what all the evidence comes to."""
    return sum(value for _, value in evidence)
