"""Propose how to split a thread: which messages are about something else, and under what title.

A proposal changes nothing. What the thread is mostly about stays with it, so it
is never left empty; a thread about one subject has no proposal.
"""

from collections.abc import Collection, Sequence
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from ai_smartness.model.event import Event, EventType, by_agent
from ai_smartness.model.split import Part
from ai_smartness.threads.describe import Line, Notebook
from ai_smartness.threads.segment import Said, SegmentRules, cohesion_of, parted
from ai_smartness.threads.telling import terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["as_said", "proposed"]

LEAST_MESSAGES = 4
"""Two subjects of two messages each; what is shorter needs no splitting."""

READ_CHARACTERS = 1_000
READ_WORDS = 80
"""Of a message: the rest of a long output tells no more of the subject, and takes its time."""

JOINS = 0.04
"""Stretches whose messages pull each other more than this, on average, are one subject that came
back. Then the halves of a subject are joined in seven cases of ten, two subjects in one of eight;
at 0 it would be nine, but one of four."""

MOST_STRETCHES = 100
"""Looked at for subjects that came back, the longest first; the others stay."""

MOST_GROUPS = 6
"""More than a person can look over, name and confirm at once is no proposal."""

DESCRIBED_MESSAGES = 40
"""Of a long group, the first and the latest; its title is made of these."""


def proposed(
    events: Sequence[Event],
    vectors: "Sequence[NDArray[np.float32] | None]",
    unrelated_cosine: float,
    taken: Collection[str] = (),
    rules: SegmentRules | None = None,
) -> tuple[Part, ...]:
    """Propose the groups that should leave a thread, in the order in which they begin.

    The vectors are those of the events, one each or none at all. No title is among
    those `taken`. A call and its result are never parted.
    """
    rules = rules or SegmentRules()
    if len(events) < LEAST_MESSAGES:
        return ()
    messages = as_said(events)
    cohesion = cohesion_of(messages, vectors, unrelated_cosine, rules)
    found = parted(messages, cohesion, rules)
    if len(found) == 1:
        return ()
    stretches = sorted(sorted(found, key=len, reverse=True)[:MOST_STRETCHES], key=min)
    pulls, pairs = cohesion.between(stretches)
    groups = [
        [message for number in joined for message in stretches[number]]
        for joined in _joined(pulls, pairs)
    ]
    largest = sorted(groups, key=len, reverse=True)
    leaving = sorted(largest[1 : MOST_GROUPS + 1], key=min)
    titles = _titles([[events[n] for n in group] for group in [*leaving, largest[0]]], taken)
    return tuple(
        Part(title, tuple(events[n].id for n in group))
        for title, group in zip(titles, leaving, strict=False)
    )


def as_said(events: Sequence[Event]) -> list[Said]:
    """Take from the events of a thread what finding its subjects goes by."""
    return [
        Said(
            words=[*islice(terms(event.text[:READ_CHARACTERS]), READ_WORDS)],
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


def _joined(pulls: "NDArray[np.float64]", pairs: "NDArray[np.float64]") -> list[list[int]]:
    """Join the two groups that pull each other most, until no two do enough."""
    import numpy as np  # noqa: PLC0415 - only when there is something to join

    groups = {number: [number] for number in range(len(pulls))}
    while len(groups) > 1:
        mean = np.divide(pulls, pairs, out=np.full_like(pulls, -np.inf), where=pairs > 0)
        mean[np.tril_indices(len(mean))] = -np.inf
        one, other = divmod(int(mean.argmax()), len(mean))
        if mean[one, other] <= JOINS:
            break
        groups[one] = sorted(groups[one] + groups.pop(other))
        for sums in (pulls, pairs):
            sums[one] += sums[other]
            sums[:, one] += sums[:, other]
            sums[other] = sums[:, other] = 0.0
    return [*groups.values()]


def _titles(groups: Sequence[Sequence[Event]], taken: Collection[str]) -> list[str]:
    """Name each group by what sets it apart from the others."""
    notebook = Notebook()
    for number, events in enumerate(groups):
        latest = max(DESCRIBED_MESSAGES, len(events) - DESCRIBED_MESSAGES)
        for event in [*events[:DESCRIBED_MESSAGES], *events[latest:]]:
            line = Line(event.role, event.text, by_agent=by_agent(event))
            notebook.add(str(number), line)
    titles = list[str]()
    used = set(taken)
    for number in range(len(groups)):
        titles.append(notebook.description(str(number), taken=used).title)
        used.add(titles[-1])
    return titles
