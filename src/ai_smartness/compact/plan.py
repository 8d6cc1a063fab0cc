"""Plan a compaction: merge similar threads, archive old ones, reduce the weight of the rest.

A dry run shows the plan, a run carries out exactly that. Pins take no part. A thread that a
split has locked is neither merged nor archived. A thread in focus may absorb others, but
is not absorbed or archived itself. Rules, preferences and decisions that hold do not age: their
threads are archived only where there are too many, and last.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ai_smartness.model.compaction import (
    ArchiveReason,
    ArchiveStep,
    CompactionStep,
    CompactionStrategy,
    MemoryLoad,
    MergeStep,
    SuspendStep,
)
from ai_smartness.model.focus import Focus
from ai_smartness.model.thread import Status, Thread
from ai_smartness.threads.decay import decayed_thread, is_pinned, is_protected
from ai_smartness.threads.focus import focus_boost
from ai_smartness.threads.merge import merged_threads
from ai_smartness.threads.merge_groups import merge_groups, mergeable_threads

if TYPE_CHECKING:  # it loads numpy
    from ai_smartness.threads.similar_threads import ThreadPair

__all__ = [
    "STRATEGIES",
    "CompactionInput",
    "CompactionPlan",
    "StrategyLimits",
    "planned_compaction",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyLimits:
    """How far a strategy goes; `weight_decay` is the share that remains of each weight."""

    merge_threshold: float
    archive_age_days: int
    max_active_threads: int
    weight_decay: float


STRATEGIES: Mapping[CompactionStrategy, StrategyLimits] = {
    CompactionStrategy.GENTLE: StrategyLimits(
        merge_threshold=0.95, archive_age_days=30, max_active_threads=50, weight_decay=0.95
    ),
    CompactionStrategy.NORMAL: StrategyLimits(
        merge_threshold=0.85, archive_age_days=14, max_active_threads=30, weight_decay=0.90
    ),
    CompactionStrategy.AGGRESSIVE: StrategyLimits(
        merge_threshold=0.75, archive_age_days=7, max_active_threads=15, weight_decay=0.80
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionInput:
    """A project's stored threads, the foci, and the time; `lasting` threads do not age."""

    threads: Sequence[Thread]
    foci: Sequence[Focus]
    lasting: frozenset[str] = frozenset()
    now: datetime
    half_life_days: float

    def active_threads(self, threads: Iterable[Thread]) -> Iterator[Thread]:
        """Yield the threads that are active now, with their decayed weights."""
        current = (decayed_thread(thread, self.now, self.half_life_days) for thread in threads)
        return (thread for thread in current if thread.status is Status.ACTIVE)

    def mergeable_threads(self) -> list[Thread]:
        """Return the threads that may be merged, survivors first."""
        return mergeable_threads(self.active_threads(self.threads))


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionPlan:
    """The steps of a compaction, the threads as they will be, and the load before and after.

    The survivors in `after` are not described by their new messages yet.
    """

    steps: tuple[CompactionStep, ...]
    after: Mapping[str, Thread]
    load_before: MemoryLoad
    load_after: MemoryLoad

    @property
    def merges(self) -> Iterator[MergeStep]:
        """Yield the groups to merge."""
        return (step for step in self.steps if isinstance(step, MergeStep))


def planned_compaction(
    threads: CompactionInput, limits: StrategyLimits, similar_pairs: "Iterable[ThreadPair]"
) -> CompactionPlan:
    """Plan the compaction of a project's threads."""
    plan = _PlanBuilder(threads, limits)
    plan.merge_similar(similar_pairs)
    plan.archive_old()
    plan.reduce_weights()
    plan.archive_lightest()
    return plan.finished_plan()


class _PlanBuilder:
    """A plan in the making: the threads as they are after the steps so far."""

    def __init__(self, threads: CompactionInput, limits: StrategyLimits) -> None:
        self._input = threads
        self._limits = limits
        self._stored = {thread.id: thread for thread in threads.threads}
        self._threads = dict(self._stored)
        self._active = [thread.id for thread in threads.active_threads(threads.threads)]
        self._focused = {
            id_ for id_ in self._active if focus_boost(self._stored[id_], threads.foci) > 0
        }
        self._lasting = set(threads.lasting)
        self._steps: list[CompactionStep] = []
        self._absorbed: set[str] = set()

    def merge_similar(self, pairs: "Iterable[ThreadPair]") -> None:
        ranked = [thread.id for thread in self._input.mergeable_threads()]
        now, days = self._input.now, self._input.half_life_days
        for group in merge_groups(ranked, self._focused, pairs):
            survivor, *absorbed = (self._stored[id_] for id_ in group.threads)
            for thread in merged_threads(survivor, absorbed, now, days):
                self._threads[thread.id] = thread
            self._absorbed.update(group.threads[1:])
            if self._lasting.intersection(group.threads):
                self._lasting.add(survivor.id)
            self._steps.append(group)

    def archive_old(self) -> None:
        cutoff = self._input.now - timedelta(days=self._limits.archive_age_days)
        old = [
            thread
            for thread in self._archivable_threads()
            if thread.last_active < cutoff and thread.id not in self._lasting
        ]
        for thread in sorted(old, key=lambda thread: (thread.last_active, thread.id)):
            self._archive(thread.id, ArchiveReason.AGE)

    def reduce_weights(self) -> None:
        """Reduce the weights; a thread that gets too light by it is suspended."""
        active = self._active_ids()
        for id_ in self._active:
            thread = self._threads[id_]
            if id_ not in self._absorbed and not is_pinned(thread):
                weight = thread.weight * self._limits.weight_decay
                self._threads[id_] = replace(thread, weight=weight)
        still_active = set(self._active_ids())
        self._steps += [SuspendStep(id_) for id_ in active if id_ not in still_active]

    def archive_lightest(self) -> None:
        """Archive surplus threads: those that age first, the lightest, the longest unused."""
        excess = self._active_load(self._threads).active_threads - self._limits.max_active_threads
        lightest = sorted(
            self._archivable_threads(),
            key=lambda thread: (
                thread.id in self._lasting,
                thread.weight,
                thread.last_active,
                thread.id,
            ),
        )
        for thread in lightest[: max(0, excess)]:
            self._archive(thread.id, ArchiveReason.CAPACITY)

    def finished_plan(self) -> CompactionPlan:
        return CompactionPlan(
            steps=tuple(self._steps),
            after={id_: t for id_, t in self._threads.items() if t != self._stored[id_]},
            load_before=self._active_load(self._stored),
            load_after=self._active_load(self._threads),
        )

    def _archivable_threads(self) -> list[Thread]:
        """Return the threads that are still active and unprotected, with decayed weights."""
        active = self._input.active_threads(self._threads[id_] for id_ in self._active)
        return [
            thread
            for thread in active
            if not is_protected(thread)
            and not self._stored[thread.id].split_locked
            and thread.id not in self._focused
        ]

    def _active_ids(self) -> list[str]:
        active = self._input.active_threads(self._threads[id_] for id_ in self._active)
        return [thread.id for thread in active]

    def _archive(self, id_: str, reason: ArchiveReason) -> None:
        self._threads[id_] = replace(self._threads[id_], status=Status.ARCHIVED)
        self._steps.append(ArchiveStep(id_, reason))

    def _active_load(self, threads: Mapping[str, Thread]) -> MemoryLoad:
        active = self._input.active_threads(threads[id_] for id_ in self._active)
        weights = [thread.weight for thread in active]
        return MemoryLoad(len(weights), sum(weights))
