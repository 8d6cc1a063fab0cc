"""Compact a project's memory: one plan, one change, one undo.

Nothing is deleted. An absorbed thread leads to its survivor, what was put away is still found.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ai_smartness.compact.plan import Planned, Scene, mergeable, planned
from ai_smartness.compact.strategy import STRATEGIES
from ai_smartness.model.compaction import Archived, Merged, Strategy
from ai_smartness.model.focus import Focus
from ai_smartness.model.found import Scope
from ai_smartness.model.journal import Change, ThreadEdit
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.threads.bridges import faded
from ai_smartness.threads.centres import Centres, centres
from ai_smartness.threads.merge import Taken, bridges_of, redirected, taken_in
from ai_smartness.threads.outline import Outliner
from ai_smartness.threads.pairs import alike
from ai_smartness.threads.plan import Plan, edited, followed

__all__ = ["Asked", "compact", "set_scene", "to_compare"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A compaction as it was asked for; without a space there is nothing to compare threads by."""

    project: str
    strategy: Strategy
    space: str | None
    now: datetime
    half_life_days: float
    progress: Progress


def compact(store: ThreadStore, asked: Asked) -> tuple[Planned, Plan]:
    """Plan to compact a project: what will be done, and the change that does it."""
    scene = set_scene(store, asked)
    reach = STRATEGIES[asked.strategy]
    compared = to_compare(store, asked, scene)
    plan = planned(scene, reach, alike(compared, reach.merge_threshold) if compared else ())
    change = _change(store, asked, scene, plan)
    said = _said(plan, change, compared=compared is not None)
    return plan, Plan(asked.project, said, change, tuple(_about(plan)))


def set_scene(store: ThreadStore, asked: Asked) -> Scene:
    """Return a project's threads, and what any session has in focus there."""
    sight = Scope(project=asked.project).projects
    foci = (_followed(store, each) for project in sight for each in store.foci.all(project))
    return Scene(
        threads=store.threads.all(asked.project),
        foci=[each for each in foci if each.until is None or each.until > asked.now],
        now=asked.now,
        half_life_days=asked.half_life_days,
    )


def to_compare(store: ThreadStore, asked: Asked, scene: Scene) -> Centres | None:
    """Return what threads are compared by to be merged; nothing if none of them has any."""
    if asked.space is None:
        return None
    ids = [each.id for each in mergeable(scene)]
    found = centres(store, asked.project, asked.space, ids)
    return None if ids and not found.ids else found


def _change(store: ThreadStore, asked: Asked, scene: Scene, plan: Planned) -> Change:
    groups = [group.threads for group in plan.merges]
    taken = _taken(store, asked, plan.after, groups)
    after = {**plan.after, **{each.thread.id: each.thread for each in taken}}
    heirs = {id_: survivor for survivor, *absorbed in groups for id_ in absorbed}
    bridges = redirected(
        bridges_of(store, (id_ for group in groups for id_ in group)),
        heirs,
        lambda bridge: faded(bridge, asked.now, asked.half_life_days),
    )
    edits = (_edit(each, after[each.id]) for each in scene.threads if each.id in after)
    moves = (move for each in taken for move in each.moves)
    return Change(tuple(edits), tuple(moves), tuple(bridges))


def _taken(
    store: ThreadStore,
    asked: Asked,
    after: Mapping[str, Thread],
    groups: Sequence[tuple[str, ...]],
) -> list[Taken]:
    """Return the survivors described by all that they will hold."""
    if not groups:
        return []
    outliner, found = Outliner(store, asked.project), list[Taken]()
    for survivor, *absorbed in groups:
        found.append(taken_in(store, outliner, after[survivor], absorbed))
        asked.progress(len(found), len(groups))
    return found


def _edit(before: Thread, after: Thread) -> ThreadEdit:
    """Return an edit; a thread that only weighs less is no other than it was shown."""
    if replace(after, weight=before.weight) == before:
        return ThreadEdit(before, after)
    return edited(before, after)


def _about(plan: Planned) -> Iterable[str]:
    for step in plan.steps:
        match step:
            case Merged(threads):
                yield from threads
            case Archived(thread):
                yield thread


def _said(plan: Planned, change: Change, *, compared: bool) -> str:
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


def _followed(store: ThreadStore, focus: Focus) -> Focus:
    """Return a focus on a thread that was merged as one on its survivor."""
    if not store.threads.has(focus.topic):
        return focus
    return replace(focus, topic=followed(store, store.threads.get(focus.topic)).id)
