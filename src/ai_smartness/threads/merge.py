"""Merge two threads about one subject.

The survivor keeps its id and takes the other's messages. The absorbed
thread is archived, never deleted, so its trail can be followed back.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.journal import BridgeEdit, Change, Move
from ai_smartness.model.thread import Origin, Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.bridges import bridge_id, faded
from ai_smartness.threads.decay import PINNED, decayed, raised
from ai_smartness.threads.locks import refuse_locked
from ai_smartness.threads.order import in_said_order
from ai_smartness.threads.outline import THREAD_FILES, Outliner
from ai_smartness.threads.plan import MERGED_INTO, Plan, counted, edited, refuse_absorbed

__all__ = ["merge", "merged", "redirected"]

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
) -> Plan:
    """Plan to put the messages of one stored thread on another."""
    survivor, absorbed = store.threads.get(survivor_id), store.threads.get(absorbed_id)
    refuse_merge(survivor, absorbed, force=force)
    theirs = store.events.of_thread(absorbed.id)
    origin = dict.fromkeys((event.seq for event in theirs), absorbed.id)
    all_events = sorted(
        [*store.events.of_thread(survivor.id), *theirs], key=lambda event: event.seq
    )
    kept, archived = merged(survivor, absorbed, now, half_life_days)
    described = Outliner(store, survivor.project).outlined(kept, in_said_order(all_events, origin))
    # Who merges into a thread knows it by its title; the topics are those of both.
    kept = replace(described, title=kept.title or described.title, topics=kept.topics)
    change = Change(
        (edited(survivor, kept), edited(absorbed, archived)),
        (Move(absorbed.id, survivor.id, tuple(event.seq for event in theirs)),) if theirs else (),
        tuple(
            redirected(
                store.bridges.of(absorbed.id, unwanted=True),
                store.bridges.of(survivor.id, unwanted=True),
                absorbed.id,
                survivor.id,
                lambda bridge: faded(bridge, now, half_life_days),
            )
        ),
    )
    said = (
        f"Merged {absorbed.id} into {survivor.id} “{kept.title}”: {counted(len(theirs))} moved, "
        f"{len(all_events)} in all, weight {kept.weight:.2f}. {absorbed.id} is archived."
    )
    return Plan(survivor.project, said, change, (survivor.id, absorbed.id))


def refuse_merge(survivor: Thread, absorbed: Thread, *, force: bool) -> None:
    """Refuse what cannot be merged, each with the way out."""
    if survivor.id == absorbed.id:
        msg = f"cannot merge {survivor.id} with itself. Name two threads: `ais threads` lists them."
        raise RefusedError(msg)
    if survivor.project != absorbed.project:
        msg = (
            f"cannot merge {absorbed.id} into {survivor.id}: they are of two projects "
            f"({absorbed.project} and {survivor.project}). A thread stays in its project."
        )
        raise RefusedError(msg)
    for thread in (survivor, absorbed):
        refuse_absorbed(thread, "merge")
        refuse_locked(thread, force=force)


def merged(
    survivor: Thread, absorbed: Thread, now: datetime, half_life_days: float
) -> tuple[Thread, Thread]:
    """Return the survivor with what it takes over, and the absorbed thread put away.

    To merge is to use: both weigh what they weigh now, and are active now.
    """
    heavier = max(decayed(each, now, half_life_days).weight for each in (survivor, absorbed))
    children = dict.fromkeys((*survivor.child_ids, *absorbed.child_ids))
    kept = replace(
        survivor,
        topics=_union(survivor.topics, absorbed.topics),
        tags=_union(
            survivor.tags, absorbed.tags, [PINNED] if absorbed.origin is Origin.PIN else []
        ),
        weight=raised(heavier, MERGE_BOOST),
        importance=max(survivor.importance, absorbed.importance),
        status=Status.ACTIVE,
        last_active=max(now, survivor.last_active, absorbed.last_active),
        created_at=min(survivor.created_at, absorbed.created_at),
        activation_count=survivor.activation_count + absorbed.activation_count,
        child_ids=tuple(each for each in children if each not in (survivor.id, absorbed.id)),
        files=_union(absorbed.files, survivor.files)[-THREAD_FILES:],
        commit=survivor.commit or absorbed.commit,
    )
    archived = replace(
        absorbed,
        status=Status.ARCHIVED,
        tags=_union(absorbed.tags, [f"{MERGED_INTO}{survivor.id}"]),
    )
    return kept, archived


def redirected(
    theirs: Iterable[Bridge],
    ours: Iterable[Bridge],
    absorbed: str,
    survivor: str,
    strength: Callable[[Bridge], float],
) -> list[BridgeEdit]:
    """Return what becomes of bridges when one thread takes another's place.

    Those of the absorbed lead to and from the survivor, the one between the
    two goes, and of several that say the same the strongest stays. One that
    somebody took away does not come back by way of the other.
    """
    stored = {bridge.id: bridge for bridge in (*theirs, *ours)}
    groups: dict[tuple[object, ...], list[Bridge]] = {}
    for bridge in stored.values():
        moved = _led_to(bridge, absorbed, survivor)
        if moved is not None:
            groups.setdefault(_meaning(moved), []).append(moved)
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


def _led_to(bridge: Bridge, absorbed: str, survivor: str) -> Bridge | None:
    source = survivor if bridge.source == absorbed else bridge.source
    target = survivor if bridge.target == absorbed else bridge.target
    if source == target:
        return None
    if (source, target) == (bridge.source, bridge.target):
        return bridge
    id_ = bridge_id(source, target, bridge.relation)
    return replace(bridge, id=id_, source=source, target=target)


def _meaning(bridge: Bridge) -> tuple[object, ...]:
    ends = (bridge.source, bridge.target)
    return (tuple(sorted(ends)) if bridge.relation in SYMMETRIC else ends, bridge.relation)


def _union(*several: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for some in several for each in some))
