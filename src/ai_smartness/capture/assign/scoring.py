"""The measures that assignment weighs, and the placement that comes out.

Each measure compares a message with a thread and goes from 0 (nothing) to 1.
"""

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeAlias

from ai_smartness.capture.assign.message import IncomingMessage
from ai_smartness.capture.assign.state import AssignmentState, OpenThread, SessionState, TermWeights
from ai_smartness.capture.assign.weights import AssignWeights

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


PlacementReason: TypeAlias = Literal["explicit", "answers", "continues", "returns", "opens", "rule"]

Evidence: TypeAlias = tuple[tuple[str, float], ...]
"""The weighed measures by name; positive values speak for the decision."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The thread for a message and the reason; `thread` is none for a new one."""

    thread: str | None
    reason: PlacementReason
    score: float = 0.0
    margin: float = 0.0  # the distance to the next best decision
    evidence: Evidence = ()
    held: bool = False  # the message stays for now, but may turn out to begin another subject
    takes_held: bool = False  # the session's held messages move along with this one


def evidence_total(evidence: Evidence) -> float:
    """Return the sum of the evidence."""
    return sum(value for _, value in evidence)


@dataclass(frozen=True, slots=True)
class AssignmentCase:
    """A message and everything that the decision takes into account."""

    message: IncomingMessage
    state: AssignmentState
    session: SessionState
    weights: AssignWeights
    term_weights: TermWeights


@dataclass(frozen=True, slots=True)
class TermOverlap:
    """How much of a message's words is known already."""

    cover: float  # the known share of its information
    shared: float  # rare words in common, saturating
    unknown: float  # new information, saturating


def term_overlap(case: AssignmentCase, known_terms: "Container[str]") -> TermOverlap:
    """Compare a message's terms with known terms."""
    known = _known_weight(case.term_weights.idf, known_terms)
    rare = _known_weight(case.term_weights.rare_idf, known_terms)
    unknown = max(0.0, case.term_weights.idf_sum - known)
    return TermOverlap(
        cover=known / (known + unknown) if known else 0.0,
        shared=rare / (rare + case.weights.shared_half),
        unknown=unknown / (unknown + case.weights.untold_half),
    )


def _known_weight(weights: dict[str, float], known_terms: "Container[str]") -> float:
    # The innermost loop, for every term and every thread: no bytecode, and in the message's
    # order, so that the sum is the same in every process.
    return sum(map(weights.__getitem__, filter(known_terms.__contains__, weights)))


def sentence_length(case: AssignmentCase) -> float:
    """Measure how close the message is to the length of a sentence."""
    return min(1.0, case.message.words / case.weights.new_words)


def vector_similarity(case: AssignmentCase, one: "Vector", other: "Vector") -> float:
    """Measure the similarity of two texts, on the scale of this embedding model."""
    return _scaled_cosine(case, float(one @ other))


def recent_similarity(case: AssignmentCase, vector: "Vector", thread: OpenThread) -> float:
    """Measure the similarity to the closest of a thread's recent messages."""
    recent = (*thread.question_vectors, *thread.answer_vectors)
    return _scaled_cosine(case, max((float(vector @ other) for other in recent), default=0.0))


def _scaled_cosine(case: AssignmentCase, cosine: float) -> float:
    unrelated = case.weights.unrelated_cosine
    return min(1.0, max(0.0, (cosine - unrelated) / (1 - unrelated)))


def session_candidates(case: AssignmentCase) -> list[str]:
    """Return the session's latest threads, and older ones that share rare words."""
    session_threads = case.session.thread_last_message
    recent = islice(reversed(session_threads), case.weights.candidates_recent)
    by_words = case.state.threads_by_words(case.term_weights, case.weights.candidates_words)
    older = (thread_id for thread_id in by_words if thread_id in session_threads)
    return list(dict.fromkeys([*recent, *older]))
