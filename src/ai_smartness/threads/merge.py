"""Merge two threads about one subject.

The survivor keeps its id and takes the other's messages. The absorbed
thread is archived, never deleted, so its trail can be followed back.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import reduce
from typing import NamedTuple

from ai_smartness.describe.relations import bridge_id
from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.journal import BridgeEdit, Change, Move
from ai_smartness.model.link import Remedy, ThreadListLink
from ai_smartness.model.thread import MERGED_INTO, Origin, Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import (
    ChangePlan,
    counted_messages,
    refuse_absorbed,
    thread_edit,
)
from ai_smartness.threads.decay import PINNED_TAG, decayed_thread, raised_weight
from ai_smartness.threads.link import faded_bridge_weight
from ai_smartness.threads.locks import refuse_locked
from ai_smartness.threads.message_order import in_conversation_order
from ai_smartness.threads.redescribe import MOST_THREAD_FILES, Redescriber

__all__ = [
    "SurvivorPlan",
    "bridges_of_threads",
    "merge",
    "merged_threads",
    "planned_survivor",
    "redirected_bridges",
]

MERGE_BOOST = 0.1

SYMMETRIC = frozenset({Relation.SIBLING, Relation.CONTRADICTS})
"""Relations that mean the same in both directions."""


def merge(
    store: ThreadStore,
    survivor_id: str,
    absorbed_id: str,
    *,
    now: datetime,
    half_life_days: float,
    force: bool = False,
) -> ChangePlan:
    """Plan to move the messages of one stored thread to another."""
    survivor, absorbed = store.threads.get(survivor_id), store.threads.get(absorbed_id)
    _refuse_merge(survivor, absorbed, force=force)
    merged, archived = merged_threads(survivor, [absorbed], now, half_life_days)
    redescriber = Redescriber(store, survivor.project)
    planned = planned_survivor(store, redescriber, merged, [absorbed.id])
    change = Change(
        (thread_edit(survivor, planned.thread), thread_edit(absorbed, archived)),
        planned.moves,
        tuple(
            redirected_bridges(
                bridges_of_threads(store, (absorbed.id, survivor.id)),
                {absorbed.id: survivor.id},
                lambda bridge: faded_bridge_weight(bridge, now, half_life_days),
            )
        ),
    )
    sentence = (
        f"Merged {absorbed.id} into {survivor.id} “{planned.thread.title}”: "
        f"{counted_messages(planned.moved_count)} moved, {planned.total_count} in all, "
        f"weight {merged.weight:.2f}. {absorbed.id} is archived."
    )
    return ChangePlan(survivor.project, sentence, change, (survivor.id, absorbed.id))


def merged_threads(
    survivor: Thread, absorbed: Sequence[Thread], now: datetime, half_life_days: float
) -> list[Thread]:
    """Return the survivor with what it takes over, followed by the archived absorbed threads.

    A merge is a use: the weights are those of now, and the survivor is active. Absorbing
    several threads at once is one merge, and raises the weight once.
    """
    group = (survivor, *absorbed)
    heaviest = max(decayed_thread(thread, now, half_life_days).weight for thread in group)
    merged = reduce(_with_absorbed, absorbed, survivor)
    group_ids = {thread.id for thread in group}
    mark = f"{MERGED_INTO}{survivor.id}"
    return [
        replace(
            merged,
            weight=raised_weight(heaviest, MERGE_BOOST),
            status=Status.ACTIVE,
            last_active=max(now, *(thread.last_active for thread in group)),
            child_ids=tuple(id_ for id_ in merged.child_ids if id_ not in group_ids),
        ),
        *(
            replace(thread, status=Status.ARCHIVED, tags=_ordered_union(thread.tags, [mark]))
            for thread in absorbed
        ),
    ]


class SurvivorPlan(NamedTuple):
    """A survivor described by all its messages, the moves, and the message counts."""

    thread: Thread
    moves: tuple[Move, ...]
    moved_count: int
    total_count: int


def planned_survivor(
    store: ThreadStore, redescriber: Redescriber, survivor: Thread, absorbed_ids: Sequence[str]
) -> SurvivorPlan:
    """Return the survivor with the messages of the threads it absorbs."""
    all_events = store.events.of_thread(survivor.id)
    own_count = len(all_events)
    origins: dict[int, str] = {}
    moves: list[Move] = []
    for id_ in absorbed_ids:
        events = store.events.of_thread(id_)
        moving = sorted(event.seq for event in (*events, *store.events.compactions_of(id_)))
        if moving:
            moves.append(Move(id_, survivor.id, tuple(moving)))
        origins.update((event.seq, id_) for event in events)
        all_events += events
    all_events.sort(key=lambda event: event.seq)
    ordered = in_conversation_order(all_events, origins)
    described = redescriber.redescribed_thread(survivor, ordered)
    # Whoever merges into a thread knows it by its title; the topics are those of both.
    title = survivor.title or described.title
    thread = replace(described, title=title, topics=survivor.topics)
    return SurvivorPlan(thread, tuple(moves), len(all_events) - own_count, len(all_events))


def bridges_of_threads(store: ThreadStore, thread_ids: Iterable[str]) -> list[Bridge]:
    """Return once each bridge from or to one of these threads, including unwanted ones."""
    bridges = (bridge for id_ in thread_ids for bridge in store.bridges.of(id_, unwanted=True))
    return list({bridge.id: bridge for bridge in bridges}.values())


def redirected_bridges(
    bridges: Iterable[Bridge], heirs: Mapping[str, str], strength: Callable[[Bridge], float]
) -> list[BridgeEdit]:
    """Return the edits that lead bridges of absorbed threads to their survivors (`heirs`).

    A bridge between the two disappears, and the strongest of several equivalent bridges
    stays. An unwanted bridge does not come back by way of another. `bridges` are all those
    of the absorbed threads and of the survivors.
    """
    stored = {bridge.id: bridge for bridge in bridges}
    groups: dict[tuple[object, ...], list[Bridge]] = {}
    for bridge in stored.values():
        redirected = _redirected_bridge(bridge, heirs)
        if redirected is not None:
            groups.setdefault(_bridge_meaning(redirected), []).append(redirected)
    strongest = [
        max(group, key=lambda bridge: (bridge.unwanted, strength(bridge), bridge.id))
        for group in groups.values()
    ]
    after = {bridge.id: bridge for bridge in strongest}
    return [
        BridgeEdit(stored.get(id_), after.get(id_))
        for id_ in dict.fromkeys((*stored, *after))
        if stored.get(id_) != after.get(id_)
    ]


def _refuse_merge(survivor: Thread, absorbed: Thread, *, force: bool) -> None:
    if survivor.id == absorbed.id:
        problem = f"cannot merge {survivor.id} with itself."
        raise RefusedError(problem, Remedy(ThreadListLink(), "Name two threads: {}"))
    if survivor.project != absorbed.project:
        msg = (
            f"cannot merge {absorbed.id} into {survivor.id}: they are of two projects "
            f"({absorbed.project} and {survivor.project}). A thread stays in its project."
        )
        raise RefusedError(msg)
    for thread in (survivor, absorbed):
        refuse_absorbed(thread, "merge")
        refuse_locked(thread, force=force)


def _with_absorbed(survivor: Thread, absorbed: Thread) -> Thread:
    pinned = [PINNED_TAG] if absorbed.origin is Origin.PIN else []
    return replace(
        survivor,
        topics=_ordered_union(survivor.topics, absorbed.topics),
        topics_given=_ordered_union(survivor.topics_given, absorbed.topics_given),
        tags=_ordered_union(survivor.tags, absorbed.tags, pinned),
        importance=max(survivor.importance, absorbed.importance),
        created_at=min(survivor.created_at, absorbed.created_at),
        activation_count=survivor.activation_count + absorbed.activation_count,
        child_ids=_ordered_union(survivor.child_ids, absorbed.child_ids),
        files=_ordered_union(absorbed.files, survivor.files)[-MOST_THREAD_FILES:],
        commit=survivor.commit or absorbed.commit,
        set_aside=tuple(sorted({*survivor.set_aside, *absorbed.set_aside})),
    )


def _redirected_bridge(bridge: Bridge, heirs: Mapping[str, str]) -> Bridge | None:
    source, target = (heirs.get(end, end) for end in (bridge.source, bridge.target))
    if source == target:
        return None
    if (source, target) == (bridge.source, bridge.target):
        return bridge
    id_ = bridge_id(source, target, bridge.relation)
    return replace(bridge, id=id_, source=source, target=target)


def _bridge_meaning(bridge: Bridge) -> tuple[object, ...]:
    ends = (bridge.source, bridge.target)
    return (tuple(sorted(ends)) if bridge.relation in SYMMETRIC else ends, bridge.relation)


def _ordered_union(*collections: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for collection in collections for item in collection))
