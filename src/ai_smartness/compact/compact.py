"""Compact a project's memory: one plan, one change, one undo.

Nothing is deleted. An absorbed thread leads to its survivor, and search still finds an
archived one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ai_smartness.compact.plan import (
    STRATEGIES,
    CompactionInput,
    CompactionPlan,
    planned_compaction,
)
from ai_smartness.model.compaction import (
    ArchiveStep,
    CompactionStrategy,
    MergeStep,
    SuspendStep,
)
from ai_smartness.model.journal import Change, ThreadEdit
from ai_smartness.model.statement import ReviewState, Speaker, Statement, StatementKind
from ai_smartness.model.thread import Kind, Thread
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, thread_edit
from ai_smartness.threads.focus import foci_of_all_sessions
from ai_smartness.threads.link import faded_bridge_weight
from ai_smartness.threads.merge import (
    SurvivorPlan,
    bridges_of_threads,
    planned_survivor,
    redirected_bridges,
)
from ai_smartness.threads.redescribe import Redescriber
from ai_smartness.threads.similar_threads import CentreMatrix, centre_matrix, similar_pairs

__all__ = ["CompactRequest", "compact", "comparable_centres", "load_compaction_input"]

LASTING_STATEMENTS = frozenset(
    {StatementKind.RULE, StatementKind.PREFERENCE, StatementKind.DECISION}
)
LASTING_KINDS = frozenset({Kind.IDENTITY, Kind.PREFERENCE, Kind.DECISION, Kind.CONSTRAINT})


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactRequest:
    """A requested compaction; without a vector space, threads cannot be compared."""

    project: str
    strategy: CompactionStrategy
    space: str | None
    now: datetime
    half_life_days: float
    progress: Progress


def compact(store: ThreadStore, request: CompactRequest) -> tuple[CompactionPlan, ChangePlan]:
    """Plan a compaction: its steps, and the change that carries them out."""
    threads = load_compaction_input(store, request)
    limits = STRATEGIES[request.strategy]
    centres = comparable_centres(store, request, threads)
    apart = store.bridges.kept_apart(request.project)
    similar = similar_pairs(centres, limits.merge_threshold) if centres else ()
    pairs = [pair for pair in similar if frozenset((pair.a, pair.b)) not in apart]
    plan = planned_compaction(threads, limits, pairs)
    change = _compaction_change(store, request, threads, plan)
    sentence = _outcome_text(plan, change, compared=centres is not None)
    return plan, ChangePlan(request.project, sentence, change, tuple(_affected_threads(plan)))


def load_compaction_input(store: ThreadStore, request: CompactRequest) -> CompactionInput:
    """Load a project's threads and the foci of all its sessions."""
    threads = store.threads.all(request.project)
    return CompactionInput(
        threads=threads,
        lasting=_lasting_threads(store, request.project, threads),
        foci=foci_of_all_sessions(store, request.project, request.now),
        now=request.now,
        half_life_days=request.half_life_days,
    )


def _lasting_threads(store: ThreadStore, project: str, threads: Iterable[Thread]) -> frozenset[str]:
    """Name the threads with something in force that does not age.

    These are statements that a person confirmed, the user's rules, preferences and decisions,
    and threads that a person called one of these.
    """
    in_force = store.statements.all(project, superseded=False)
    stated = (statement.thread_id for statement in in_force if _does_not_age(statement))
    return frozenset((*stated, *(thread.id for thread in threads if thread.kind in LASTING_KINDS)))


def _does_not_age(statement: Statement) -> bool:
    if statement.review in (ReviewState.CONFIRMED, ReviewState.CORRECTED):
        return True
    return statement.speaker is Speaker.USER and statement.kind in LASTING_STATEMENTS


def comparable_centres(
    store: ThreadStore, request: CompactRequest, threads: CompactionInput
) -> CentreMatrix | None:
    """Return the centres of the mergeable threads; nothing if none of them has any."""
    if request.space is None:
        return None
    ids = [thread.id for thread in threads.mergeable_threads()]
    centres = centre_matrix(store, request.project, request.space, ids)
    return None if ids and not centres.ids else centres


def _compaction_change(
    store: ThreadStore, request: CompactRequest, threads: CompactionInput, plan: CompactionPlan
) -> Change:
    groups = [group.threads for group in plan.merges]
    survivors = _described_survivors(store, request, plan.after, groups)
    after = {**plan.after, **{survivor.thread.id: survivor.thread for survivor in survivors}}
    heirs = {id_: survivor for survivor, *absorbed in groups for id_ in absorbed}
    bridges = redirected_bridges(
        bridges_of_threads(store, (id_ for group in groups for id_ in group)),
        heirs,
        lambda bridge: faded_bridge_weight(bridge, request.now, request.half_life_days),
    )
    edits = (
        _thread_edit(thread, after[thread.id]) for thread in threads.threads if thread.id in after
    )
    moves = (move for survivor in survivors for move in survivor.moves)
    return Change(tuple(edits), tuple(moves), tuple(bridges))


def _described_survivors(
    store: ThreadStore,
    request: CompactRequest,
    after: Mapping[str, Thread],
    groups: Sequence[tuple[str, ...]],
) -> list[SurvivorPlan]:
    """Return the survivors, described by all their messages."""
    if not groups:
        return []
    redescriber, survivors = Redescriber(store, request.project), list[SurvivorPlan]()
    for survivor, *absorbed in groups:
        survivors.append(planned_survivor(store, redescriber, after[survivor], absorbed))
        request.progress(len(survivors), len(groups))
    return survivors


def _thread_edit(before: Thread, after: Thread) -> ThreadEdit:
    """Return an edit; losing weight alone is no change that is worth showing a thread again."""
    if replace(after, weight=before.weight) == before:
        return ThreadEdit(before, after)
    return thread_edit(before, after)


def _affected_threads(plan: CompactionPlan) -> Iterable[str]:
    for step in plan.steps:
        match step:
            case MergeStep(threads):
                yield from threads
            case ArchiveStep(thread) | SuspendStep(thread):
                yield thread


def _outcome_text(plan: CompactionPlan, change: Change, *, compared: bool) -> str:
    before, after = plan.load_before.active_threads, plan.load_after.active_threads
    if not change:
        text = "Nothing to compact: no thread is active but pins."
    elif plan.steps:
        text = f"Compaction complete. {before:,} → {after:,} active threads."
    else:
        text = f"Nothing to merge or archive: {after:,} active threads. Only their weights drop."
    if not compared:
        text += (
            " None were merged: threads are compared by an embedding model, and none is in use or "
            "nothing is embedded yet. `ais doctor` says more."
        )
    return text
