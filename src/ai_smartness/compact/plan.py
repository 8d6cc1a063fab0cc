"""Plan a compaction: merge what is alike, put away what is old, weigh the rest less.

One plan says what will be done and what will be there afterwards. A dry run shows it, a run
carries out exactly that. What somebody wants to keep at hand stays there: a pin takes no
part at all, what a split locked is neither merged nor put away, and what is in focus may
take in others but goes nowhere itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ai_smartness.compact.groups import groups
from ai_smartness.compact.strategy import Reach
from ai_smartness.model.compaction import Archived, Because, Load, Merged, Step
from ai_smartness.model.focus import Focus
from ai_smartness.model.thread import Status, Thread
from ai_smartness.threads.decay import decayed, is_pinned
from ai_smartness.threads.focus import focus_boost
from ai_smartness.threads.merge import merged
from ai_smartness.threads.pairs import Pair

__all__ = ["Planned", "Scene", "mergeable", "planned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A project's threads as they are stored, what is in focus, and the time it is."""

    threads: Sequence[Thread]
    foci: Sequence[Focus]
    now: datetime
    half_life_days: float

    def at_present(self, thread: Thread) -> Thread:
        """Return a thread as it stands now."""
        return decayed(thread, self.now, self.half_life_days)

    def active(self, threads: Iterable[Thread]) -> Iterator[Thread]:
        """Yield those that read as active now, as they stand now."""
        return (each for each in map(self.at_present, threads) if each.status is Status.ACTIVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What will be done, the threads it changes as they will be, and how much there will be.

    The survivors in `after` are not described by their new messages yet.
    """

    steps: tuple[Step, ...]
    after: Mapping[str, Thread]
    load_before: Load
    load_after: Load

    @property
    def merges(self) -> Iterator[Merged]:
        """Yield the groups that are merged."""
        return (step for step in self.steps if isinstance(step, Merged))


def mergeable(scene: Scene) -> list[Thread]:
    """Return the threads that may be merged as they stand now, who survives first.

    That is the heavier, then the older.
    """
    found = (
        each
        for each in scene.active(scene.threads)
        if not is_pinned(each) and each.split_lock is None
    )
    return sorted(found, key=lambda each: (-each.weight, each.created_at, each.id))


def planned(scene: Scene, reach: Reach, pairs: Iterable[Pair]) -> Planned:
    """Plan a compaction of the threads, of which these pairs are alike."""
    plan = _Planning(scene, reach)
    plan.merge(pairs)
    plan.put_away_old()
    plan.weigh_less()
    plan.put_away_lightest()
    return plan.planned()


class _Planning:
    """One plan in the making: the threads as they are after the steps so far."""

    def __init__(self, scene: Scene, reach: Reach) -> None:
        self._scene = scene
        self._reach = reach
        self._stored = {each.id: each for each in scene.threads}
        self._threads = dict(self._stored)
        self._active = [each.id for each in scene.active(scene.threads)]
        self._focused = {
            id_ for id_ in self._active if focus_boost(self._stored[id_], scene.foci) > 0
        }
        self._steps: list[Step] = []
        self._absorbed: set[str] = set()

    def merge(self, pairs: Iterable[Pair]) -> None:
        """Merge what is alike."""
        ranked = [each.id for each in mergeable(self._scene)]
        for group in groups(ranked, self._focused, pairs):
            survivor, *absorbed = (self._stored[id_] for id_ in group.threads)
            scene = self._scene
            changed = merged(survivor, absorbed, scene.now, scene.half_life_days)
            self._threads.update((each.id, each) for each in changed)
            self._absorbed.update(group.threads[1:])
            self._steps.append(group)

    def put_away_old(self) -> None:
        """Archive what was not in use for long."""
        cutoff = self._scene.now - timedelta(days=self._reach.archive_age_days)
        old = [each for each in self._going() if each.last_active < cutoff]
        for each in sorted(old, key=lambda each: (each.last_active, each.id)):
            self._archive(each.id, Because.AGE)

    def weigh_less(self) -> None:
        """Leave of each weight a part; a pin keeps its own."""
        for id_ in self._active:
            thread = self._threads[id_]
            if id_ not in self._absorbed and not is_pinned(thread):
                weight = thread.weight * self._reach.weight_decay
                self._threads[id_] = replace(thread, weight=weight)

    def put_away_lightest(self) -> None:
        """Archive the lightest of more than there may be, of equals those longest out of use."""
        excess = self._load(self._threads).active_threads - self._reach.max_active_threads
        lightest = sorted(self._going(), key=lambda each: (each.weight, each.last_active, each.id))
        for each in lightest[: max(0, excess)]:
            self._archive(each.id, Because.CAPACITY)

    def planned(self) -> Planned:
        """Return what came of it."""
        return Planned(
            steps=tuple(self._steps),
            after={id_: t for id_, t in self._threads.items() if t != self._stored[id_]},
            load_before=self._load(self._stored),
            load_after=self._load(self._threads),
        )

    def _going(self) -> list[Thread]:
        """Return what is active at this point and may be put away, as it stands now."""
        there = self._scene.active(self._threads[id_] for id_ in self._active)
        return [each for each in there if not self._is_kept(each)]

    def _is_kept(self, thread: Thread) -> bool:
        return (
            is_pinned(thread) or self._stored[thread.id].split_locked or thread.id in self._focused
        )

    def _archive(self, id_: str, because: Because) -> None:
        self._threads[id_] = replace(self._threads[id_], status=Status.ARCHIVED)
        self._steps.append(Archived(id_, because))

    def _load(self, threads: Mapping[str, Thread]) -> Load:
        weights = [each.weight for each in self._scene.active(threads[id_] for id_ in self._active)]
        return Load(len(weights), sum(weights))
