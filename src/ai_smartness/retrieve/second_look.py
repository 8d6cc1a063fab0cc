"""Look a second time at what was found, at where each message stands.

What a person said tells more than what an agent answered; a line next to a good
one, and a session with several, are likelier meant; of two alike, the later.
Each shifts the order by a small, bounded amount.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from ai_smartness.model.event import ANSWERING_ROLES
from ai_smartness.model.found import Match, Standing

__all__ = ["seen_again"]

PERSON_SHARE = 0.2
"""What a person's line gains. These four were chosen over five sets of conversations at once."""

NEIGHBOUR_SHARE = 0.2
"""What a person's line gains from the better of its neighbours: an answer names the thing."""

SESSION_SHARE = 0.1
"""What the lines of the session that was found most gain."""

RECENT_SHARE = 0.1
RECENT_HALF_LIFE_DAYS = 14
"""What a line of this moment gains, half of it two weeks later."""

_MOST = (1 + NEIGHBOUR_SHARE + SESSION_SHARE) * (1 + PERSON_SHARE) * (1 + RECENT_SHARE)


def seen_again(
    found: Sequence[Match], standing: Mapping[int, Standing], now: datetime
) -> list[Match]:
    """Return what was found in its new order, with scores of at most 1."""
    best = max((match.score for match in found), default=0.0) or 1.0
    scores = {match.seq: match.score / best for match in found}
    beside = _neighbours(scores, standing)
    sessions = _sessions(scores, standing)
    again = [
        Match(seq, _score(score, standing[seq], beside[seq], sessions, now) / _MOST)
        for seq, score in scores.items()
    ]
    return sorted(again, key=lambda match: (-match.score, match.seq))


def _score(
    score: float,
    stands: Standing,
    beside: float,
    sessions: Mapping[tuple[str, str | None], float],
    now: datetime,
) -> float:
    person = stands.role.casefold() not in ANSWERING_ROLES
    total = score + SESSION_SHARE * sessions[stands.project, stands.session]
    if person:
        total = (total + NEIGHBOUR_SHARE * beside) * (1 + PERSON_SHARE)
    # In whole days: the same question asked twice in a row gets the same answer to the letter.
    age_days = max(now - stands.at, timedelta(0)).days
    return float(total * (1 + RECENT_SHARE * 0.5 ** (age_days / RECENT_HALF_LIFE_DAYS)))


def _neighbours(scores: Mapping[int, float], standing: Mapping[int, Standing]) -> dict[int, float]:
    """Return for each event the score of the better of those found right beside it."""
    beside: dict[int, float] = dict.fromkeys(scores, 0.0)
    for seq in scores:
        previous = standing[seq].previous
        if previous is not None and previous in scores:
            beside[seq] = max(beside[seq], scores[previous])
            beside[previous] = max(beside[previous], scores[seq])
    return beside


def _sessions(
    scores: Mapping[int, float], standing: Mapping[int, Standing]
) -> dict[tuple[str, str | None], float]:
    """Return for each session how much of it was found, 1 for the one found most."""
    sums: dict[tuple[str, str | None], float] = defaultdict(float)
    for seq, score in scores.items():
        sums[standing[seq].project, standing[seq].session] += score
    most = max(sums.values(), default=0.0) or 1.0
    return {session: total / most for session, total in sums.items()}
