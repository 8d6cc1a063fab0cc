"""Find where the subject of a conversation changes.

The cut is the best of all: it gives up the least pull between messages, and
every new subject has to be worth its penalty. It changes nothing and takes no
chances: the same messages always give the same cut.

Propose how to split a thread: which messages are about something else, and under what title.

A proposal changes nothing. What the thread is mostly about stays with it, so it
is never left empty; a thread about one subject has no proposal.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice, pairwise
from math import ceil
from typing import TYPE_CHECKING

from ai_smartness.describe.description import ThreadDescriber
from ai_smartness.describe.parse_message import ThreadLine
from ai_smartness.model.event import Event, EventType, is_by_agent
from ai_smartness.model.split import SplitPart
from ai_smartness.text.keywords import extract_keywords
from ai_smartness.threads.cohesion import Cohesion, PullRules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


__all__ = [
    "SegmentMessage",
    "SegmentRules",
    "message_cohesion",
    "parted_messages",
    "proposed_parts",
    "segment_messages",
    "topic_segments",
]


@dataclass(frozen=True, slots=True)
class SegmentMessage:
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


def topic_segments(
    messages: Sequence[SegmentMessage],
    vectors: "Sequence[NDArray[np.float32] | None]",
    unrelated_cosine: float,
    rules: SegmentRules | None = None,
) -> list[range]:
    """Part the messages into stretches on one subject each, in their order.

    `unrelated_cosine` is what the embedder gives to texts that have nothing in
    common. A message without a vector goes by its words; so do all, given no vectors.
    """
    rules = rules or SegmentRules()
    return parted_messages(
        messages, message_cohesion(messages, vectors, unrelated_cosine, rules), rules
    )


def parted_messages(
    messages: Sequence[SegmentMessage], cohesion: Cohesion, rules: SegmentRules
) -> list[range]:
    """Part messages whose cohesion is known."""
    if not messages:
        return []
    starts = _segment_starts(
        _message_ties(cohesion, messages, rules), _start_costs(cohesion, messages, rules), rules
    )
    return [range(start, end) for start, end in pairwise([*starts, len(messages)])]


def message_cohesion(
    messages: Sequence[SegmentMessage],
    vectors: "Sequence[NDArray[np.float32] | None]",
    unrelated_cosine: float,
    rules: SegmentRules,
) -> Cohesion:
    """Measure the messages against each other."""
    return Cohesion([each.words for each in messages], vectors, unrelated_cosine, rules.pull)


def _message_ties(
    cohesion: Cohesion, messages: Sequence[SegmentMessage], rules: SegmentRules
) -> "NDArray[np.float64]":
    """Return the pull of the messages before each, the nearest first, fading with them."""
    import numpy as np

    fades = rules.fades_messages * _turn_pace(messages, rules)
    reach = max(1, min(ceil(rules.reach_fades * fades), len(messages) - 1))
    ties: NDArray[np.float64] = cohesion.pull_to_earlier(reach) * np.exp(-np.arange(reach) / fades)
    return ties


def _start_costs(
    cohesion: Cohesion, messages: Sequence[SegmentMessage], rules: SegmentRules
) -> "NDArray[np.float64]":
    """Return what it costs that each message begins a subject; nothing for the first."""
    import numpy as np

    factors = [
        np.inf if each.goes_on else 1.0 if each.by_person else rules.unprompted for each in messages
    ]
    share = cohesion.embedded_share
    penalty = share * rules.penalty + (1 - share) * rules.penalty_by_words
    costs = np.array(factors) * penalty * _turn_pace(messages, rules)
    costs[0] = 0.0
    return costs


def _turn_pace(messages: Sequence[SegmentMessage], rules: SegmentRules) -> float:
    """Return by how much a turn is longer than a request and an answer."""
    prompts = sum(each.by_person for each in messages)
    turn = min(len(messages) / max(1, prompts), rules.longest_turn_messages)
    return max(1.0, turn / 2)


def _segment_starts(
    ties: "NDArray[np.float64]", costs: "NDArray[np.float64]", rules: SegmentRules
) -> list[int]:
    """Choose the cuts by trying, for each end, every start of the last subject."""
    import numpy as np

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
    return _traced_starts(before)


def _traced_starts(before: Sequence[int]) -> list[int]:
    """Follow the starts back from the end."""
    starts = [before[-1]]
    while starts[-1] > 0:
        starts.append(before[starts[-1]])
    return starts[::-1]


LEAST_MESSAGES = 4
"""Two subjects of two messages each; what is shorter needs no splitting."""

READ_CHARACTERS = 1_000
READ_WORDS = 80
"""Of a message: the rest of a long output tells no more of the subject, and takes its time."""

JOINING_PULL = 0.04
"""Stretches whose messages pull each other more than this, on average, are one subject that came
back. Then the halves of a subject are joined in seven cases of ten, two subjects in one of eight;
at 0 it would be nine, but one of four."""

MOST_STRETCHES = 100
"""Looked at for subjects that came back, the longest first; the others stay."""

MOST_GROUPS = 6
"""More than a person can look over, name and confirm at once is no proposal."""

DESCRIBED_MESSAGES = 40
"""Of a long group, the first and the latest; its title is made of these."""


def proposed_parts(
    events: Sequence[Event],
    vectors: "Sequence[NDArray[np.float32] | None]",
    unrelated_cosine: float,
    taken_titles: Collection[str] = (),
    rules: SegmentRules | None = None,
) -> tuple[SplitPart, ...]:
    """Propose the groups that should leave a thread, in the order in which they begin.

    The vectors are those of the events, one each or none at all. No title is among
    those `taken`. A call and its result are never parted.
    """
    rules = rules or SegmentRules()
    if len(events) < LEAST_MESSAGES:
        return ()
    messages = segment_messages(events)
    cohesion = message_cohesion(messages, vectors, unrelated_cosine, rules)
    found = parted_messages(messages, cohesion, rules)
    if len(found) == 1:
        return ()
    stretches = sorted(sorted(found, key=len, reverse=True)[:MOST_STRETCHES], key=min)
    pulls, pairs = cohesion.pull_between(stretches)
    groups = [
        [message for number in joined for message in stretches[number]]
        for joined in _joined_stretches(pulls, pairs)
    ]
    largest = sorted(groups, key=len, reverse=True)
    leaving = sorted(largest[1 : MOST_GROUPS + 1], key=min)
    titles = _group_titles(
        [[events[n] for n in group] for group in [*leaving, largest[0]]], taken_titles
    )
    return tuple(
        SplitPart(title, tuple(events[n].id for n in group))
        for title, group in zip(titles, leaving, strict=False)
    )


def segment_messages(events: Sequence[Event]) -> list[SegmentMessage]:
    """Take from the events of a thread what finding its subjects goes by."""
    return [
        SegmentMessage(
            words=[*islice(extract_keywords(event.text[:READ_CHARACTERS]), READ_WORDS)],
            by_person=event.type is EventType.USER_MESSAGE,
            goes_on=goes_on,
        )
        for event, goes_on in zip(events, _within_calls(events), strict=True)
    ]


def _within_calls(events: Sequence[Event]) -> list[bool]:
    """Say of each event whether it comes between a call and its result, or is the result.

    A result is that of the latest call without one; a call that never had one binds nothing.
    """
    opens, closes = [0] * len(events), [0] * (len(events) + 1)
    calls = list[int]()
    for number, event in enumerate(events):
        if event.type is EventType.TOOL_CALL:
            calls.append(number)
        elif event.type is EventType.TOOL_RESULT and calls:
            opens[calls.pop() + 1] += 1
            closes[number + 1] += 1
    changes = (opened - closed for opened, closed in zip(opens, closes, strict=False))
    return [depth > 0 for depth in accumulate(changes)]


def _joined_stretches(
    pulls: "NDArray[np.float64]", pairs: "NDArray[np.float64]"
) -> list[list[int]]:
    """Join the two groups that pull each other most, until no two do enough."""
    import numpy as np

    groups = {number: [number] for number in range(len(pulls))}
    while len(groups) > 1:
        mean = np.divide(pulls, pairs, out=np.full_like(pulls, -np.inf), where=pairs > 0)
        mean[np.tril_indices(len(mean))] = -np.inf
        one, other = divmod(int(mean.argmax()), len(mean))
        if mean[one, other] <= JOINING_PULL:
            break
        groups[one] = sorted(groups[one] + groups.pop(other))
        for sums in (pulls, pairs):
            sums[one] += sums[other]
            sums[:, one] += sums[:, other]
            sums[other] = sums[:, other] = 0.0
    return [*groups.values()]


def _group_titles(groups: Sequence[Sequence[Event]], taken: Collection[str]) -> list[str]:
    """Name each group by what sets it apart from the others."""
    notebook = ThreadDescriber()
    for number, events in enumerate(groups):
        latest = max(DESCRIBED_MESSAGES, len(events) - DESCRIBED_MESSAGES)
        for event in [*events[:DESCRIBED_MESSAGES], *events[latest:]]:
            line = ThreadLine(event.role, event.text, by_agent=is_by_agent(event))
            notebook.add(str(number), line)
    titles = list[str]()
    used = set(taken)
    for number in range(len(groups)):
        titles.append(notebook.description_of(str(number), taken_titles=used).title)
        used.add(titles[-1])
    return titles
