"""A room of named speakers, or messages whose session is unknown: who answers whom.

Every recent thread is weighed against the others and against a new one.
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
"""After so many further messages, having been heard on a thread counts half."""


def multi_speaker_placement(case: AssignmentCase) -> Placement:
    """Choose among the threads of the room, or a new one."""
    opening = _nonzero_evidence(_new_thread_evidence(case))
    new = evidence_total(opening)
    current = case.session.current_thread
    weighed = [
        (name, _nonzero_evidence(_thread_evidence(case, name))) for name in session_candidates(case)
    ]
    if not weighed:
        return Placement(None, "opens", new, 0.0, opening)
    name, evidence = max(
        weighed,
        key=lambda each: (evidence_total(each[1]), each[0] == current, each[0]),
    )
    score = evidence_total(evidence)
    if score < new:
        return Placement(None, "opens", new, new - score, opening)
    reason: PlacementReason = "continues" if name == current else "returns"
    return Placement(name, reason, score, score - new, evidence)


def _nonzero_evidence(evidence: Iterable[tuple[str, float]]) -> Evidence:
    return tuple((name, value) for name, value in evidence if value)


def _new_thread_evidence(case: AssignmentCase) -> list[tuple[str, float]]:
    """Weigh what speaks for a new thread."""
    message, seat, rules = case.message, case.session, case.weights
    found = [
        ("new", rules.new if message.vector is not None else rules.new - rules.blind),
        ("new_length", rules.new_length * sentence_length(case)),
    ]
    if message.by_agent:
        silent = (
            seat.last_minute is None or message.minute - seat.last_minute > rules.silence_minutes
        )
        after = rules.new_by_agent_after if silent else 0.0
        found.append(("new_by_agent", rules.new_by_agent + after))
    if message.speaker is not None:
        unheard = (
            message.speaker not in seat.last_thread_by_speaker
            and message.speaker not in seat.last_thread_by_addressee
        )
        found.append(("new_speaker", rules.new_speaker * unheard))
        found.append(("new_to_all", rules.new_to_all * (not message.addressed)))
    return found


def _thread_evidence(case: AssignmentCase, name: str) -> list[tuple[str, float]]:
    """Weigh what speaks for one of the room's threads."""
    thread = case.state.threads[name]
    found = [*_recency_evidence(case, thread), *_content_evidence(case, thread)]
    if case.message.speaker is not None:
        found += _speaker_evidence(case, thread, case.message.speaker)
    if case.message.speaker is not None and case.message.addressed:
        found += _addressee_evidence(case, thread, case.message.speaker)
    return found


def _recency_evidence(case: AssignmentCase, thread: OpenThread) -> list[tuple[str, float]]:
    message, seat, rules = case.message, case.session, case.weights
    here = rules.current if message.speaker is not None else rules.current + rules.alone
    since = seat.messages - seat.thread_last_message[thread.id]
    minutes = max(0.0, message.minute - thread.minute)
    return [
        ("current", here * (thread.id == seat.current_thread)),
        ("recent", -rules.recent * math.log2(1 + since)),
        ("gap", -rules.gap * math.log2(1 + minutes)),
        ("answers", rules.answers * (message.by_agent and seat.last_question_thread == thread.id)),
    ]


def _content_evidence(case: AssignmentCase, thread: OpenThread) -> list[tuple[str, float]]:
    rules, vector = case.weights, case.message.vector
    words = term_overlap(case, thread.terms)
    # Words in common say more about a thread one has to go back to.
    older = 0.0 if thread.id == case.session.current_thread else rules.shared_older
    found = [
        ("shared", (rules.shared + older) * words.shared),
        ("cover", rules.cover * words.cover),
    ]
    if vector is not None and thread.last_vector is not None:
        found += [
            ("last", rules.last * vector_similarity(case, vector, thread.last_vector)),
            ("near", rules.near * recent_similarity(case, vector, thread)),
        ]
    return found


def _speaker_evidence(
    case: AssignmentCase,
    thread: OpenThread,
    speaker: str,
) -> list[tuple[str, float]]:
    seat, rules = case.session, case.weights
    return [
        ("spoke", rules.spoke * (seat.last_thread_by_speaker.get(speaker) == thread.id)),
        ("takes_part", rules.takes_part * (speaker in thread.speakers)),
        ("told", rules.told * (seat.last_thread_by_addressee.get(speaker) == thread.id)),
    ]


def _addressee_evidence(
    case: AssignmentCase,
    thread: OpenThread,
    speaker: str,
) -> list[tuple[str, float]]:
    seat, rules, addressed = case.session, case.weights, case.message.addressed
    heard = [thread.speakers[name] for name in addressed if name in thread.speakers]
    if not heard:
        return [("stranger", rules.stranger)]
    fresh = 0.5 ** ((case.state.message_count - max(heard)) / PARTNER_HALF_LIFE_MESSAGES)
    talked = any(
        (speaker, name) in thread.speaker_pairs or (name, speaker) in thread.speaker_pairs
        for name in addressed
    )
    last_here = any(seat.last_thread_by_speaker.get(name) == thread.id for name in addressed)
    return [
        ("partner", rules.partner + rules.partner_fresh * fresh),
        ("spoken_to", rules.spoken_to * last_here),
        ("talked", rules.talked * talked),
    ]
