"""Split a thread that came to be about several subjects.

Each child takes the messages it is given and is locked against merging; the
parent keeps the others, its place among the threads, and its bridges.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import combinations

from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Event
from ai_smartness.model.journal import BridgeEdit, Change, Move, ThreadEdit
from ai_smartness.model.split import Part
from ai_smartness.model.thread import Origin, SplitLock, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.bridges import bridge_id
from ai_smartness.threads.concern import Concerns
from ai_smartness.threads.order import in_said_order
from ai_smartness.threads.outline import Outliner
from ai_smartness.threads.plan import Plan, counted, edited, refuse_absorbed
from ai_smartness.threads.rename import given
from ai_smartness.threads.thread_id import thread_id

__all__ = ["split"]

CHILD_SHARE = 0.8
"""Of the parent's weight: what was set aside matters a little less than what was kept."""

CHILD_BRIDGE_WEIGHT = 0.8
SIBLING_BRIDGE_WEIGHT = 0.5

MADE_BY = "split"


def split(
    store: ThreadStore,
    parent_id: str,
    parts: Sequence[Part],
    *,
    lock: SplitLock,
    now: datetime,
    session: str | None = None,
) -> Plan:
    """Plan to put groups of a stored thread's messages on threads of their own."""
    parent = store.threads.get(parent_id)
    refuse_absorbed(parent, "split")
    events = store.events.of_thread(parent.id)
    groups = grouped(parent, events, parts)
    taken = {event.seq for group in groups for event in group}
    left = [event for event in events if event.seq not in taken]
    if not left:
        msg = (
            f"cannot split {parent.id}: all its {len(events)} messages would go, and it would be "
            "left empty. Leave at least one out of the groups; what is not named stays."
        )
        raise RefusedError(msg)
    outliner = Outliner(store, parent.project)
    locked = _locked(parent, events, lock, session)
    children = [
        _described(outliner, child, group)
        for child, group in zip(_children(store, locked, parts, groups, now), groups, strict=True)
    ]
    ids = tuple(child.id for child in children)
    rest = replace(parent, child_ids=(*parent.child_ids, *ids))
    copies = _copied(store, parent, events, dict(zip(ids, groups, strict=True)))
    change = Change(
        (
            edited(parent, _described(outliner, rest, left)),
            *(ThreadEdit(None, child) for child in children),
        ),
        tuple(
            Move(parent.id, child.id, tuple(event.seq for event in group))
            for child, group in zip(children, groups, strict=True)
        ),
        tuple(BridgeEdit(None, each) for each in (*_family(parent, children, now), *copies)),
    )
    titles = ", ".join(f"{child.id} “{child.title}”" for child in children)
    said = (
        f"Split {parent.id}: {len(taken)} of its {counted(len(events))} went to {titles}, "
        f"locked ({lock}). The other {len(left)} stayed."
    )
    return Plan(parent.project, said, change, (parent.id, *ids))


def grouped(parent: Thread, events: Sequence[Event], parts: Sequence[Part]) -> list[list[Event]]:
    """Return the messages of each part, in order; refuse what cannot be split that way."""
    if not parts:
        msg = (
            f"cannot split {parent.id}: no group of messages was given. "
            f"`ais threads split {parent.id}` lists its messages and proposes groups."
        )
        raise RefusedError(msg)
    groups: list[list[Event]] = []
    taken: dict[int, str] = {}
    known = {event.id: event for event in events}
    for part in parts:
        found = [known.get(each) or _named(parent, events, each) for each in part.messages]
        if not found:
            msg = (
                f"cannot split {parent.id}: no message is given for “{part.title}”. "
                "Name at least one, or leave that title out."
            )
            raise RefusedError(msg)
        for event in found:
            if event.seq in taken:
                msg = (
                    f"cannot split {parent.id}: message {event.id} is named twice (for "
                    f"“{taken[event.seq]}” and “{part.title}”). A message is on one thread: "
                    "name it once."
                )
                raise RefusedError(msg)
            taken[event.seq] = part.title
        groups.append(sorted(found, key=lambda event: event.seq))
    return groups


def _named(parent: Thread, events: Sequence[Event], message_id: str) -> Event:
    """Return the event that a start of an id means."""
    meant = [event for event in events if message_id and event.id.startswith(message_id)]
    if len(meant) == 1:
        return meant[0]
    if not meant:
        elsewhere = f" (its children: {', '.join(parent.child_ids)})" if parent.child_ids else ""
        msg = (
            f"cannot split {parent.id}: it has no message {message_id or '(empty id)'}{elsewhere}. "
            f"`ais threads split {parent.id}` lists those it has."
        )
        raise NotFoundError(msg)
    some = ", ".join(event.id for event in meant[:3])
    msg = f"{message_id} is the start of several message ids ({some} …). Give more of it."
    raise RefusedError(msg)


def _locked(
    parent: Thread, events: Sequence[Event], lock: SplitLock, session: str | None
) -> Thread:
    """Return what every child is like: the parent, lighter, as something split off it."""
    latest = next((event.session for event in reversed(events) if event.session), None)
    return Thread(
        id="",
        project=parent.project,
        title="",
        created_at=parent.created_at,
        last_active=parent.last_active,
        kind=parent.kind,
        importance=parent.importance,
        status=parent.status,
        tags=parent.tags,
        weight=parent.weight * CHILD_SHARE,
        origin=Origin.SPLIT,
        parent_id=parent.id,
        split_lock=lock,
        lock_session=(session or latest) if lock is SplitLock.COMPACTION else None,
        title_given=True,
        relevance=parent.relevance,
    )


def _children(
    store: ThreadStore,
    like: Thread,
    parts: Sequence[Part],
    groups: Sequence[Sequence[Event]],
    now: datetime,
) -> Iterable[Thread]:
    for part, group in zip(parts, groups, strict=True):
        first = min(group, key=lambda event: (event.at, event.seq))
        # Made with the moment of the split, so that the id of an undone child is not used again.
        salt = f"split {now.isoformat()}"
        attempt = 0
        while store.threads.has(thread_id(first, attempt, salt)):
            attempt += 1
        yield replace(
            like,
            id=thread_id(first, attempt, salt),
            title=given(part.title),
            created_at=first.at,
        )


def _described(outliner: Outliner, thread: Thread, events: Sequence[Event]) -> Thread:
    return outliner.with_files_of(outliner.outlined(thread, in_said_order(events)), events)


def _family(parent: Thread, children: Sequence[Thread], now: datetime) -> list[Bridge]:
    of_parent = Bridge(
        id="",
        source="",
        target=parent.id,
        relation=Relation.CHILD_OF,
        weight=CHILD_BRIDGE_WEIGHT,
        reason=f"split from {parent.id}",
        confidence=1.0,
        made_by=MADE_BY,
        last_used=now,
    )
    of_sibling = replace(of_parent, relation=Relation.SIBLING, weight=SIBLING_BRIDGE_WEIGHT)
    return [
        *(_between(of_parent, child.id, parent.id) for child in children),
        *(_between(of_sibling, one.id, other.id) for one, other in combinations(children, 2)),
    ]


def _copied(
    store: ThreadStore, parent: Thread, events: Sequence[Event], groups: Mapping[str, list[Event]]
) -> Iterator[Bridge]:
    """Yield the parent's bridges once more for each child whose messages they concern."""
    concerns = Concerns(events)
    for bridge in store.bridges.of(parent.id):
        outwards = bridge.source == parent.id
        other = store.threads.get(bridge.target if outwards else bridge.source)
        for child, group in groups.items():
            if concerns.hold(bridge, other, group):
                ends = (child, other.id) if outwards else (other.id, child)
                yield _between(replace(bridge, made_by=MADE_BY), *ends)


def _between(like: Bridge, source: str, target: str) -> Bridge:
    id_ = bridge_id(source, target, like.relation)
    return replace(like, id=id_, source=source, target=target)
