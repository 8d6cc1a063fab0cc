"""Find where the subject of a conversation changes.

The cut is the best of all: it gives up the least pull between messages, and
every new subject has to be worth its penalty. It changes nothing and takes no
chances: the same messages always give the same cut.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING

from ai_smartness.threads.cohesion import Cohesion, PullRules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Said", "SegmentRules", "cohesion_of", "parted", "segments"]


@dataclass(frozen=True, slots=True)
class Said:
    """What counts of a message here: its words, who said it, whether it must not begin a subject.

    `goes_on` is for what is nothing without the message before it: the result of a call.
    """

    words: Sequence[str]
    by_person: bool = True
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class SegmentRules:
    """What a change of subject takes.

    Messages are counted as if two made a turn, a request and its answer. Where an agent takes
    twelve for one, everything that is given in messages is six times as long, and so is the
    penalty. The reasons give Pk for dialogues, which is .24 as they are.
    """

    pull: PullRules = field(default_factory=PullRules)

    fades_messages: float = 4.0
    """After so many messages a pull is down to a third. With 3 there is too little to go by (.26),
    with 8 the parts of a long subject are strangers to each other (.27)."""

    reach_fades: float = 3.0
    """How far back a message is compared: beyond, a pull is under a twentieth. 4 change nothing."""

    penalty: float = 0.17
    """What a new subject must gain. With .12 every fifth single subject is cut, with .24 one in
    sixty, and changes go unseen (.28)."""

    penalty_by_words: float = 0.3
    """The same for messages without vectors. With .24 three single subjects of ten are cut."""

    unprompted: float = 2.0
    """How many penalties it takes when no person's message begins it. From 1 to 5 little changes;
    a person who is asked to confirm a cut expects it where they spoke."""

    longest_turn_messages: float = 16.0
    """Counts for longer ones: an agent left alone for a day may change the subject too."""

    least_messages: int = 2
    """A subject is something said and something answered; one odd line is none."""


def segments(
    messages: Sequence[Said],
    vectors: "Sequence[NDArray[np.float32] | None]",
    unrelated_cosine: float,
    rules: SegmentRules | None = None,
) -> list[range]:
    """Part the messages into stretches on one subject each, in their order.

    `unrelated_cosine` is what the embedder gives to texts that have nothing in
    common. A message without a vector goes by its words; so do all, given no vectors.
    """
    rules = rules or SegmentRules()
    return parted(messages, cohesion_of(messages, vectors, unrelated_cosine, rules), rules)


def parted(messages: Sequence[Said], cohesion: Cohesion, rules: SegmentRules) -> list[range]:
    """Part messages whose cohesion is known."""
    if not messages:
        return []
    starts = _starts(_ties(cohesion, messages, rules), _costs(cohesion, messages, rules), rules)
    return [range(start, end) for start, end in pairwise([*starts, len(messages)])]


def cohesion_of(
    messages: Sequence[Said],
    vectors: "Sequence[NDArray[np.float32] | None]",
    unrelated_cosine: float,
    rules: SegmentRules,
) -> Cohesion:
    """Measure the messages against each other."""
    return Cohesion([each.words for each in messages], vectors, unrelated_cosine, rules.pull)


def _ties(
    cohesion: Cohesion, messages: Sequence[Said], rules: SegmentRules
) -> "NDArray[np.float64]":
    """Return the pull of the messages before each, the nearest first, fading with them."""
    import numpy as np  # noqa: PLC0415 - not on the way to what needs no vectors

    fades = rules.fades_messages * _pace(messages, rules)
    reach = max(1, min(ceil(rules.reach_fades * fades), len(messages) - 1))
    ties: NDArray[np.float64] = cohesion.near(reach) * np.exp(-np.arange(reach) / fades)
    return ties


def _costs(
    cohesion: Cohesion, messages: Sequence[Said], rules: SegmentRules
) -> "NDArray[np.float64]":
    """Return what it costs that each message begins a subject; nothing for the first."""
    import numpy as np  # noqa: PLC0415

    factors = [
        np.inf if each.goes_on else 1.0 if each.by_person else rules.unprompted for each in messages
    ]
    share = cohesion.with_meaning
    penalty = share * rules.penalty + (1 - share) * rules.penalty_by_words
    costs = np.array(factors) * penalty * _pace(messages, rules)
    costs[0] = 0.0
    return costs


def _pace(messages: Sequence[Said], rules: SegmentRules) -> float:
    """Return by how much a turn is longer than a request and an answer."""
    prompts = sum(each.by_person for each in messages)
    turn = min(len(messages) / max(1, prompts), rules.longest_turn_messages)
    return max(1.0, turn / 2)


def _starts(
    ties: "NDArray[np.float64]", costs: "NDArray[np.float64]", rules: SegmentRules
) -> list[int]:
    """Choose the cuts by trying, for each end, every start of the last subject."""
    import numpy as np  # noqa: PLC0415

    count, reach = ties.shape
    worth = np.full(count + 1, -np.inf)
    worth[0] = 0.0
    held = np.zeros(count)
    before = [0] * (count + 1)
    for here in range(count):
        kept = np.cumsum(ties[here, : min(reach, here)])[::-1]
        first = here - len(kept)
        held[first:here] += kept
        held[:first] += kept[0] if len(kept) else 0.0
        starts = here + 2 - rules.least_messages
        if starts > 0:
            gains = worth[:starts] + held[:starts] - costs[:starts]
            before[here + 1] = int(np.argmax(gains))
            worth[here + 1] = gains[before[here + 1]]
    return _traced(before)


def _traced(before: Sequence[int]) -> list[int]:
    """Follow the starts back from the end."""
    starts = [before[-1]]
    while starts[-1] > 0:
        starts.append(before[starts[-1]])
    return starts[::-1]
