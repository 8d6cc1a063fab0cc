"""Assign a message in a room of named speakers, or one whose session is unknown.

Every recent thread is weighed against the others and against a new one: who answers whom, and
about what.
"""

import math
from collections.abc import Iterable

from ai_smartness.capture.assign.scoring import (
    AssignmentCase,
    Evidence,
    Placement,
    PlacementReason,
    evidence_total,
    recent_similarity,
    sentence_length,
    session_candidates,
    term_overlap,
    vector_similarity,
)
from ai_smartness.capture.assign.state import OpenThread

__all__ = ["multi_speaker_placement"]

PARTNER_HALF_LIFE_MESSAGES = 20
"""After so many more messages, having taken part in a thread counts half."""


def multi_speaker_placement(case: AssignmentCase) -> Placement:
    """Choose among the room's threads and a new one."""
    opening = _nonzero_evidence(_new_thread_evidence(case))
    new = evidence_total(opening)
    current = case.session.current_thread
    weighed = [
        (thread_id, _nonzero_evidence(_thread_evidence(case, case.state.threads[thread_id])))
        for thread_id in session_candidates(case)
    ]
    if not weighed:
        return Placement(None, "opens", new, 0.0, opening)
    thread_id, evidence = max(
        weighed, key=lambda pair: (evidence_total(pair[1]), pair[0] == current, pair[0])
    )
    score = evidence_total(evidence)
    if score < new:
        return Placement(None, "opens", new, new - score, opening)
    reason: PlacementReason = "continues" if thread_id == current else "returns"
    return Placement(thread_id, reason, score, score - new, evidence)


def _nonzero_evidence(evidence: Iterable[tuple[str, float]]) -> Evidence:
    return tuple((name, value) for name, value in evidence if value)


def _new_thread_evidence(case: AssignmentCase) -> list[tuple[str, float]]:
    """Weigh the evidence for a new thread."""
    message, session, weights = case.message, case.session, case.weights
    evidence = [
        ("new", weights.new if message.vector is not None else weights.new - weights.blind),
        ("new_length", weights.new_length * sentence_length(case)),
    ]
    if message.by_agent:
        silent = (
            session.last_minute is None
            or message.minute - session.last_minute > weights.silence_minutes
        )
        after = weights.new_by_agent_after if silent else 0.0
        evidence.append(("new_by_agent", weights.new_by_agent + after))
    if message.speaker is not None:
        unheard = (
            message.speaker not in session.last_thread_by_speaker
            and message.speaker not in session.last_thread_by_addressee
        )
        evidence.append(("new_speaker", weights.new_speaker * unheard))
        evidence.append(("new_to_all", weights.new_to_all * (not message.addressed)))
    return evidence


def _thread_evidence(case: AssignmentCase, thread: OpenThread) -> list[tuple[str, float]]:
    """Weigh the evidence for one of the room's threads."""
    speaker = case.message.speaker
    evidence = [*_recency_evidence(case, thread), *_content_evidence(case, thread)]
    if speaker is not None:
        evidence += _speaker_evidence(case, thread, speaker)
        if case.message.addressed:
            evidence += _addressee_evidence(case, thread, speaker)
    return evidence


def _recency_evidence(case: AssignmentCase, thread: OpenThread) -> list[tuple[str, float]]:
    message, session, weights = case.message, case.session, case.weights
    here = weights.current if message.speaker is not None else weights.current + weights.alone
    since = session.messages - session.thread_last_message[thread.id]
    minutes = max(0.0, message.minute - thread.minute)
    return [
        ("current", here * (thread.id == session.current_thread)),
        ("recent", -weights.recent * math.log2(1 + since)),
        ("gap", -weights.gap * math.log2(1 + minutes)),
        (
            "answers",
            weights.answers * (message.by_agent and session.last_question_thread == thread.id),
        ),
    ]


def _content_evidence(case: AssignmentCase, thread: OpenThread) -> list[tuple[str, float]]:
    weights, vector = case.weights, case.message.vector
    words = term_overlap(case, thread.terms)
    # Shared words say more about an older thread.
    older = 0.0 if thread.id == case.session.current_thread else weights.shared_older
    evidence = [
        ("shared", (weights.shared + older) * words.shared),
        ("cover", weights.cover * words.cover),
    ]
    if vector is not None and thread.last_vector is not None:
        evidence += [
            ("last", weights.last * vector_similarity(case, vector, thread.last_vector)),
            ("near", weights.near * recent_similarity(case, vector, thread)),
        ]
    return evidence


def _speaker_evidence(
    case: AssignmentCase, thread: OpenThread, speaker: str
) -> list[tuple[str, float]]:
    session, weights = case.session, case.weights
    return [
        ("spoke", weights.spoke * (session.last_thread_by_speaker.get(speaker) == thread.id)),
        ("takes_part", weights.takes_part * (speaker in thread.speakers)),
        ("told", weights.told * (session.last_thread_by_addressee.get(speaker) == thread.id)),
    ]


def _addressee_evidence(
    case: AssignmentCase, thread: OpenThread, speaker: str
) -> list[tuple[str, float]]:
    session, weights, addressed = case.session, case.weights, case.message.addressed
    last_heard = [thread.speakers[name] for name in addressed if name in thread.speakers]
    if not last_heard:
        return [("stranger", weights.stranger)]
    fresh = 0.5 ** ((case.state.message_count - max(last_heard)) / PARTNER_HALF_LIFE_MESSAGES)
    talked = any(
        (speaker, name) in thread.speaker_pairs or (name, speaker) in thread.speaker_pairs
        for name in addressed
    )
    last_here = any(session.last_thread_by_speaker.get(name) == thread.id for name in addressed)
    return [
        ("partner", weights.partner + weights.partner_fresh * fresh),
        ("spoken_to", weights.spoken_to * last_here),
        ("talked", weights.talked * talked),
    ]
