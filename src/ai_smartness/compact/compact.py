"""Compact a project's memory: one plan, one change, one undo.

Nothing is deleted. An absorbed thread leads to its survivor, what was put away is still found.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ai_smartness.compact.plan import (
    STRATEGIES,
    CompactionInput,
    CompactionPlan,
    mergeable_threads,
    planned_compaction,
)
from ai_smartness.model.compaction import ArchiveStep, CompactionStrategy, MergeStep
from ai_smartness.model.focus import Focus
from ai_smartness.model.journal import Change, ThreadEdit
from ai_smartness.model.search import SearchScope
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, surviving_thread, thread_edit
from ai_smartness.threads.links import faded_bridge_weight
from ai_smartness.threads.merge import (
    SurvivorPlan,
    bridges_of_threads,
    planned_survivor,
    redirected_bridges,
)
from ai_smartness.threads.redescribe import Redescriber
from ai_smartness.threads.similar_threads import CentreMatrix, centre_matrix, similar_pairs

__all__ = ["CompactRequest", "compact", "comparable_centres", "load_compaction_input"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactRequest:
    """A compaction as it was asked for; without a space there is nothing to compare threads by."""

    project: str
    strategy: CompactionStrategy
    space: str | None
    now: datetime
    half_life_days: float
    progress: Progress


def compact(store: ThreadStore, asked: CompactRequest) -> tuple[CompactionPlan, ChangePlan]:
    """Plan to compact a project: what will be done, and the change that does it."""
    scene = load_compaction_input(store, asked)
    reach = STRATEGIES[asked.strategy]
    compared = comparable_centres(store, asked, scene)
    plan = planned_compaction(
        scene, reach, similar_pairs(compared, reach.merge_threshold) if compared else ()
    )
    change = _compaction_change(store, asked, scene, plan)
    said = _outcome_text(plan, change, compared=compared is not None)
    return plan, ChangePlan(asked.project, said, change, tuple(_affected_threads(plan)))


def load_compaction_input(store: ThreadStore, asked: CompactRequest) -> CompactionInput:
    """Return a project's threads, and what any session has in focus there."""
    sight = SearchScope(project=asked.project).projects
    foci = (_followed_focus(store, each) for project in sight for each in store.foci.all(project))
    return CompactionInput(
        threads=store.threads.all(asked.project),
        foci=[each for each in foci if each.until is None or each.until > asked.now],
        now=asked.now,
        half_life_days=asked.half_life_days,
    )


def comparable_centres(
    store: ThreadStore, asked: CompactRequest, scene: CompactionInput
) -> CentreMatrix | None:
    """Return what threads are compared by to be merged; nothing if none of them has any."""
    if asked.space is None:
        return None
    ids = [each.id for each in mergeable_threads(scene)]
    found = centre_matrix(store, asked.project, asked.space, ids)
    return None if ids and not found.ids else found


def _compaction_change(
    store: ThreadStore, asked: CompactRequest, scene: CompactionInput, plan: CompactionPlan
) -> Change:
    groups = [group.threads for group in plan.merges]
    taken = _described_survivors(store, asked, plan.after, groups)
    after = {**plan.after, **{each.thread.id: each.thread for each in taken}}
    heirs = {id_: survivor for survivor, *absorbed in groups for id_ in absorbed}
    bridges = redirected_bridges(
        bridges_of_threads(store, (id_ for group in groups for id_ in group)),
        heirs,
        lambda bridge: faded_bridge_weight(bridge, asked.now, asked.half_life_days),
    )
    edits = (_thread_edit(each, after[each.id]) for each in scene.threads if each.id in after)
    moves = (move for each in taken for move in each.moves)
    return Change(tuple(edits), tuple(moves), tuple(bridges))


def _described_survivors(
    store: ThreadStore,
    asked: CompactRequest,
    after: Mapping[str, Thread],
    groups: Sequence[tuple[str, ...]],
) -> list[SurvivorPlan]:
    """Return the survivors described by all that they will hold."""
    if not groups:
        return []
    outliner, found = Redescriber(store, asked.project), list[SurvivorPlan]()
    for survivor, *absorbed in groups:
        found.append(planned_survivor(store, outliner, after[survivor], absorbed))
        asked.progress(len(found), len(groups))
    return found


def _thread_edit(before: Thread, after: Thread) -> ThreadEdit:
    """Return an edit; a thread that only weighs less is no other than it was shown."""
    if replace(after, weight=before.weight) == before:
        return ThreadEdit(before, after)
    return thread_edit(before, after)


def _affected_threads(plan: CompactionPlan) -> Iterable[str]:
    for step in plan.steps:
        match step:
            case MergeStep(threads):
                yield from threads
            case ArchiveStep(thread):
                yield thread


def _outcome_text(plan: CompactionPlan, change: Change, *, compared: bool) -> str:
    before, after = plan.load_before.active_threads, plan.load_after.active_threads
    done = (
        f"Compaction complete. {before:,} → {after:,} active threads."
        if change
        else "Nothing to compact: no thread is active but pins."
    )
    unmerged = (
        " None were merged: threads are compared by an embedding model, and none is in use or "
        "nothing is embedded yet. `ais doctor` says more."
    )
    return done if compared else done + unmerged


def _followed_focus(store: ThreadStore, focus: Focus) -> Focus:
    """Return a focus on a thread that was merged as one on its survivor."""
    if not store.threads.has(focus.topic):
        return focus
    return replace(focus, topic=surviving_thread(store, store.threads.get(focus.topic)).id)
