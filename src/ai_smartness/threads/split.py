"""Split a thread that came to be about several subjects.

Each child takes the messages it is given and is locked against merging; the
parent keeps the others, its place among the threads, and its bridges.

Whether a bridge of a thread concerns some of its messages.

A bridge says why it was made. It concerns the messages that hold what it speaks
of; where the reason is not in the thread's own words, those that speak of what
the thread at its other end is about.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import combinations

from ai_smartness.describe.relations import bridge_id
from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Event
from ai_smartness.model.journal import BridgeEdit, Change, Move, ThreadEdit
from ai_smartness.model.link import Remedy, SplitProposalLink
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import Origin, SplitLock, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.text.keywords import extract_keywords
from ai_smartness.threads.change_plan import (
    ChangePlan,
    counted_messages,
    refuse_absorbed,
    thread_edit,
)
from ai_smartness.threads.ids import new_thread_id
from ai_smartness.threads.message_order import in_conversation_order
from ai_smartness.threads.redescribe import Redescriber
from ai_smartness.threads.rename import validated_title

__all__ = ["BridgeConcerns", "split"]


CHILD_SHARE = 0.8
"""Of the parent's weight: what was set aside matters a little less than what was kept."""

CHILD_BRIDGE_WEIGHT = 0.8
SIBLING_BRIDGE_WEIGHT = 0.5

MADE_BY = "split"


def split(
    store: ThreadStore,
    parent_id: str,
    parts: Sequence[SplitPart],
    *,
    lock: SplitLock,
    now: datetime,
    session: str | None = None,
) -> ChangePlan:
    """Plan to put groups of a stored thread's messages on threads of their own."""
    parent = store.threads.get(parent_id)
    refuse_absorbed(parent, "split")
    events = store.events.of_thread(parent.id)
    groups = grouped_events(parent, events, parts)
    taken = {event.seq for group in groups for event in group}
    left = [event for event in events if event.seq not in taken]
    if not left:
        msg = (
            f"cannot split {parent.id}: all its {len(events)} messages would go, and it would be "
            "left empty. Leave at least one out of the groups; what is not named stays."
        )
        raise RefusedError(msg)
    outliner = Redescriber(store, parent.project)
    locked = _child_template(parent, events, lock, session)
    children = [
        _redescribed(outliner, child, group)
        for child, group in zip(
            _new_children(store, locked, parts, groups, now), groups, strict=True
        )
    ]
    ids = tuple(child.id for child in children)
    rest = replace(parent, child_ids=(*parent.child_ids, *ids))
    copies = _copied_bridges(store, parent, events, dict(zip(ids, groups, strict=True)))
    change = Change(
        (
            thread_edit(parent, _redescribed(outliner, rest, left)),
            *(ThreadEdit(None, child) for child in children),
        ),
        tuple(
            Move(parent.id, child.id, tuple(event.seq for event in group))
            for child, group in zip(children, groups, strict=True)
        ),
        tuple(
            BridgeEdit(None, each) for each in (*_family_bridges(parent, children, now), *copies)
        ),
    )
    titles = ", ".join(f"{child.id} “{child.title}”" for child in children)
    said = (
        f"Split {parent.id}: {len(taken)} of its {counted_messages(len(events))} went to {titles}, "
        f"locked ({lock}). The other {len(left)} stayed."
    )
    return ChangePlan(parent.project, said, change, (parent.id, *ids))


def grouped_events(
    parent: Thread, events: Sequence[Event], parts: Sequence[SplitPart]
) -> list[list[Event]]:
    """Return the messages of each part, in order; refuse what cannot be split that way."""
    if not parts:
        problem = f"cannot split {parent.id}: no group of messages was given."
        remedy = Remedy(SplitProposalLink(parent.id), "{} lists its messages and proposes groups")
        raise RefusedError(problem, remedy)
    groups: list[list[Event]] = []
    taken: dict[int, str] = {}
    known = {event.id: event for event in events}
    for part in parts:
        found = [known.get(each) or _named_event(parent, events, each) for each in part.messages]
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


def _named_event(parent: Thread, events: Sequence[Event], message_id: str) -> Event:
    """Return the event that a start of an id means."""
    meant = [event for event in events if message_id and event.id.startswith(message_id)]
    if len(meant) == 1:
        return meant[0]
    if not meant:
        elsewhere = f" (its children: {', '.join(parent.child_ids)})" if parent.child_ids else ""
        name = message_id or "(empty id)"
        problem = f"cannot split {parent.id}: it has no message {name}{elsewhere}."
        remedy = Remedy(SplitProposalLink(parent.id), "{} lists those it has")
        raise NotFoundError(problem, remedy)
    some = ", ".join(event.id for event in meant[:3])
    msg = f"{message_id} is the start of several message ids ({some} …). Give more of it."
    raise RefusedError(msg)


def _child_template(
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


def _new_children(
    store: ThreadStore,
    like: Thread,
    parts: Sequence[SplitPart],
    groups: Sequence[Sequence[Event]],
    now: datetime,
) -> Iterable[Thread]:
    for part, group in zip(parts, groups, strict=True):
        first = min(group, key=lambda event: (event.at, event.seq))
        # Made with the moment of the split, so that the id of an undone child is not used again.
        salt = f"split {now.isoformat()}"
        attempt = 0
        while store.threads.has(new_thread_id(first, attempt, salt)):
            attempt += 1
        yield replace(
            like,
            id=new_thread_id(first, attempt, salt),
            title=validated_title(part.title),
            created_at=first.at,
        )


def _redescribed(outliner: Redescriber, thread: Thread, events: Sequence[Event]) -> Thread:
    return outliner.with_files_of(
        outliner.redescribed_thread(thread, in_conversation_order(events)), events
    )


def _family_bridges(parent: Thread, children: Sequence[Thread], now: datetime) -> list[Bridge]:
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
        *(_bridge_between(of_parent, child.id, parent.id) for child in children),
        *(
            _bridge_between(of_sibling, one.id, other.id)
            for one, other in combinations(children, 2)
        ),
    ]


def _copied_bridges(
    store: ThreadStore, parent: Thread, events: Sequence[Event], groups: Mapping[str, list[Event]]
) -> Iterator[Bridge]:
    """Yield the parent's bridges once more for each child whose messages they concern."""
    concerns = BridgeConcerns(events)
    for bridge in store.bridges.of(parent.id):
        outwards = bridge.source == parent.id
        other = store.threads.get(bridge.target if outwards else bridge.source)
        for child, group in groups.items():
            if concerns.concerns_events(bridge, other, group):
                ends = (child, other.id) if outwards else (other.id, child)
                yield _bridge_between(replace(bridge, made_by=MADE_BY), *ends)


def _bridge_between(like: Bridge, source: str, target: str) -> Bridge:
    id_ = bridge_id(source, target, like.relation)
    return replace(like, id=id_, source=source, target=target)


CONCERNED_SHARE = 0.5
"""Of the words that the bridge and the whole thread share, what some messages must hold."""


class BridgeConcerns:
    """What a thread's messages speak of, against which its bridges are held."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._terms_by_event = {
            event.seq: frozenset(extract_keywords(event.text)) for event in events
        }
        self._all_terms = frozenset[str]().union(*self._terms_by_event.values())

    def concerns_events(self, bridge: Bridge, other: Thread, some: Iterable[Event]) -> bool:
        """Say whether a bridge to another thread concerns some of the messages."""
        about = frozenset(extract_keywords(bridge.reason)) & self._all_terms
        about = (
            about
            or frozenset(extract_keywords(f"{other.title} {' '.join(other.topics)}"))
            & self._all_terms
        )
        held = about & frozenset[str]().union(*(self._terms_by_event[event.seq] for event in some))
        return bool(about) and len(held) >= CONCERNED_SHARE * len(about)
