"""Plan a compaction: merge what is alike, put away what is old, weigh the rest less.

One plan says what will be done and what will be there afterwards. A dry run shows it, a run
carries out exactly that. What somebody wants to keep at hand stays there: a pin takes no
part at all, what a split locked is neither merged nor put away, and what is in focus may
take in others but goes nowhere itself.

Which threads are merged together: each group around the one that survives it.

Likeness does not add up: what A shares with B, and B with C, may leave A and C strangers. So
nothing is merged but with a thread that it is alike to itself. Who was left over is looked
at again by the next compaction, which knows the survivors as they are then.

How far each strategy goes.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ai_smartness.model.compaction import (
    ArchiveReason,
    ArchiveStep,
    CompactionStep,
    CompactionStrategy,
    MemoryLoad,
    MergeStep,
)
from ai_smartness.model.focus import Focus
from ai_smartness.model.thread import Status, Thread
from ai_smartness.threads.decay import decayed_thread, is_pinned
from ai_smartness.threads.focus import focus_boost
from ai_smartness.threads.merge import merged_threads
from ai_smartness.threads.similar_threads import ThreadPair

__all__ = [
    "STRATEGIES",
    "CompactionInput",
    "CompactionPlan",
    "StrategyLimits",
    "merge_groups",
    "mergeable_threads",
    "planned_compaction",
]


def merge_groups(
    ranked: Sequence[str], staying: Collection[str], pairs: Iterable[ThreadPair]
) -> list[MergeStep]:
    """Return what is merged, the survivor of each group first.

    `ranked` are all that may be merged, the one to survive before the one to be absorbed;
    `staying` are those of them that may only survive. Whoever comes first takes all that
    are like it and still free.
    """
    rank = {id_: place for place, id_ in enumerate(ranked)}
    like = _similar_threads(pairs, rank)
    taken: set[str] = set()
    found: list[MergeStep] = []
    for id_ in ranked:
        if id_ in taken:
            continue
        absorbed = [
            other
            for other in sorted(like.get(id_, {}), key=rank.__getitem__)
            if rank[other] > rank[id_] and other not in taken and other not in staying
        ]
        if absorbed:
            taken.update(absorbed, [id_])
            found.append(MergeStep((id_, *absorbed), min(like[id_][other] for other in absorbed)))
    return found


def _similar_threads(
    pairs: Iterable[ThreadPair], rank: Collection[str]
) -> dict[str, dict[str, float]]:
    """Return for each thread those that it is alike to, and how alike."""
    like: dict[str, dict[str, float]] = {}
    for a, b, similarity in pairs:
        if a in rank and b in rank:
            like.setdefault(a, {})[b] = similarity
            like.setdefault(b, {})[a] = similarity
    return like


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyLimits:
    """What a strategy merges, what it puts away, and what it leaves of a weight."""

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
    """A project's threads as they are stored, what is in focus, and the time it is."""

    threads: Sequence[Thread]
    foci: Sequence[Focus]
    now: datetime
    half_life_days: float

    def decayed_thread(self, thread: Thread) -> Thread:
        """Return a thread as it stands now."""
        return decayed_thread(thread, self.now, self.half_life_days)

    def active_threads(self, threads: Iterable[Thread]) -> Iterator[Thread]:
        """Yield those that read as active now, as they stand now."""
        return (each for each in map(self.decayed_thread, threads) if each.status is Status.ACTIVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionPlan:
    """What will be done, the threads it changes as they will be, and how much there will be.

    The survivors in `after` are not described by their new messages yet.
    """

    steps: tuple[CompactionStep, ...]
    after: Mapping[str, Thread]
    load_before: MemoryLoad
    load_after: MemoryLoad

    @property
    def merges(self) -> Iterator[MergeStep]:
        """Yield the groups that are merged."""
        return (step for step in self.steps if isinstance(step, MergeStep))


def mergeable_threads(scene: CompactionInput) -> list[Thread]:
    """Return the threads that may be merged as they stand now, who survives first.

    That is the heavier, then the older.
    """
    found = (
        each
        for each in scene.active_threads(scene.threads)
        if not is_pinned(each) and each.split_lock is None
    )
    return sorted(found, key=lambda each: (-each.weight, each.created_at, each.id))


def planned_compaction(
    scene: CompactionInput, reach: StrategyLimits, pairs: Iterable[ThreadPair]
) -> CompactionPlan:
    """Plan a compaction of the threads, of which these pairs are alike."""
    plan = _PlanBuilder(scene, reach)
    plan.merge_similar(pairs)
    plan.archive_old()
    plan.reduce_weights()
    plan.archive_lightest()
    return plan.finished_plan()


class _PlanBuilder:
    """One plan in the making: the threads as they are after the steps so far."""

    def __init__(self, scene: CompactionInput, reach: StrategyLimits) -> None:
        self._input = scene
        self._limits = reach
        self._stored = {each.id: each for each in scene.threads}
        self._threads = dict(self._stored)
        self._active = [each.id for each in scene.active_threads(scene.threads)]
        self._focused = {
            id_ for id_ in self._active if focus_boost(self._stored[id_], scene.foci) > 0
        }
        self._steps: list[CompactionStep] = []
        self._absorbed: set[str] = set()

    def merge_similar(self, pairs: Iterable[ThreadPair]) -> None:
        """Merge what is alike."""
        ranked = [each.id for each in mergeable_threads(self._input)]
        for group in merge_groups(ranked, self._focused, pairs):
            survivor, *absorbed = (self._stored[id_] for id_ in group.threads)
            scene = self._input
            changed = merged_threads(survivor, absorbed, scene.now, scene.half_life_days)
            self._threads.update((each.id, each) for each in changed)
            self._absorbed.update(group.threads[1:])
            self._steps.append(group)

    def archive_old(self) -> None:
        """Archive what was not in use for long."""
        cutoff = self._input.now - timedelta(days=self._limits.archive_age_days)
        old = [each for each in self._archivable_threads() if each.last_active < cutoff]
        for each in sorted(old, key=lambda each: (each.last_active, each.id)):
            self._archive(each.id, ArchiveReason.AGE)

    def reduce_weights(self) -> None:
        """Leave of each weight a part; a pin keeps its own."""
        for id_ in self._active:
            thread = self._threads[id_]
            if id_ not in self._absorbed and not is_pinned(thread):
                weight = thread.weight * self._limits.weight_decay
                self._threads[id_] = replace(thread, weight=weight)

    def archive_lightest(self) -> None:
        """Archive the lightest of more than there may be, of equals those longest out of use."""
        excess = self._active_load(self._threads).active_threads - self._limits.max_active_threads
        lightest = sorted(
            self._archivable_threads(), key=lambda each: (each.weight, each.last_active, each.id)
        )
        for each in lightest[: max(0, excess)]:
            self._archive(each.id, ArchiveReason.CAPACITY)

    def finished_plan(self) -> CompactionPlan:
        """Return what came of it."""
        return CompactionPlan(
            steps=tuple(self._steps),
            after={id_: t for id_, t in self._threads.items() if t != self._stored[id_]},
            load_before=self._active_load(self._stored),
            load_after=self._active_load(self._threads),
        )

    def _archivable_threads(self) -> list[Thread]:
        """Return what is active at this point and may be put away, as it stands now."""
        there = self._input.active_threads(self._threads[id_] for id_ in self._active)
        return [each for each in there if not self._is_protected(each)]

    def _is_protected(self, thread: Thread) -> bool:
        return (
            is_pinned(thread) or self._stored[thread.id].split_locked or thread.id in self._focused
        )

    def _archive(self, id_: str, because: ArchiveReason) -> None:
        self._threads[id_] = replace(self._threads[id_], status=Status.ARCHIVED)
        self._steps.append(ArchiveStep(id_, because))

    def _active_load(self, threads: Mapping[str, Thread]) -> MemoryLoad:
        weights = [
            each.weight for each in self._input.active_threads(threads[id_] for id_ in self._active)
        ]
        return MemoryLoad(len(weights), sum(weights))
