"""Raise later lines that may change what one of the best lines says.

"Boarding closes 20 minutes ahead now" has hardly a word of the question when check-in closes, and
stands far below the line that it changes. A small linear model tells from two lines how likely the
later one changes the earlier: how near they are, whether both give values of one sort, words of
change, the speaker, how far apart they were said. The likeliest later line of each of the best
lines then stands above it. Neither is called outdated: the reader sees both with their dates.
`scripts/fit` fits the weights and prints what they mend for writers left out.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from math import exp, inf, log
from typing import TYPE_CHECKING, NamedTuple

from ai_smartness.model.search import RecalledLine
from ai_smartness.statements.change_words import changes_and_supposes
from ai_smartness.statements.pair_features import ComparedText, told_subject
from ai_smartness.statements.sentences import is_question
from ai_smartness.statements.typed_values import differing_sorts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["COMPARED_LINES", "LATER_WEIGHTS", "LaterLine", "later_line_pairs", "with_later_lines"]

BEST_LINES = 6  # of which some are shown
COMPARED_LINES = 60  # the best lines, among which later ones are looked for
NEAREST_LINES = 12  # later lines that are compared with one of the best
LEAST_CHANCE = 0.15  # mends two of five outdated lines, and raises one for every third prompt
RAISED_SHARE = 1.0001  # of the score of the line that it may change: right above it
MOST_SUBJECT_WORDS = 3
MOST_SCORE_SHARE = 1.5
FAR_MESSAGES = 8  # most likely another session
NEAR_MESSAGES = 3  # the same turn: an answer to it, and no change
KNOWN_TEXTS = 2_000
ROUNDING = 1e-6  # more than a level is off by the order of its summands
TINY = 1e-6  # keeps lines without vectors from dividing by nothing

LATER_WEIGHTS = {
    "deviation": 1.5,
    "change": 0.9,
    "values": 1.55,
    "subject": 0.7,
    "user": 2.4,
    "question": -1.45,
    "hypothesis": -0.65,
    "score": 0.55,
    "far": 2.3,
    "near": -1.65,
    "given up": 0.9,
    "named value": 1.45,
}
LATER_BIAS = -10.85
"""As `scripts/fit` prints them, rounded."""

_MOST_OF_WORDS = sum(
    max(0.0, LATER_WEIGHTS[name])
    for name in ("change", "values", "question", "hypothesis", "named value")
)
_MOST_OF_STEMS = MOST_SUBJECT_WORDS * max(0.0, LATER_WEIGHTS["subject"]) + max(
    0.0, LATER_WEIGHTS["given up"]
)
"""The most that the features of a pair's words add to its level, and those of their stems."""


class LaterLine(NamedTuple):
    """The places of a line and of a later one, and what is known of the pair."""

    older: int
    newer: int
    features: dict[str, float]

    @property
    def chance(self) -> float:
        """How likely the later line changes the earlier one."""
        level = sum(LATER_WEIGHTS[name] * value for name, value in self.features.items())
        return 1 / (1 + exp(-level - LATER_BIAS))


def with_later_lines(
    lines: Sequence[RecalledLine],
    vectors: "Mapping[tuple[int, int], NDArray[np.float32]]",
    outdated_ids: Collection[str] = (),
) -> tuple[RecalledLine, ...]:
    """Return lines, best first, with the likeliest later line of each of the best above it.

    A line that quotes a statement of `outdated_ids` is known to be outdated: it needs no other.
    """
    likeliest: dict[int, LaterLine] = {}
    chances: dict[int, float] = {}
    for pair in later_line_pairs(lines, vectors, LEAST_CHANCE):
        chance = pair.chance
        is_known = not set(outdated_ids).isdisjoint(lines[pair.older].statement_ids)
        if not is_known and chance > chances.get(pair.older, 0.0) and chance >= LEAST_CHANCE:
            likeliest[pair.older], chances[pair.older] = pair, chance
    scores = [line.score for line in lines]
    for pair in likeliest.values():
        scores[pair.newer] = max(scores[pair.newer], RAISED_SHARE * lines[pair.older].score)
    raised = [
        line if score == line.score else replace(line, score=score)
        for line, score in zip(lines, scores, strict=True)
    ]
    return tuple(sorted(raised, key=lambda line: (-line.score, -line.seq)))


def later_line_pairs(
    lines: Sequence[RecalledLine],
    vectors: "Mapping[tuple[int, int], NDArray[np.float32]]",
    least_chance: float = 0.0,
) -> Iterator[LaterLine]:
    """Yield the best lines with those said later that are nearest to them.

    With `least_chance`, many of the pairs that are less likely are left out.
    """
    level = log(least_chance / (1 - least_chance)) - ROUNDING if least_chance else -inf
    compared = lines[:COMPARED_LINES]
    rows = [vectors.get((line.seq, line.place)) for line in compared]
    if not any(row is not None for row in rows):
        return
    deviations = _deviations(rows)
    for place, line in enumerate(compared[:BEST_LINES]):
        if line.role == "tool" or rows[place] is None:
            continue
        later = [
            other
            for other, one in enumerate(compared)
            if one.seq > line.seq and one.role != "tool" and rows[other] is not None
        ]
        nearest = sorted((-float(deviations[place, other]), other) for other in later)
        for deviation, other in nearest[:NEAREST_LINES]:
            features = _pair_features(line, compared[other], -deviation, level)
            if features is not None:
                yield LaterLine(place, other, features)


def _deviations(rows: "Sequence[NDArray[np.float32] | None]") -> "NDArray[np.float32]":
    """Return how far the cosine of each of the best lines with a line is above its usual one."""
    import numpy as np

    size = next(len(row) for row in rows if row is not None)
    matrix = np.stack([np.zeros(size) if row is None else row for row in rows]).astype(np.float32)
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), TINY)
    cosines = matrix[:BEST_LINES] @ matrix.T
    mean, deviation = cosines.mean(axis=1), cosines.std(axis=1)
    return np.asarray((cosines - mean[:, None]) / np.maximum(deviation, TINY)[:, None], np.float32)


def _pair_features(
    older: RecalledLine, newer: RecalledLine, deviation: float, least_level: float
) -> dict[str, float] | None:
    """Return what is known of a pair; nothing if it cannot reach a level.

    What takes longest is looked at last: with most pairs it would make no difference.
    """
    features = _surroundings(older, newer, deviation)
    if _level_of(features) + _MOST_OF_WORDS + _MOST_OF_STEMS < least_level:
        return None
    before, after = _line_text(older.text), _line_text(newer.text)
    features |= _word_features(before, after)
    if _level_of(features) + _MOST_OF_STEMS < least_level:
        return None
    features["subject"] = float(min(MOST_SUBJECT_WORDS, len(told_subject(before, after))))
    features["given up"] = float(bool(after.given_up & before.stems))
    return {name: features[name] for name in LATER_WEIGHTS}


def _level_of(features: Mapping[str, float]) -> float:
    return LATER_BIAS + sum([LATER_WEIGHTS[name] * value for name, value in features.items()])


def _surroundings(older: RecalledLine, newer: RecalledLine, deviation: float) -> dict[str, float]:
    distance = newer.seq - older.seq
    share = newer.score / older.score if older.score else 0.0
    return {
        "deviation": deviation,
        "user": float(newer.role == "user"),
        "score": min(MOST_SCORE_SHARE, share),
        "far": float(distance > FAR_MESSAGES),
        "near": float(distance <= NEAR_MESSAGES),
    }


def _word_features(before: "_LineText", after: "_LineText") -> dict[str, float]:
    new_values = after.all_values - before.all_values
    return {
        "change": float(after.forms[0]),
        "values": float(bool(differing_sorts(before.text, after.text))),
        "question": after.asks,
        "hypothesis": float(after.forms[1]),
        "named value": float(bool(before.all_values & after.all_values and new_values)),
    }


class _LineText(ComparedText):
    """The text of a line, compared with several others."""

    @cached_property
    def forms(self) -> tuple[bool, bool]:
        """Whether it has words of change, and whether it only supposes something."""
        return changes_and_supposes(self.text)

    @cached_property
    def asks(self) -> float:
        """Whether it is a question."""
        return float(is_question(self.text))


_line_text = lru_cache(KNOWN_TEXTS)(_LineText)
