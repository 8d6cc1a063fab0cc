"""Which threads have changed their subject, and what should go.

A cut of the messages finds the parts; one is worth a thread of its own when it is
long enough, and as a whole far enough from what stays. How far the latest
messages are from those before, message by message, does not tell the two apart.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import sqrt
from operator import add
from typing import TYPE_CHECKING

from ai_smartness.describe.description import ThreadDescriber
from ai_smartness.describe.parse_message import ThreadLine
from ai_smartness.model.event import Event, is_by_agent
from ai_smartness.model.split import SplitPart
from ai_smartness.model.suggestion import SplitCandidate
from ai_smartness.model.thread import Status, Thread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ThreadMessages", "can_be_split", "largest_threads", "split_candidate"]

LEAST_MESSAGES = 12
"""Six turns: what is shorter is seen at a glance, whatever it is about."""

LEAST_DRIFT = 0.2
"""How far a part is from what stays, where any other text has 1. With the default model 3 of 40
coding sessions were to be split so, and 11 of 38 threads joined of two; without it 7 and 18."""

LEAST_SPREAD = 0.01
"""The way from the same to the unrelated for a model that tells nothing apart."""

DESCRIBED_MESSAGES = 40

LEAST_PART_MESSAGES = 4
"""Messages that are worth a thread of their own: two turns."""


@dataclass(frozen=True, slots=True, eq=False)
class ThreadMessages:
    """The messages of a thread in the order they were said, and the vector of each that has one."""

    events: Sequence[Event]
    vectors: "Sequence[NDArray[np.float32] | None]"

    @property
    def vector_sum(self) -> "NDArray[np.float32] | None":
        """The sum of the vectors."""
        known = [vector for vector in self.vectors if vector is not None]
        return reduce(add, known) if known else None

    def with_ids(self, ids: Collection[str]) -> "ThreadMessages":
        """Return some of the messages."""
        wanted = set(ids)
        both = [
            each for each in zip(self.events, self.vectors, strict=True) if each[0].id in wanted
        ]
        return ThreadMessages([event for event, _ in both], [vector for _, vector in both])


def can_be_split(thread: Thread) -> bool:
    """Say whether a thread is in use, and nobody took it apart on purpose."""
    return thread.status is not Status.ARCHIVED and not thread.split_locked


def largest_threads(
    threads: Iterable[Thread], counts: Mapping[str, int], most: int
) -> list[Thread]:
    """Return the threads that are long enough to have drifted, the longest first."""
    long = [thread for thread in threads if counts.get(thread.id, 0) >= LEAST_MESSAGES]
    return sorted(long, key=lambda thread: (-counts[thread.id], thread.id))[:most]


def split_candidate(
    thread: Thread, said: ThreadMessages, parts: Sequence[SplitPart], unrelated_cosine: float
) -> SplitCandidate | None:
    """Return what to split off, if any of the proposed parts is worth it."""
    leaving = {id_ for part in parts for id_ in part.messages}
    stays = said.with_ids([event.id for event in said.events if event.id not in leaving])
    worth = [
        part
        for part in parts
        if len(part.messages) >= LEAST_PART_MESSAGES
        and _subject_distance(said.with_ids(part.messages), stays, unrelated_cosine) >= LEAST_DRIFT
    ]
    if not worth:
        return None
    home, *subjects = _group_subjects([stays, *(said.with_ids(part.messages) for part in worth)])
    began = said.events[0].id in worth[0].messages
    before, after = (subjects[0], [home]) if began else (home, subjects)
    return SplitCandidate(
        thread_id=thread.id,
        reason=f"Thread drifted from '{before}' to {_quoted_list(after)}",
        topics_to_split=tuple(subjects),
        messages=tuple(part.messages for part in worth),
    )


def _group_subjects(groups: "Sequence[ThreadMessages]") -> list[str]:
    """Name what each group of messages is about, by what sets it apart from the others."""
    notebook = ThreadDescriber()
    for number, group in enumerate(groups):
        for event in group.events[:DESCRIBED_MESSAGES]:
            line = ThreadLine(event.role, event.text, by_agent=is_by_agent(event))
            notebook.add(str(number), line)
    described = [notebook.description_of(str(number)) for number in range(len(groups))]
    return [_topic_phrase(each.topics) or each.title for each in described]


def _topic_phrase(topics: Sequence[str]) -> str | None:
    """Return the first topic of several words, else the first."""
    return next((topic for topic in topics if " " in topic), next(iter(topics), None))


def _subject_distance(
    one: "ThreadMessages", other: "ThreadMessages", unrelated_cosine: float
) -> float:
    """Measure how far two subjects are from each other, 0–1; what has no vectors is not known."""
    mine, theirs = one.vector_sum, other.vector_sum
    if mine is None or theirs is None:
        return 0.0
    cosine = float(mine @ theirs) / sqrt(float(mine @ mine) * float(theirs @ theirs) or 1.0)
    return (1.0 - cosine) / max(1.0 - unrelated_cosine, LEAST_SPREAD)


def _quoted_list(titles: Sequence[str]) -> str:
    *others, last = (f"'{title}'" for title in titles)
    return f"{', '.join(others)} and {last}" if others else last
