"""How a message stands to a thread: each measure from 0, nothing, to 1."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ai_smartness.capture.placing.board import Board, Told
from ai_smartness.capture.placing.incoming import Incoming
from ai_smartness.capture.placing.open_thread import OpenThread
from ai_smartness.capture.placing.rules import PlaceRules
from ai_smartness.capture.placing.seat import Seat

if TYPE_CHECKING:
    from collections.abc import Container

    from ai_smartness.capture.placing.incoming import Vector

__all__ = ["Case", "Overlap", "length", "nearest", "overlap", "similarity"]


@dataclass(frozen=True, slots=True)
class Case:
    """A message and all that is known when its thread is chosen."""

    message: Incoming
    board: Board
    seat: Seat
    rules: PlaceRules
    told: Told


@dataclass(frozen=True, slots=True)
class Overlap:
    """What of a message's words was heard before."""

    cover: float
    """The share of its information that is known."""
    shared: float
    """The rare words in common, saturating."""
    untold: float
    """How much it says that is not known, saturating."""


def overlap(case: Case, heard: "Container[str]") -> Overlap:
    """Compare a message's words with words heard before."""
    known = _sum_of(case.told.idf, heard)
    rare = _sum_of(case.told.rare, heard)
    untold = max(0.0, case.told.total - known)
    return Overlap(
        cover=known / (known + untold) if known else 0.0,
        shared=rare / (rare + case.rules.shared_half),
        untold=untold / (untold + case.rules.untold_half),
    )


def _sum_of(weights: dict[str, float], heard: "Container[str]") -> float:
    # The inmost loop of placing, for every word and every thread: kept out of bytecode, and in
    # the message's order, so that the sum is the same in every process.
    return sum(map(weights.__getitem__, filter(heard.__contains__, weights)))


def length(case: Case) -> float:
    """Measure how near a message comes to a whole sentence."""
    return min(1.0, case.message.words / case.rules.new_words)


def similarity(case: Case, one: "Vector", other: "Vector") -> float:
    """Measure how close two texts are, on the scale of this embedding model."""
    return _scaled(case, float(one @ other))


def nearest(case: Case, vector: "Vector", thread: OpenThread) -> float:
    """Measure how close a text is to the closest of a thread's recent messages."""
    recent = (*thread.asked, *thread.answered)
    return _scaled(case, max((float(vector @ each) for each in recent), default=0.0))


def _scaled(case: Case, cosine: float) -> float:
    unrelated = case.rules.unrelated_cosine
    return min(1.0, max(0.0, (cosine - unrelated) / (1 - unrelated)))
