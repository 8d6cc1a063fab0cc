"""One person and an agent: the subject stays until the person leaves it.

A message that clearly leaves goes at once. One that seems to is held, and goes
only if the person's next message leaves as well: an aside opens no thread.
"""

from ai_smartness.capture.placing.measures import Case, length, nearest, overlap, similarity
from ai_smartness.capture.placing.open_thread import OpenThread
from ai_smartness.capture.placing.touched import touched
from ai_smartness.capture.placing.why import Evidence, Placement, total

__all__ = ["placed_alone"]


def placed_alone(case: Case, current: str) -> Placement:
    """Decide whether a person's message continues the session's thread."""
    held = bool(case.seat.held)
    staying = _staying(case, case.board.threads[current])
    stay = total(staying)
    if case.message.words < case.rules.min_words:
        # It answers what came before it, and shares the fate of what is held.
        return Placement(current, "continues", stay, stay, staying, held=held)
    if stay > 0:
        return Placement(current, "continues", stay, stay, staying)
    if not held and not _is_clear(case, -stay):
        return Placement(current, "continues", stay, stay, staying, held=True)
    return _gone_back(case, current, stay) or Placement(
        None, "opens", -stay, -stay, _against(staying), takes_held=held
    )


def _is_clear(case: Case, leave: float) -> bool:
    """Tell whether one message is enough to leave a thread."""
    return leave >= case.rules.sure and case.message.words >= case.rules.sure_words


def _gone_back(case: Case, current: str, stay: float) -> Placement | None:
    """Find the older thread of this session that wants the message."""
    wanting = [
        (total(evidence), name, evidence)
        for name in touched(case)
        if name != current
        for evidence in [_staying(case, case.board.threads[name])]
    ]
    if not wanting:
        return None
    score, name, evidence = max(wanting, key=lambda each: each[:2])
    # After a single question elsewhere, that one was most likely an aside.
    aside = case.board.threads[current].questions <= 1
    needed = case.rules.back_aside if aside else case.rules.back
    if score < needed:
        return None
    margin = score - max(stay, needed)
    return Placement(name, "returns", score, margin, evidence, takes_held=bool(case.seat.held))


def _staying(case: Case, thread: OpenThread) -> Evidence:
    """Weigh what speaks for a message being on a thread; what is negative, for leaving it."""
    rules = case.rules
    words = overlap(case, thread.heard)
    meaning = _meaning(case, thread)
    return (
        ("leave", -rules.leave if meaning else rules.stay_blind - rules.leave),
        ("length", -rules.leave_length * length(case)),
        ("untold", -rules.leave_untold * words.untold),
        ("cover", rules.stay_cover * words.cover),
        ("shared", rules.stay_shared * words.shared),
        *meaning,
    )


def _meaning(case: Case, thread: OpenThread) -> Evidence:
    vector = case.message.vector
    if vector is None or thread.last is None or thread.subject is None:
        return ()
    return (
        ("last", case.rules.stay_last * similarity(case, vector, thread.last)),
        ("near", case.rules.stay_near * nearest(case, vector, thread)),
        ("subject", case.rules.stay_subject * similarity(case, vector, thread.subject)),
    )


def _against(evidence: Evidence) -> Evidence:
    return tuple((name, -value) for name, value in evidence)
