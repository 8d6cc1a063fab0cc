"""Propose how to split a thread: which messages are about something else, and their titles.

The conversation is cut where its subject changes. The cut is optimal: it gives up the least
pull between messages, and every new subject must be worth its penalty. The same messages
always give the same cut. The main subject stays on the thread, so it is never left empty; a
thread about one subject has no proposal.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice, pairwise
from math import ceil
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai_smartness.describe.description import ThreadDescriber, described_line
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.split import SplitPart
from ai_smartness.text.keywords import extract_keywords
from ai_smartness.threads.cohesion import Cohesion, PullRules, Vectors
from ai_smartness.threads.subject_change import announces_subject

__all__ = ["SegmentMessage", "SegmentRules", "proposed_parts", "segment_messages", "topic_segments"]

_Numbers: TypeAlias = NDArray[np.float64]

LEAST_MESSAGES = 4  # two subjects of two messages each; a shorter thread needs no split
READ_CHARACTERS = 1_000
READ_WORDS = 80  # how much of a message is read: the rest of a long output adds time and no subject
JOINING_PULL = 0.04
"""Stretches whose messages pull each other more than this, on average, are one subject that came
back. This joins the halves of a subject in seven cases of ten, and two subjects in one of eight;
0 would join nine, but also one of four."""

MOST_STRETCHES = 100  # the longest ones are searched for subjects that came back; the others stay
MOST_GROUPS = 6  # nobody can look over, name and confirm more at once
DESCRIBED_MESSAGES = 40  # first and latest ones that title a long group


@dataclass(frozen=True, slots=True)
class SegmentMessage:
    """The words of a message, whether a person wrote it, and whether it cannot begin a subject.

    `goes_on` marks messages that need the one before: the result of a call. `announces` marks
    those by which a person says that something else comes next.
    """

    words: Sequence[str]
    by_person: bool = True
    goes_on: bool = False
    announces: bool = False


@dataclass(frozen=True, slots=True)
class SegmentRules:
    """When the subject changes.

    Messages are counted as if two made a turn, a request and its answer. If an agent needs
    twelve for one, every length in messages is six times as long, and so is the penalty. The
    reasons give Pk for dialogues; these values give .24.
    """

    pull: PullRules = field(default_factory=PullRules)

    fades_messages: float = 4.0
    """After this many messages a pull is down to a third. With 3 there is too little to go by
    (.26); with 8 the parts of a long subject are strangers to each other (.27)."""

    reach_fades: float = 3.0  # how far back a message is compared; 4 change nothing
    penalty: float = 0.17
    """What a new subject must gain. With .12 every fifth single subject is cut; with .24 one in
    sixty, and changes go unseen (.28)."""

    penalty_by_words: float = 0.3  # without vectors; with .24 three single subjects of ten are cut
    unprompted: float = 2.0
    """How many penalties a subject costs that no person's message begins. From 1 to 5 little
    changes; a person who confirms a cut expects it at their own message."""

    announced: float = 0.0
    """The same if a person says that something else comes next ("let's move on to …")."""

    longest_turn_messages: float = 16.0  # an agent left alone may change the subject too
    least_messages: int = 2  # a subject has a message and an answer; one odd line is none


def proposed_parts(
    events: Sequence[Event],
    vectors: Vectors,
    unrelated_cosine: float,
    taken_titles: Collection[str] = (),
    rules: SegmentRules | None = None,
) -> tuple[SplitPart, ...]:
    """Propose the groups that should leave a thread, in the order in which they begin.

    `vectors` has one entry for each event, or none at all. A call and its result stay together.
    """
    if len(events) < LEAST_MESSAGES:
        return ()
    rules = rules or SegmentRules()
    messages = segment_messages(events)
    cohesion = _message_cohesion(messages, vectors, unrelated_cosine, rules)
    segments = _cohesive_segments(messages, cohesion, rules)
    if len(segments) == 1:
        return ()
    stretches = sorted(sorted(segments, key=len, reverse=True)[:MOST_STRETCHES], key=min)
    groups = [
        [message for number in joined for message in stretches[number]]
        for joined in _joined_stretches(*cohesion.pull_between(stretches))
    ]
    main, *others = sorted(groups, key=len, reverse=True)
    leaving = sorted(others[:MOST_GROUPS], key=min)
    event_groups = [[events[number] for number in group] for group in [*leaving, main]]
    titles = _group_titles(event_groups, taken_titles)
    return tuple(
        SplitPart(title, tuple(event.id for event in group))
        for title, group in zip(titles[:-1], event_groups[:-1], strict=True)
    )


def topic_segments(
    messages: Sequence[SegmentMessage],
    vectors: Vectors,
    unrelated_cosine: float,
    rules: SegmentRules | None = None,
) -> list[range]:
    """Cut the messages into stretches on one subject each, in their order.

    `unrelated_cosine` is the embedder's cosine of unrelated texts. A message without a
    vector is compared by its words.
    """
    rules = rules or SegmentRules()
    cohesion = _message_cohesion(messages, vectors, unrelated_cosine, rules)
    return _cohesive_segments(messages, cohesion, rules)


def segment_messages(events: Sequence[Event]) -> list[SegmentMessage]:
    """Return the words and the role of each event of a thread."""
    return [
        SegmentMessage(
            words=[*islice(extract_keywords(event.text[:READ_CHARACTERS]), READ_WORDS)],
            by_person=event.type is EventType.USER_MESSAGE,
            goes_on=goes_on,
            announces=event.type is EventType.USER_MESSAGE and announces_subject(event.text),
        )
        for event, goes_on in zip(events, _within_calls(events), strict=True)
    ]


def _within_calls(events: Sequence[Event]) -> list[bool]:
    """Say for each event whether it comes between a call and its result, or is the result.

    A result belongs to the latest call without one; a call without a result binds nothing.
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


def _message_cohesion(
    messages: Sequence[SegmentMessage],
    vectors: Vectors,
    unrelated_cosine: float,
    rules: SegmentRules,
) -> Cohesion:
    words = [message.words for message in messages]
    return Cohesion(words, vectors, unrelated_cosine, rules.pull)


def _cohesive_segments(
    messages: Sequence[SegmentMessage], cohesion: Cohesion, rules: SegmentRules
) -> list[range]:
    if not messages:
        return []
    pace = _turn_pace(messages, rules)
    fades = rules.fades_messages * pace
    reach = max(1, min(ceil(rules.reach_fades * fades), len(messages) - 1))
    ties: _Numbers = cohesion.pull_to_earlier(reach) * np.exp(-np.arange(reach) / fades)
    costs = _start_costs(cohesion, messages, rules) * pace
    costs[0] = 0.0
    starts = _segment_starts(ties, costs, rules)
    return [range(start, end) for start, end in pairwise([*starts, len(messages)])]


def _turn_pace(messages: Sequence[SegmentMessage], rules: SegmentRules) -> float:
    """Return by how much a turn is longer than a request and an answer."""
    prompts = sum(message.by_person for message in messages)
    turn = min(len(messages) / max(1, prompts), rules.longest_turn_messages)
    return max(1.0, turn / 2)


def _start_costs(
    cohesion: Cohesion, messages: Sequence[SegmentMessage], rules: SegmentRules
) -> _Numbers:
    """Return the cost of beginning a subject at each message."""
    factors = [_cost_factor(message, rules) for message in messages]
    share = cohesion.embedded_share
    penalty = share * rules.penalty + (1 - share) * rules.penalty_by_words
    costs: _Numbers = np.array(factors) * penalty
    return costs


def _cost_factor(message: SegmentMessage, rules: SegmentRules) -> float:
    """Return how many penalties a subject costs that this message begins."""
    if message.goes_on:
        return np.inf
    if message.announces:
        return rules.announced
    return 1.0 if message.by_person else rules.unprompted


def _segment_starts(ties: _Numbers, costs: _Numbers, rules: SegmentRules) -> list[int]:
    """Choose the cuts by trying, for each end, every start of the last subject."""
    count, reach = ties.shape
    worth = np.full(count + 1, -np.inf)
    worth[0] = 0.0
    pull_inside = np.zeros(count)
    before = [0] * (count + 1)
    for here in range(count):
        gained = np.cumsum(ties[here, : min(reach, here)])[::-1]
        first = here - len(gained)
        pull_inside[first:here] += gained
        pull_inside[:first] += gained[0] if len(gained) else 0.0
        starts = here + 2 - rules.least_messages
        if starts > 0:
            gains = worth[:starts] + pull_inside[:starts] - costs[:starts]
            before[here + 1] = int(np.argmax(gains))
            worth[here + 1] = gains[before[here + 1]]
    path = [before[-1]]
    while path[-1] > 0:
        path.append(before[path[-1]])
    return path[::-1]


def _joined_stretches(pulls: _Numbers, pairs: _Numbers) -> list[list[int]]:
    """Join the two groups that pull each other most, until no two do enough."""
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


def _group_titles(groups: Sequence[Sequence[Event]], taken_titles: Collection[str]) -> list[str]:
    """Title each group by what sets it apart from the others."""
    describer = ThreadDescriber()
    for number, events in enumerate(groups):
        latest = max(DESCRIBED_MESSAGES, len(events) - DESCRIBED_MESSAGES)
        for event in [*events[:DESCRIBED_MESSAGES], *events[latest:]]:
            describer.add(str(number), described_line(event))
    titles = list[str]()
    used = set(taken_titles)
    for number in range(len(groups)):
        titles.append(describer.description_of(str(number), taken_titles=used).title)
        used.add(titles[-1])
    return titles
