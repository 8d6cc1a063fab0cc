"""The annotation of an event, made when it was captured: its placement, mentions and statements.

It is derived, and stored so that it can be shown and need not be worked out again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ai_smartness.model.thread import Kind

__all__ = ["Annotation", "KindProposal", "Mention", "MentionKind", "RecordedPlacement"]


class MentionKind(StrEnum):
    """The kind of thing that a message names."""

    PATH = "path"
    IDENTIFIER = "identifier"
    COMMAND = "command"
    URL = "url"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Mention:
    """One thing that a message names; for a file, the line and a digest of its content then."""

    named: MentionKind
    name: str
    line: int | None = None
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class RecordedPlacement:
    """Why a message is on its thread: the reason, and the numbers behind it.

    `held` marks a message that seemed to leave the thread: the next message decides.
    """

    reason: str
    score: float
    margin: float
    evidence: tuple[tuple[str, float], ...] = ()
    held: bool = False

    def explanation(self) -> str:
        """Explain the placement in one sentence."""
        text = _REASON_TEXT.get(self.reason, self.reason)
        if self.evidence:
            rival = _COMPARED_WITH.get(self.reason, "any other")
            text += (
                f" (score {_signed_number(self.score)}, {_signed_number(self.margin)} over {rival})"
            )
        text += _evidence_list(self.evidence)
        is_open = "; held until the next message tells whether the subject changed"
        return text + (is_open if self.held else "")


@dataclass(frozen=True, slots=True)
class KindProposal:
    """A kind that a sentence of the user seems to state, and how plainly, 0–1."""

    kind: Kind
    sentence: str
    plainness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """The annotation of the event with this number."""

    seq: int
    placed: RecordedPlacement
    mentions: tuple[Mention, ...] = ()
    proposals: tuple[KindProposal, ...] = ()
    commit: str | None = None


LEAST_SHOWN_WEIGHT = 0.05  # a weight that would be written as 0.0 tells a reader nothing

_REASON_TEXT: dict[str, str] = {
    "explicit": "is on the thread that was named",
    "answers": "answers on the session's thread",
    "continues": "continues the session's thread",
    "returns": "goes back to an older thread",
    "opens": "opens a thread",
    "rule": "states a rule that is not about the session's thread, on a thread of its own",
    "pinned": "was pinned, on a thread of its own",
}

_COMPARED_WITH: dict[str, str] = {
    "continues": "a new one",
    "returns": "what was needed",
    "opens": "any other",
}

_EVIDENCE_TEXT = {
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


def _evidence_list(evidence: Sequence[tuple[str, float]]) -> str:
    weighed = [(name, value) for name, value in evidence if abs(value) >= LEAST_SHOWN_WEIGHT]
    weighed.sort(key=lambda pair: -abs(pair[1]))
    listed = ", ".join(
        f"{_EVIDENCE_TEXT.get(name, name)} {_signed_number(value, plus='+')}"
        for name, value in weighed
    )
    return f": {listed}" if listed else ""


def _signed_number(value: float, plus: str = "") -> str:
    return f"{'−' if value < 0 else plus}{abs(value):.1f}"  # noqa: RUF001 - a minus people read
