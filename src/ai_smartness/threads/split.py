"""Split a thread that has come to be about several subjects.

Each child takes its group of messages and is locked against merging. The parent keeps the
other messages and its bridges; a bridge that concerns a child's messages is copied to it.
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
from ai_smartness.model.short_ids import MESSAGE_ID_START, id_starts
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
from ai_smartness.threads.decay import WHOLE_TAG
from ai_smartness.threads.ids import free_thread_id
from ai_smartness.threads.redescribe import Redescriber
from ai_smartness.threads.rename import validated_title

__all__ = ["keep_whole", "split"]

CHILD_WEIGHT_SHARE = 0.8  # of the parent's weight: a part matters a little less than the whole
CHILD_BRIDGE_WEIGHT = 0.8
SIBLING_BRIDGE_WEIGHT = 0.5
CONCERNED_SHARE = 0.5  # of a bridge's keywords, in a child's messages, to get a copy

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
    """Plan to move groups of a stored thread's messages to threads of their own."""
    parent = store.threads.get(parent_id)
    refuse_absorbed(parent, "split")
    events = store.events.of_thread(parent.id)
    groups = _grouped_events(parent, events, parts)
    leaving = {event.seq for group in groups for event in group}
    staying = [event for event in events if event.seq not in leaving]
    if not staying:
        msg = (
            f"cannot split {parent.id}: all its {len(events)} messages would go, and it would be "
            "left empty. Leave at least one out of the groups; what is not named stays."
        )
        raise RefusedError(msg)
    redescriber = Redescriber(store, parent.project)
    template = _child_template(parent, events, lock, session)
    children = [
        redescriber.redescribed_with_files(_new_child(store, template, part, group, now), group)
        for part, group in zip(parts, groups, strict=True)
    ]
    ids = tuple(child.id for child in children)
    rest = replace(parent, child_ids=(*parent.child_ids, *ids))
    bridges = [
        *_family_bridges(parent, children, now),
        *_copied_bridges(store, parent, events, dict(zip(ids, groups, strict=True))),
    ]
    change = Change(
        (
            thread_edit(parent, redescriber.redescribed_with_files(rest, staying)),
            *(ThreadEdit(None, child) for child in children),
        ),
        tuple(
            Move(parent.id, id_, tuple(event.seq for event in group))
            for id_, group in zip(ids, groups, strict=True)
        ),
        tuple(BridgeEdit(None, bridge) for bridge in bridges),
    )
    titles = ", ".join(f"{child.id} “{child.title}”" for child in children)
    sentence = (
        f"Split {parent.id}: {len(leaving)} of its {counted_messages(len(events))} went to "
        f"{titles}, locked ({lock}). The other {len(staying)} stayed."
    )
    return ChangePlan(parent.project, sentence, change, (parent.id, *ids))


def keep_whole(store: ThreadStore, thread_id: str) -> ChangePlan:
    """Plan to remember that a thread has one subject: no split is suggested."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "keep")
    if WHOLE_TAG in thread.tags:
        msg = f"{thread.id} is kept whole already. `ais log {thread.id}` shows since when."
        raise RefusedError(msg)
    whole = replace(thread, tags=(*thread.tags, WHOLE_TAG))
    return ChangePlan.for_thread(
        thread, whole, f"{thread.id} is one subject: no split is suggested."
    )


def _grouped_events(
    parent: Thread, events: Sequence[Event], parts: Sequence[SplitPart]
) -> list[list[Event]]:
    """Return the messages of each part, in order; refuse empty and overlapping parts."""
    if not parts:
        problem = f"cannot split {parent.id}: no group of messages was given."
        remedy = Remedy(SplitProposalLink(parent.id), "{} lists its messages and proposes groups")
        raise RefusedError(problem, remedy)
    groups: list[list[Event]] = []
    title_by_seq: dict[int, str] = {}
    known = {event.id: event for event in events}
    for part in parts:
        group = [known.get(id_) or _named_event(parent, events, id_) for id_ in part.messages]
        if not group:
            msg = (
                f"cannot split {parent.id}: no message is given for “{part.title}”. "
                "Name at least one, or leave that title out."
            )
            raise RefusedError(msg)
        for event in group:
            if event.seq in title_by_seq:
                msg = (
                    f"cannot split {parent.id}: message {event.id} is named twice (for "
                    f"“{title_by_seq[event.seq]}” and “{part.title}”). A message is on one thread: "
                    "name it once."
                )
                raise RefusedError(msg)
            title_by_seq[event.seq] = part.title
        groups.append(sorted(group, key=lambda event: event.seq))
    return groups


def _named_event(parent: Thread, events: Sequence[Event], message_id: str) -> Event:
    """Return the event whose id starts like this."""
    starts = id_starts(MESSAGE_ID_START, message_id) if message_id else ()
    matches = [event for event in events if event.id.startswith(starts)]
    if len(matches) == 1:
        return matches[0]
    if not matches:
        elsewhere = f" (its children: {', '.join(parent.child_ids)})" if parent.child_ids else ""
        name = message_id or "(empty id)"
        problem = f"cannot split {parent.id}: it has no message {name}{elsewhere}."
        remedy = Remedy(SplitProposalLink(parent.id), "{} lists those it has")
        raise NotFoundError(problem, remedy)
    some = ", ".join(event.id for event in matches[:3])
    msg = f"{message_id} is the start of several message ids ({some} …). Give more of it."
    raise RefusedError(msg)


def _child_template(
    parent: Thread, events: Sequence[Event], lock: SplitLock, session: str | None
) -> Thread:
    """Return the fields that all children have: those of the parent, with less weight."""
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
        weight=parent.weight * CHILD_WEIGHT_SHARE,
        origin=Origin.SPLIT,
        parent_id=parent.id,
        split_lock=lock,
        lock_session=(session or latest) if lock is SplitLock.COMPACTION else None,
        title_given=True,
        relevance=parent.relevance,
    )


def _new_child(
    store: ThreadStore, template: Thread, part: SplitPart, group: Sequence[Event], now: datetime
) -> Thread:
    first = min(group, key=lambda event: (event.at, event.seq))
    # Made with the moment of the split, so that the id of an undone child is not used again.
    id_ = free_thread_id(store, first, salt=f"split {now.isoformat()}")
    return replace(template, id=id_, title=validated_title(part.title), created_at=first.at)


def _family_bridges(parent: Thread, children: Sequence[Thread], now: datetime) -> list[Bridge]:
    to_parent = Bridge(
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
    to_sibling = replace(to_parent, relation=Relation.SIBLING, weight=SIBLING_BRIDGE_WEIGHT)
    return [
        *(_bridge_between(to_parent, child.id, parent.id) for child in children),
        *(_bridge_between(to_sibling, a.id, b.id) for a, b in combinations(children, 2)),
    ]


def _copied_bridges(
    store: ThreadStore, parent: Thread, events: Sequence[Event], groups: Mapping[str, list[Event]]
) -> Iterator[Bridge]:
    """Yield a copy of the parent's bridges for each child whose messages they concern."""
    keywords = _EventKeywords(events)
    for bridge in store.bridges.of(parent.id):
        outwards = bridge.source == parent.id
        other = store.threads.get(bridge.target if outwards else bridge.source)
        for child, group in groups.items():
            if keywords.concern(bridge, other, group):
                ends = (child, other.id) if outwards else (other.id, child)
                yield _bridge_between(replace(bridge, made_by=MADE_BY), *ends)


class _EventKeywords:
    """The keywords of a thread's messages.

    A bridge concerns the messages with the keywords of its reason. If the thread has none
    of these, it concerns those about the subject of the thread at its other end.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        self._by_seq = {event.seq: frozenset(extract_keywords(event.text)) for event in events}
        self._all = frozenset[str]().union(*self._by_seq.values())

    def concern(self, bridge: Bridge, other: Thread, group: Iterable[Event]) -> bool:
        """Say whether a bridge to another thread concerns a group of the messages."""
        subject = f"{other.title} {' '.join(other.topics)}"
        about = self._all.intersection(extract_keywords(bridge.reason))
        about = about or self._all.intersection(extract_keywords(subject))
        in_group = about & frozenset[str]().union(*(self._by_seq[event.seq] for event in group))
        return bool(about) and len(in_group) >= CONCERNED_SHARE * len(about)


def _bridge_between(template: Bridge, source: str, target: str) -> Bridge:
    id_ = bridge_id(source, target, template.relation)
    return replace(template, id=id_, source=source, target=target)
