"""One person and an agent: the subject stays until the person leaves it.

A message that clearly leaves goes at once. One that seems to is held, and goes
only if the person's next message leaves as well: an aside opens no thread.

Across sessions: old work taken up again.

Only a session that has not yet said what it is about goes back, and not on one
word in common: that can be chance.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ai_smartness.capture.assign.scoring import (
    AssignmentCase,
    Evidence,
    Placement,
    evidence_total,
    recent_similarity,
    sentence_length,
    session_candidates,
    term_overlap,
    vector_similarity,
)
from ai_smartness.capture.assign.state import OpenThread

if TYPE_CHECKING:
    from ai_smartness.capture.assign.message import Vector


__all__ = ["resumed_placement", "single_user_placement"]


def single_user_placement(case: AssignmentCase, current: str) -> Placement:
    """Decide whether a person's message continues the session's thread."""
    held = bool(case.session.held_messages)
    staying = _stay_evidence(case, case.state.threads[current])
    stay = evidence_total(staying)
    if case.message.words < case.weights.min_words:
        # It answers what came before it, and shares the fate of what is held.
        return Placement(current, "continues", stay, stay, staying, held=held)
    if stay > 0:
        return Placement(current, "continues", stay, stay, staying)
    if not held and not _is_clear_departure(case, -stay):
        return Placement(current, "continues", stay, stay, staying, held=True)
    return _return_placement(case, current, stay) or Placement(
        None,
        "opens",
        -stay,
        -stay,
        _negated_evidence(staying),
        takes_held=held,
    )


def _is_clear_departure(case: AssignmentCase, leave: float) -> bool:
    """Tell whether one message is enough to leave a thread."""
    return leave >= case.weights.sure and case.message.words >= case.weights.sure_words


def _return_placement(case: AssignmentCase, current: str, stay: float) -> Placement | None:
    """Find the older thread of this session that wants the message."""
    wanting = [
        (evidence_total(evidence), name, evidence)
        for name in session_candidates(case)
        if name != current
        for evidence in [_stay_evidence(case, case.state.threads[name])]
    ]
    if not wanting:
        return None
    score, name, evidence = max(wanting, key=lambda each: each[:2])
    # After a single question elsewhere, that one was most likely an aside.
    aside = case.state.threads[current].questions <= 1
    needed = case.weights.back_aside if aside else case.weights.back
    if score < needed:
        return None
    margin = score - max(stay, needed)
    return Placement(
        name,
        "returns",
        score,
        margin,
        evidence,
        takes_held=bool(case.session.held_messages),
    )


def _stay_evidence(case: AssignmentCase, thread: OpenThread) -> Evidence:
    """Weigh what speaks for a message being on a thread; what is negative, for leaving it."""
    rules = case.weights
    words = term_overlap(case, thread.recent_terms)
    meaning = _vector_evidence(case, thread)
    return (
        ("leave", -rules.leave if meaning else rules.stay_blind - rules.leave),
        ("length", -rules.leave_length * sentence_length(case)),
        ("untold", -rules.leave_untold * words.unknown),
        ("cover", rules.stay_cover * words.cover),
        ("shared", rules.stay_shared * words.shared),
        *meaning,
    )


def _vector_evidence(case: AssignmentCase, thread: OpenThread) -> Evidence:
    vector = case.message.vector
    if vector is None or thread.last_vector is None or thread.subject is None:
        return ()
    return (
        ("last", case.weights.stay_last * vector_similarity(case, vector, thread.last_vector)),
        ("near", case.weights.stay_near * recent_similarity(case, vector, thread)),
        ("subject", case.weights.stay_subject * vector_similarity(case, vector, thread.subject)),
    )


def _negated_evidence(evidence: Evidence) -> Evidence:
    return tuple((name, -value) for name, value in evidence)


OPENING_QUESTIONS = 2
"""A session's second question still may say what the first, a greeting, did not."""


@dataclass(frozen=True, slots=True)
class _PointerWeights:
    """How well each term of a message points at one thread."""

    weight: dict[str, float]
    total: float
    in_few_threads: list[str]


def resumed_placement(case: AssignmentCase) -> Placement | None:
    """Find the thread of another session that a session's first questions take up."""
    if case.message.words < case.weights.min_words or not _has_no_subject(case):
        return None
    pointers = _pointer_weights(case)
    threads = [case.state.threads[name] for name in _resume_candidates(case)]
    kin = [
        (kinship, kinship - needed, thread.id)
        for thread in threads
        for kinship, needed in [
            (_kinship(case, thread, pointers), _kinship_threshold(case, thread)),
        ]
        if kinship >= needed
    ]
    if not kin:
        return None
    best, margin, name = max(kin)
    return Placement(name, "returns", best, margin, (("kinship", best),))


def _resume_candidates(case: AssignmentCase) -> list[str]:
    names = case.state.threads_by_words(case.term_weights, case.weights.candidates_words)
    if case.message.vector is not None:
        names += case.state.threads_by_vector(case.message.vector, case.weights.candidates_vector)
    return [name for name in dict.fromkeys(names) if name not in case.session.thread_last_message]


def _has_no_subject(case: AssignmentCase) -> bool:
    """Tell whether a session has not yet said what it is about."""
    current = case.session.current_thread
    if current is None:
        return True
    said = len(case.state.threads[current].terms)
    return case.session.questions < OPENING_QUESTIONS and said < case.weights.new_words


def _kinship_threshold(case: AssignmentCase, thread: OpenThread) -> float:
    """Ask for more where another session is at work, so that two at once do not get mixed up."""
    if case.message.minute - thread.minute < case.weights.live_minutes:
        return case.weights.kin_live
    return case.weights.kin_words if case.message.vector is None else case.weights.kin


def _kinship(case: AssignmentCase, thread: OpenThread, pointers: _PointerWeights) -> float:
    words = _pointer_share(case, thread, pointers)
    vector = case.message.vector
    if vector is None or thread.centre is None:
        return words
    return (_vector_kinship(case, vector, thread, thread.centre) + words) / 2


def _pointer_share(case: AssignmentCase, thread: OpenThread, pointers: _PointerWeights) -> float:
    """Measure the share of a message's telling words that point at this thread.

    Words no thread has ever used count in full against it: a new issue number is
    a new subject however familiar the sentence around it.
    """
    own = sum(map(thread.terms.__contains__, pointers.in_few_threads))
    if own < case.weights.kin_terms or not pointers.total:
        return 0.0
    known = filter(thread.terms.__contains__, pointers.weight)
    return sum(map(pointers.weight.__getitem__, known)) / pointers.total


def _pointer_weights(case: AssignmentCase) -> _PointerWeights:
    # Squared, so that ten common words do not make up for one that is missing.
    weight = {term: case.state.thread_idf(term) ** 2 for term in case.message.terms}
    of_few = [term for term in weight if case.state.is_in_few_threads(term)]
    return _PointerWeights(weight, sum(weight.values()), of_few)


def _vector_kinship(
    case: AssignmentCase,
    vector: "Vector",
    thread: OpenThread,
    centre: "Vector",
) -> float:
    return (vector_similarity(case, vector, centre) + recent_similarity(case, vector, thread)) / 2
