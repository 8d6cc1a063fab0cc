"""How well the surroundings of a line match a query: the rest of its session, and its neighbours.

In a memory of many subjects a line that matches by chance stands in a session about other things.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.search.answer_lines import QuotedLine

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["surrounding_matches"]

COUNTED_MESSAGES = 3  # the best others of a session
NEIGHBOUR_DISTANCE = 2  # messages before and after
POOR_PERCENTILE = 10  # what a missing message is taken to match
NO_NEIGHBOUR = -1.0  # below a typical cosine
_DISTANCES = [d for d in range(-NEIGHBOUR_DISTANCE, NEIGHBOUR_DISTANCE + 1) if d]
PLACED_DISTANCES = (-1, -2, 1)
"""Neighbours that also count by their place: an answer follows what the query speaks of."""


_Matches = Mapping[int, float]
"""How well messages match, by `seq`."""


def surrounding_matches(
    lines: Sequence[QuotedLine], cosines: "NDArray[np.float32]"
) -> "NDArray[np.float32]":
    """Return columns: the best and the mean of a line's session, and its neighbours.

    Of these the best, then the message before, the one before that, and the one after.
    Only messages that offer lines count, and never the line's own. `cosines` are deviations.
    """
    poor = float(np.percentile(cosines, POOR_PERCENTILE))
    matches: dict[int, float] = {}
    sessions: defaultdict[tuple[str, str | None], set[int]] = defaultdict(set)
    for line, cosine in zip(lines, map(float, cosines), strict=True):
        seq = line.hit.seq
        matches[seq] = max(matches.get(seq, cosine), cosine)
        sessions[line.hit.project, line.hit.session].add(seq)
    best = {key: _best_messages(seqs, matches) for key, seqs in sessions.items()}
    return np.array(
        [
            (
                *_session_match(line.hit.seq, best[line.hit.project, line.hit.session], poor),
                *_neighbour_matches(line.hit.seq, matches),
            )
            for line in lines
        ],
        np.float32,
    )


def _best_messages(seqs: set[int], matches: _Matches) -> list[tuple[int, float]]:
    """Return the best messages of a session: one more than are counted, as one is the line's."""
    ordered = sorted(seqs, key=lambda seq: (-matches[seq], seq))
    return [(seq, matches[seq]) for seq in ordered[: COUNTED_MESSAGES + 1]]


def _session_match(own: int, best: Sequence[tuple[int, float]], poor: float) -> tuple[float, float]:
    others = [match for seq, match in best if seq != own][:COUNTED_MESSAGES]
    filled = [*others, *[poor] * (COUNTED_MESSAGES - len(others))]
    return filled[0], sum(filled) / COUNTED_MESSAGES


def _neighbour_matches(seq: int, matches: _Matches) -> tuple[float, ...]:
    best = max(matches.get(seq + distance, NO_NEIGHBOUR) for distance in _DISTANCES)
    return best, *(matches.get(seq + distance, NO_NEIGHBOUR) for distance in PLACED_DISTANCES)
