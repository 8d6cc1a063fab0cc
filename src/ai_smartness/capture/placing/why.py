"""Where a message goes, and the numbers that say why."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Evidence", "Placement", "Reason", "total"]

Reason: TypeAlias = Literal["explicit", "answers", "continues", "returns", "opens"]

Evidence: TypeAlias = tuple[tuple[str, float], ...]
"""What was weighed, by the name of its weight; what is positive speaks for the decision."""

MENTIONED = 0.05
"""A weight that would be written as 0.0 says nothing to a reader."""

_SAID: dict[Reason, str] = {
    "explicit": "is on the thread that was named",
    "answers": "answers on the session's thread",
    "continues": "continues the session's thread",
    "returns": "goes back to an older thread",
    "opens": "opens a thread",
}

_OVER: dict[Reason, str] = {
    "continues": "a new one",
    "returns": "what was needed",
    "opens": "any other",
}

_WORDS = {
    "leave": "readiness to leave",
    "length": "length",
    "untold": "words not heard yet",
    "cover": "words already heard",
    "shared": "shared rare words",
    "last": "like the last message",
    "near": "like a recent message",
    "subject": "like its subject",
    "current": "the talk is here",
    "recent": "messages since",
    "gap": "time since",
    "answers": "was asked here",
    "spoke": "speaker was here last",
    "takes_part": "speaker takes part",
    "told": "speaker was spoken to here",
    "spoken_to": "addressee was here last",
    "partner": "addressee takes part",
    "stranger": "addressee is not here",
    "talked": "these two talked here",
    "new": "readiness to open",
    "new_length": "length",
    "new_by_agent": "agents answer",
    "new_speaker": "speaker is new",
    "new_to_all": "speaks to nobody",
    "kinship": "kinship",
}


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
        return "".join([_SAID[self.reason], self._numbers(), self._grounds(), self._held()])

    def _numbers(self) -> str:
        if not self.evidence:
            return ""
        over = _OVER.get(self.reason, "any other")
        return f" (score {_number(self.score)}, {_number(self.margin)} over {over})"

    def _grounds(self) -> str:
        weighed = [(name, value) for name, value in self.evidence if abs(value) >= MENTIONED]
        weighed.sort(key=lambda each: -abs(each[1]))
        listed = ", ".join(
            f"{_WORDS.get(name, name)} {_number(value, plus='+')}" for name, value in weighed
        )
        return f": {listed}" if listed else ""

    def _held(self) -> str:
        if self.held:
            return "; held until the next message tells whether the subject changed"
        return "; takes along what was held before it" if self.takes_held else ""


def total(evidence: Evidence) -> float:
    """Return what all the evidence comes to."""
    return sum(value for _, value in evidence)


def _number(value: float, plus: str = "") -> str:
    return f"{'−' if value < 0 else plus}{abs(value):.1f}"  # noqa: RUF001 - a minus people read
