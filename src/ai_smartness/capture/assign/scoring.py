"""Where a message goes, and the numbers that say why.

How a message stands to a thread: each measure from 0, nothing, to 1.

The threads of its own session that a message may belong to.
"""

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeAlias

from ai_smartness.capture.assign.message import IncomingMessage
from ai_smartness.capture.assign.state import AssignmentState, OpenThread, SessionState, TermWeights
from ai_smartness.capture.assign.weights import AssignWeights
from ai_smartness.model.annotation import placement_explanation

if TYPE_CHECKING:
    from collections.abc import Container

    from ai_smartness.capture.assign.message import Vector


__all__ = [
    "AssignmentCase",
    "Evidence",
    "Placement",
    "PlacementReason",
    "TermOverlap",
    "evidence_total",
    "recent_similarity",
    "sentence_length",
    "session_candidates",
    "term_overlap",
    "vector_similarity",
]


PlacementReason: TypeAlias = Literal["explicit", "answers", "continues", "returns", "opens"]

Evidence: TypeAlias = tuple[tuple[str, float], ...]
"""What was weighed, by the name of its weight; what is positive speaks for the decision."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a message goes and why; `thread` is none for a new one."""

    thread: str | None
    reason: PlacementReason
    score: float = 0.0
    margin: float = 0.0
    """By how much this was better than the next best."""
    evidence: Evidence = ()
    held: bool = False
    """On its thread for now: it may turn out to be the start of another subject."""
    takes_held: bool = False
    """It was: what the session held back goes along."""

    def explanation(self) -> str:
        """Say in one sentence where the message went and on what grounds."""
        return placement_explanation(
            self.reason,
            self.score,
            self.margin,
            self.evidence,
            held=self.held,
            takes_held=self.takes_held,
        )


def evidence_total(evidence: Evidence) -> float:
    """Return what all the evidence comes to."""
    return sum(value for _, value in evidence)


@dataclass(frozen=True, slots=True)
class AssignmentCase:
    """A message and all that is known when its thread is chosen."""

    message: IncomingMessage
    state: AssignmentState
    session: SessionState
    weights: AssignWeights
    term_weights: TermWeights


@dataclass(frozen=True, slots=True)
class TermOverlap:
    """What of a message's words was heard before."""

    cover: float
    """The share of its information that is known."""
    shared: float
    """The rare words in common, saturating."""
    unknown: float
    """How much it says that is not known, saturating."""


def term_overlap(case: AssignmentCase, heard: "Container[str]") -> TermOverlap:
    """Compare a message's words with words heard before."""
    known = _known_weight(case.term_weights.idf, heard)
    rare = _known_weight(case.term_weights.rare_idf, heard)
    untold = max(0.0, case.term_weights.idf_sum - known)
    return TermOverlap(
        cover=known / (known + untold) if known else 0.0,
        shared=rare / (rare + case.weights.shared_half),
        unknown=untold / (untold + case.weights.untold_half),
    )


def _known_weight(weights: dict[str, float], heard: "Container[str]") -> float:
    # The inmost loop of placing, for every word and every thread: kept out of bytecode, and in
    # the message's order, so that the sum is the same in every process.
    return sum(map(weights.__getitem__, filter(heard.__contains__, weights)))


def sentence_length(case: AssignmentCase) -> float:
    """Measure how near a message comes to a whole sentence."""
    return min(1.0, case.message.words / case.weights.new_words)


def vector_similarity(case: AssignmentCase, one: "Vector", other: "Vector") -> float:
    """Measure how close two texts are, on the scale of this embedding model."""
    return _scaled_cosine(case, float(one @ other))


def recent_similarity(case: AssignmentCase, vector: "Vector", thread: OpenThread) -> float:
    """Measure how close a text is to the closest of a thread's recent messages."""
    recent = (*thread.question_vectors, *thread.answer_vectors)
    return _scaled_cosine(case, max((float(vector @ each) for each in recent), default=0.0))


def _scaled_cosine(case: AssignmentCase, cosine: float) -> float:
    unrelated = case.weights.unrelated_cosine
    return min(1.0, max(0.0, (cosine - unrelated) / (1 - unrelated)))


def session_candidates(case: AssignmentCase) -> list[str]:
    """Name the session's latest threads, and those of its older ones that share rare words."""
    seat, rules = case.session, case.weights
    recent = islice(reversed(seat.thread_last_message), rules.candidates_recent)
    by_words = case.state.threads_by_words(case.term_weights, rules.candidates_words)
    older = (name for name in by_words if name in seat.thread_last_message)
    return list(dict.fromkeys([*recent, *older]))
