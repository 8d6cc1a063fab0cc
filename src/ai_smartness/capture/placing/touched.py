"""The threads of its own session that a message may belong to."""

from itertools import islice

from ai_smartness.capture.placing.measures import Case

__all__ = ["touched"]


def touched(case: Case) -> list[str]:
    """Name the session's latest threads, and those of its older ones that share rare words."""
    seat, rules = case.seat, case.rules
    recent = islice(reversed(seat.touched), rules.candidates_recent)
    by_words = case.board.by_words(case.told, rules.candidates_words)
    older = (name for name in by_words if name in seat.touched)
    return list(dict.fromkeys([*recent, *older]))
