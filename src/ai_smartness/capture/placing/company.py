"""A room of named speakers, or messages whose session is unknown: who answers whom.

Every recent thread is weighed against the others and against a new one.
"""

import math
from collections.abc import Iterable

from ai_smartness.capture.placing.measures import Case, length, nearest, overlap, similarity
from ai_smartness.capture.placing.open_thread import OpenThread
from ai_smartness.capture.placing.touched import touched
from ai_smartness.capture.placing.why import Evidence, Placement, Reason, total

__all__ = ["placed_in_company"]

FRESH_HALF_MESSAGES = 20
"""After so many further messages, having been heard on a thread counts half."""


def placed_in_company(case: Case) -> Placement:
    """Choose among the threads of the room, or a new one."""
    opening = _weighty(_opening(case))
    new = total(opening)
    current = case.seat.current
    weighed = [(name, _weighty(_belonging(case, name))) for name in touched(case)]
    if not weighed:
        return Placement(None, "opens", new, 0.0, opening)
    name, evidence = max(weighed, key=lambda each: (total(each[1]), each[0] == current, each[0]))
    score = total(evidence)
    if score < new:
        return Placement(None, "opens", new, new - score, opening)
    reason: Reason = "continues" if name == current else "returns"
    return Placement(name, reason, score, score - new, evidence)


def _weighty(evidence: Iterable[tuple[str, float]]) -> Evidence:
    return tuple((name, value) for name, value in evidence if value)


def _opening(case: Case) -> list[tuple[str, float]]:
    """Weigh what speaks for a new thread."""
    message, seat, rules = case.message, case.seat, case.rules
    found = [
        ("new", rules.new if message.vector is not None else rules.new - rules.blind),
        ("new_length", rules.new_length * length(case)),
    ]
    if message.by_agent:
        silent = seat.minute is None or message.minute - seat.minute > rules.silence_minutes
        after = rules.new_by_agent_after if silent else 0.0
        found.append(("new_by_agent", rules.new_by_agent + after))
    if message.speaker is not None:
        unheard = message.speaker not in seat.said and message.speaker not in seat.told
        found.append(("new_speaker", rules.new_speaker * unheard))
        found.append(("new_to_all", rules.new_to_all * (not message.addressed)))
    return found


def _belonging(case: Case, name: str) -> list[tuple[str, float]]:
    """Weigh what speaks for one of the room's threads."""
    thread = case.board.threads[name]
    found = [*_standing(case, thread), *_content(case, thread)]
    if case.message.speaker is not None:
        found += _voice(case, thread, case.message.speaker)
    if case.message.speaker is not None and case.message.addressed:
        found += _address(case, thread, case.message.speaker)
    return found


def _standing(case: Case, thread: OpenThread) -> list[tuple[str, float]]:
    message, seat, rules = case.message, case.seat, case.rules
    here = rules.current if message.speaker is not None else rules.current + rules.alone
    since = seat.messages - seat.touched[thread.id]
    minutes = max(0.0, message.minute - thread.minute)
    return [
        ("current", here * (thread.id == seat.current)),
        ("recent", -rules.recent * math.log2(1 + since)),
        ("gap", -rules.gap * math.log2(1 + minutes)),
        ("answers", rules.answers * (message.by_agent and seat.asked == thread.id)),
    ]


def _content(case: Case, thread: OpenThread) -> list[tuple[str, float]]:
    rules, vector = case.rules, case.message.vector
    words = overlap(case, thread.terms)
    # Words in common say more about a thread one has to go back to.
    older = 0.0 if thread.id == case.seat.current else rules.shared_older
    found = [
        ("shared", (rules.shared + older) * words.shared),
        ("cover", rules.cover * words.cover),
    ]
    if vector is not None and thread.last is not None:
        found += [
            ("last", rules.last * similarity(case, vector, thread.last)),
            ("near", rules.near * nearest(case, vector, thread)),
        ]
    return found


def _voice(case: Case, thread: OpenThread, speaker: str) -> list[tuple[str, float]]:
    seat, rules = case.seat, case.rules
    return [
        ("spoke", rules.spoke * (seat.said.get(speaker) == thread.id)),
        ("takes_part", rules.takes_part * (speaker in thread.speakers)),
        ("told", rules.told * (seat.told.get(speaker) == thread.id)),
    ]


def _address(case: Case, thread: OpenThread, speaker: str) -> list[tuple[str, float]]:
    seat, rules, addressed = case.seat, case.rules, case.message.addressed
    heard = [thread.speakers[name] for name in addressed if name in thread.speakers]
    if not heard:
        return [("stranger", rules.stranger)]
    fresh = 0.5 ** ((case.board.messages - max(heard)) / FRESH_HALF_MESSAGES)
    talked = any(
        (speaker, name) in thread.talks or (name, speaker) in thread.talks for name in addressed
    )
    last_here = any(seat.said.get(name) == thread.id for name in addressed)
    return [
        ("partner", rules.partner + rules.partner_fresh * fresh),
        ("spoken_to", rules.spoken_to * last_here),
        ("talked", rules.talked * talked),
    ]
