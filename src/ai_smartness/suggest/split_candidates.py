"""Suggest splits for threads that have changed their subject.

A cut of the messages gives the parts. A part is worth a thread of its own if it is long
enough and, as a whole, far enough from the rest. Comparing only the latest messages with
those before does not tell the two apart.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from ai_smartness.describe.description import ThreadDescriber, described_line
from ai_smartness.model.event import Event
from ai_smartness.model.split import SplitPart
from ai_smartness.model.suggestion import SplitCandidate
from ai_smartness.model.thread import Status, Thread
from ai_smartness.suggest.merge_candidates import joined_names
from ai_smartness.threads.decay import WHOLE_TAG
from ai_smartness.threads.drift import LEAST_SPREAD, cosine_of_sums
from ai_smartness.threads.subject_change import announces_subject

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ThreadMessages", "can_be_split", "largest_threads", "split_candidate"]

LEAST_MESSAGES = 12  # six turns: a shorter thread is understood at a glance, whatever it is about
LEAST_GAP = 0.08  # how much closer messages are within a part than to the rest, less the pull
MOST_PULL = -0.02  # between a part and the rest: those of one subject pull each other
LEAST_SHARE = 0.25
"""Of the thread, for all far parts together: a few messages of a long thread are an aside. With the
default model these three suggest a split for 12 of 167 coding sessions and 30 of 122 pairs of them;
the distance of the centres suggested 13 and 10 (`scripts/bench split`)."""

ANNOUNCED_DISTANCE = 0.1
"""The distance of the centres, for a part that somebody announced ("let's move on to …"); that of
unrelated texts is 1."""

DESCRIBED_MESSAGES = 40
LEAST_PART_MESSAGES = 4  # two turns are worth a thread of their own


@dataclass(frozen=True, slots=True, eq=False)
class ThreadMessages:
    """The messages of a thread in conversation order, and the vector of each that has one."""

    events: Sequence[Event]
    vectors: "Sequence[NDArray[np.float32] | None]"

    @property
    def vector_sum(self) -> "NDArray[np.float32] | None":
        """The sum of the vectors."""
        known = [vector for vector in self.vectors if vector is not None]
        return reduce(add, known) if known else None

    def with_ids(self, ids: Collection[str]) -> "ThreadMessages":
        """Return the messages with these ids."""
        wanted = set(ids)
        both = zip(self.events, self.vectors, strict=True)
        chosen = [(event, vector) for event, vector in both if event.id in wanted]
        return ThreadMessages([event for event, _ in chosen], [vector for _, vector in chosen])


def can_be_split(thread: Thread) -> bool:
    """Say whether a thread is in use, not the result of a split, and not to be kept whole."""
    is_settled = thread.split_locked or WHOLE_TAG in thread.tags
    return thread.status is not Status.ARCHIVED and not is_settled


def largest_threads(
    threads: Iterable[Thread], counts: Mapping[str, int], most: int
) -> list[Thread]:
    """Return the threads that are long enough to have drifted, the longest first."""
    long = [thread for thread in threads if counts.get(thread.id, 0) >= LEAST_MESSAGES]
    return sorted(long, key=lambda thread: (-counts[thread.id], thread.id))[:most]


def split_candidate(
    thread: Thread, messages: ThreadMessages, parts: Sequence[SplitPart], unrelated_cosine: float
) -> SplitCandidate | None:
    """Return the parts to split off, if any of the proposed parts is worth it."""
    leaving = {id_ for part in parts for id_ in part.messages}
    rest = messages.with_ids([event.id for event in messages.events if event.id not in leaving])
    long = [part for part in parts if len(part.messages) >= LEAST_PART_MESSAGES]
    far = _far_parts(messages, long, rest, unrelated_cosine)
    worthy = [
        part
        for part in long
        if part in far or _is_announced(messages.with_ids(part.messages), rest, unrelated_cosine)
    ]
    if not worthy:
        return None
    groups = [rest, *(messages.with_ids(part.messages) for part in worthy)]
    main, *subjects = _group_subjects(groups)
    begins = messages.events[0].id in worthy[0].messages
    before, after = (subjects[0], [main]) if begins else (main, subjects)
    drifted_to = joined_names([f"'{subject}'" for subject in after])
    return SplitCandidate(
        thread_id=thread.id,
        reason=f"Thread drifted from '{before}' to {drifted_to}",
        topics_to_split=tuple(subjects),
        messages=tuple(part.messages for part in worthy),
    )


def _group_subjects(groups: Sequence[ThreadMessages]) -> list[str]:
    """Name the subject of each group of messages by what sets it apart from the others."""
    describer = ThreadDescriber()
    for number, group in enumerate(groups):
        for event in group.events[:DESCRIBED_MESSAGES]:
            describer.add(str(number), described_line(event))
    descriptions = [describer.description_of(str(number)) for number in range(len(groups))]
    return [_topic_phrase(text.topics) or text.title for text in descriptions]


def _topic_phrase(topics: Sequence[str]) -> str | None:
    """Return the first topic of several words, else the first."""
    return next((topic for topic in topics if " " in topic), next(iter(topics), None))


def _far_parts(
    messages: ThreadMessages,
    parts: Sequence[SplitPart],
    rest: ThreadMessages,
    unrelated_cosine: float,
) -> list[SplitPart]:
    """Return the parts that are far enough from what stays to be another subject."""
    if not parts:
        return []
    from ai_smartness.threads.cohesion import Cohesion, PullRules
    from ai_smartness.threads.split_proposal import segment_messages

    words = [message.words for message in segment_messages(messages.events)]
    cohesion = Cohesion(words, messages.vectors, unrelated_cosine, PullRules())
    numbers = {event.id: number for number, event in enumerate(messages.events)}
    staying = [numbers[event.id] for event in rest.events]
    far = list[SplitPart]()
    for part in parts:
        gap = cohesion.gap_between([numbers[id_] for id_ in part.messages], staying)
        if gap.pull <= MOST_PULL and gap.closer - gap.pull >= LEAST_GAP:
            far.append(part)
    leaving = sum(len(part.messages) for part in far)
    return far if leaving >= LEAST_SHARE * len(messages.events) else []


def _is_announced(part: ThreadMessages, rest: ThreadMessages, unrelated_cosine: float) -> bool:
    """Say whether somebody announced a part, and it is far enough from the rest."""
    is_announced = announces_subject(part.events[0].text)
    return is_announced and _distance(part, rest, unrelated_cosine) >= ANNOUNCED_DISTANCE


def _distance(a: ThreadMessages, b: ThreadMessages, unrelated_cosine: float) -> float:
    """Measure how far two subjects are from each other, 0–1; without vectors it is 0."""
    mine, theirs = a.vector_sum, b.vector_sum
    if mine is None or theirs is None:
        return 0.0
    return (1.0 - cosine_of_sums(mine, theirs)) / max(1.0 - unrelated_cosine, LEAST_SPREAD)
