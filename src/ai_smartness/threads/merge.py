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
from ai_smartness.threads.links import faded_bridge_weight
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
"""Relations that say the same from either end."""


def merge(
    store: ThreadStore,
    survivor_id: str,
    absorbed_id: str,
    *,
    now: datetime,
    half_life_days: float,
    force: bool = False,
) -> ChangePlan:
    """Plan to put the messages of one stored thread on another."""
    survivor, absorbed = store.threads.get(survivor_id), store.threads.get(absorbed_id)
    refuse_merge(survivor, absorbed, force=force)
    kept, archived = merged_threads(survivor, [absorbed], now, half_life_days)
    taken = planned_survivor(store, Redescriber(store, survivor.project), kept, [absorbed.id])
    kept = taken.thread
    change = Change(
        (thread_edit(survivor, kept), thread_edit(absorbed, archived)),
        taken.moves,
        tuple(
            redirected_bridges(
                bridges_of_threads(store, (absorbed.id, survivor.id)),
                {absorbed.id: survivor.id},
                lambda bridge: faded_bridge_weight(bridge, now, half_life_days),
            )
        ),
    )
    said = (
        f"Merged {absorbed.id} into {survivor.id} “{kept.title}”: {counted_messages(taken.moved_count)} moved, "
        f"{taken.total_count} in all, weight {kept.weight:.2f}. {absorbed.id} is archived."
    )
    return ChangePlan(survivor.project, said, change, (survivor.id, absorbed.id))


class SurvivorPlan(NamedTuple):
    """A survivor described by all it will hold, what goes to it, and how many messages that is."""

    thread: Thread
    moves: tuple[Move, ...]
    moved_count: int
    total_count: int


def planned_survivor(
    store: ThreadStore, outliner: Redescriber, kept: Thread, absorbed_ids: Sequence[str]
) -> SurvivorPlan:
    """Return a survivor as it is once it holds the messages of the threads it absorbs."""
    all_events = store.events.of_thread(kept.id)
    own = len(all_events)
    origin: dict[int, str] = {}
    moves: list[Move] = []
    for id_ in absorbed_ids:
        theirs = store.events.of_thread(id_)
        going = sorted(each.seq for each in (*theirs, *store.events.compactions_of(id_)))
        if going:
            moves.append(Move(id_, kept.id, tuple(going)))
        origin.update((event.seq, id_) for event in theirs)
        all_events += theirs
    all_events.sort(key=lambda event: event.seq)
    described = outliner.redescribed_thread(kept, in_conversation_order(all_events, origin))
    # Who merges into a thread knows it by its title; the topics are those of all.
    thread = replace(described, title=kept.title or described.title, topics=kept.topics)
    return SurvivorPlan(thread, tuple(moves), len(all_events) - own, len(all_events))


def refuse_merge(survivor: Thread, absorbed: Thread, *, force: bool) -> None:
    """Refuse what cannot be merged, each with the way out."""
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


def merged_threads(
    survivor: Thread, absorbed: Sequence[Thread], now: datetime, half_life_days: float
) -> list[Thread]:
    """Return the survivor with what it takes over, and after it the absorbed threads put away.

    To merge is to use: all weigh what they weigh now, and are active now. Several that
    are absorbed at once are one merge, and raise the weight once.
    """
    group = (survivor, *absorbed)
    heaviest = max(decayed_thread(each, now, half_life_days).weight for each in group)
    kept = replace(
        reduce(_with_absorbed, absorbed, survivor),
        weight=raised_weight(heaviest, MERGE_BOOST),
        status=Status.ACTIVE,
        last_active=max(now, *(each.last_active for each in group)),
    )
    gone = {each.id for each in group}
    children = tuple(each for each in kept.child_ids if each not in gone)
    mark = f"{MERGED_INTO}{survivor.id}"
    return [
        replace(kept, child_ids=children),
        *(
            replace(each, status=Status.ARCHIVED, tags=_ordered_union(each.tags, [mark]))
            for each in absorbed
        ),
    ]


def _with_absorbed(survivor: Thread, absorbed: Thread) -> Thread:
    """Return the survivor with what it has from one thread it absorbs."""
    return replace(
        survivor,
        topics=_ordered_union(survivor.topics, absorbed.topics),
        topics_given=_ordered_union(survivor.topics_given, absorbed.topics_given),
        tags=_ordered_union(
            survivor.tags, absorbed.tags, [PINNED_TAG] if absorbed.origin is Origin.PIN else []
        ),
        importance=max(survivor.importance, absorbed.importance),
        created_at=min(survivor.created_at, absorbed.created_at),
        activation_count=survivor.activation_count + absorbed.activation_count,
        child_ids=_ordered_union(survivor.child_ids, absorbed.child_ids),
        files=_ordered_union(absorbed.files, survivor.files)[-MOST_THREAD_FILES:],
        commit=survivor.commit or absorbed.commit,
        set_aside=tuple(sorted({*survivor.set_aside, *absorbed.set_aside})),
    )


def bridges_of_threads(store: ThreadStore, thread_ids: Iterable[str]) -> list[Bridge]:
    """Return the bridges from and to any of these threads, also unwanted ones, each once."""
    found = (each for id_ in thread_ids for each in store.bridges.of(id_, unwanted=True))
    return list({bridge.id: bridge for bridge in found}.values())


def redirected_bridges(
    bridges: Iterable[Bridge], heirs: Mapping[str, str], strength: Callable[[Bridge], float]
) -> list[BridgeEdit]:
    """Return what becomes of bridges when threads take the places of others, their heirs.

    Those of an absorbed thread lead to and from its survivor, one between the two goes, and
    of several that say the same the strongest stays. One that somebody took away does not
    come back by way of another. Given are all bridges of the absorbed and of the survivors.
    """
    stored = {bridge.id: bridge for bridge in bridges}
    groups: dict[tuple[object, ...], list[Bridge]] = {}
    for bridge in stored.values():
        moved = _redirected_bridge(bridge, heirs)
        if moved is not None:
            groups.setdefault(_bridge_meaning(moved), []).append(moved)
    kept = [
        max(group, key=lambda each: (each.unwanted, strength(each), each.id))
        for group in groups.values()
    ]
    after = {bridge.id: bridge for bridge in kept}
    ids = [*stored, *(id_ for id_ in after if id_ not in stored)]
    return [
        BridgeEdit(stored.get(id_), after.get(id_))
        for id_ in ids
        if stored.get(id_) != after.get(id_)
    ]


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


def _ordered_union(*several: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for some in several for each in some))
