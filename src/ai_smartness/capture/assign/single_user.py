"""Assign a message in a session of one person and an agent.

The session stays on its thread until the person leaves the subject. A message that clearly leaves
goes at once. One that may leave is held, and goes only if the person's next message leaves too:
an aside opens no thread. A rule that has nothing to do with the thread gets one of its own, and the
session goes on where it was.

A new session may resume a thread of an earlier one, as long as it has no subject of its own. One
shared word is not enough: that can be chance.
"""

from dataclasses import dataclass

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
from ai_smartness.text.stopwords import EVERYDAY_SHARE, conversation_share

__all__ = ["resumed_placement", "single_user_placement"]


RELATED_SIMILARITY = 0.55  # by reading: foreign rules have up to 0.5, as all short sentences do
STEM_CHARACTERS = 5  # of a word, so that `invoices` is found in a thread about an invoice


def single_user_placement(case: AssignmentCase, current: str) -> Placement:
    """Decide whether a person's message continues the session's thread."""
    held = bool(case.session.held_messages)
    staying = _stay_evidence(case, case.state.threads[current])
    stay = evidence_total(staying)
    if case.message.words < case.weights.min_words:
        # A short message answers the one before it, and is held with it.
        return Placement(current, "continues", stay, stay, staying, held=held)
    leaving = tuple((name, -value) for name, value in staying)
    if case.message.is_rule and not held and _is_unrelated(case, case.state.threads[current]):
        return Placement(None, "rule", -stay, -stay, leaving)
    if stay > 0:
        return Placement(current, "continues", stay, stay, staying)
    # One message is enough to leave if it is long and clear; else the next one decides.
    is_clear = -stay >= case.weights.sure and case.message.words >= case.weights.sure_words
    if not held and not is_clear:
        return Placement(current, "continues", stay, stay, staying, held=True)
    return _return_placement(case, current, stay) or Placement(
        None, "opens", -stay, -stay, leaving, takes_held=held
    )


def _is_unrelated(case: AssignmentCase, thread: OpenThread) -> bool:
    """Say whether a rule has neither words nor meaning in common with a thread.

    A rule is short, so the evidence for leaving never adds up, however foreign it is.
    """
    vector = case.message.vector
    if vector is not None and recent_similarity(case, vector, thread) >= RELATED_SIMILARITY:
        return False
    subject = {
        term[:STEM_CHARACTERS]
        for term in case.message.terms
        if conversation_share(term) < EVERYDAY_SHARE
    }
    return subject.isdisjoint(term[:STEM_CHARACTERS] for term in thread.terms)


def _return_placement(case: AssignmentCase, current: str, stay: float) -> Placement | None:
    """Return to the session's older thread that matches best, if it matches well enough."""
    candidates = [
        (evidence_total(evidence), thread_id, evidence)
        for thread_id in session_candidates(case)
        if thread_id != current
        for evidence in [_stay_evidence(case, case.state.threads[thread_id])]
    ]
    if not candidates:
        return None
    score, thread_id, evidence = max(candidates, key=lambda candidate: candidate[:2])
    # After a single question on the current thread, that one was most likely an aside.
    aside = case.state.threads[current].questions <= 1
    needed = case.weights.back_aside if aside else case.weights.back
    if score < needed:
        return None
    margin = score - max(stay, needed)
    return Placement(
        thread_id, "returns", score, margin, evidence, takes_held=bool(case.session.held_messages)
    )


def _stay_evidence(case: AssignmentCase, thread: OpenThread) -> Evidence:
    """Weigh the evidence for staying on a thread; negative values speak for leaving."""
    weights = case.weights
    words = term_overlap(case, thread.recent_terms)
    vectors = _vector_evidence(case, thread)
    return (
        ("leave", -weights.leave if vectors else weights.stay_blind - weights.leave),
        ("length", -weights.leave_length * sentence_length(case)),
        ("untold", -weights.leave_untold * words.unknown),
        ("cover", weights.stay_cover * words.cover),
        ("shared", weights.stay_shared * words.shared),
        *vectors,
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


OPENING_QUESTIONS = 2  # the second question may name the subject when the first was only a greeting


@dataclass(frozen=True, slots=True)
class _PointerWeights:
    """How specific each term of a message is to few threads."""

    weight: dict[str, float]
    total: float
    in_few_threads: list[str]


def resumed_placement(case: AssignmentCase) -> Placement | None:
    """Find the thread of another session that this session's first questions resume."""
    if case.message.words < case.weights.min_words or not _has_no_subject(case):
        return None
    pointers = _pointer_weights(case)
    threads = [case.state.threads[thread_id] for thread_id in _resume_candidates(case)]
    kin = [
        (kinship, kinship - needed, thread.id)
        for thread in threads
        for kinship, needed in [
            (_kinship(case, thread, pointers), _kinship_threshold(case, thread))
        ]
        if kinship >= needed
    ]
    if not kin:
        return None
    best, margin, thread_id = max(kin)
    return Placement(thread_id, "returns", best, margin, (("kinship", best),))


def _resume_candidates(case: AssignmentCase) -> list[str]:
    ids = case.state.threads_by_words(case.term_weights, case.weights.candidates_words)
    if case.message.vector is not None:
        ids += case.state.threads_by_vector(case.message.vector, case.weights.candidates_vector)
    return [id_ for id_ in dict.fromkeys(ids) if id_ not in case.session.thread_last_message]


def _has_no_subject(case: AssignmentCase) -> bool:
    """Say whether the session has not shown a subject yet."""
    current = case.session.current_thread
    if current is None:
        return True
    terms = len(case.state.threads[current].terms)
    return case.session.questions < OPENING_QUESTIONS and terms < case.weights.new_words


def _kinship_threshold(case: AssignmentCase, thread: OpenThread) -> float:
    """Return the threshold, which is higher while another session works on the thread."""
    if case.message.minute - thread.minute < case.weights.live_minutes:
        return case.weights.kin_live
    return case.weights.kin_words if case.message.vector is None else case.weights.kin


def _kinship(case: AssignmentCase, thread: OpenThread, pointers: _PointerWeights) -> float:
    words = _pointer_share(case, thread, pointers)
    vector = case.message.vector
    if vector is None or thread.centre is None:
        return words
    centre = vector_similarity(case, vector, thread.centre)
    return ((centre + recent_similarity(case, vector, thread)) / 2 + words) / 2


def _pointer_share(case: AssignmentCase, thread: OpenThread, pointers: _PointerWeights) -> float:
    """Measure the share of a message's specific terms that this thread has.

    Terms that no thread has used yet count in full against it: a new issue number is a new
    subject, however familiar the sentence around it.
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
