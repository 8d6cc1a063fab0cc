"""Move one message to another thread, where it belongs better.

A bridge that was found in this message alone moves with it.
"""

import re
from collections.abc import Sequence

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import BridgeEdit, Change, Move
from ai_smartness.model.link import MergeLink, Remedy
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.text.keywords import extract_keywords
from ai_smartness.threads.change_plan import ChangePlan, refuse_absorbed, thread_edit
from ai_smartness.threads.merge import redirected_bridges
from ai_smartness.threads.redescribe import Redescriber

__all__ = ["move"]

FOUND_IN_MESSAGES = frozenset({"similarity", "statements"})
"""How a bridge is marked that nobody made; the others stay where they were put."""

_QUOTE = re.compile(r'"([^"]+)"')


def move(store: ThreadStore, message_id: str, thread_id: str) -> ChangePlan:
    """Plan to move a stored message to another thread."""
    target = store.threads.get(thread_id)
    event = store.events.get(target.project, message_id)
    source = store.threads.get(event.thread_id)
    refuse_absorbed(target, "move a message to")
    staying = [other for other in store.events.of_thread(source.id) if other.seq != event.seq]
    _refuse_move(event, source, target, is_last=not staying)
    joined = sorted([*store.events.of_thread(target.id), event], key=lambda event: event.seq)
    redescriber = Redescriber(store, target.project)
    change = Change(
        (
            thread_edit(source, redescriber.redescribed_with_files(source, staying)),
            thread_edit(target, redescriber.redescribed_with_files(target, joined)),
        ),
        (Move(source.id, target.id, (event.seq,)),),
        tuple(_bridge_edits(store, event, staying, target)),
    )
    sentence = f"Moved {event.id} from {source.id} to {target.id} “{target.title}”."
    return ChangePlan(target.project, sentence, change, (target.id, source.id))


def _bridge_edits(
    store: ThreadStore, event: Event, staying: Sequence[Event], target: Thread
) -> list[BridgeEdit]:
    """Lead the bridges that rest on the moved message to its new thread."""
    source = event.thread_id
    resting = [one for one in store.bridges.of(source) if _rests_on(one, event, staying)]
    if not resting:
        return []
    others = [
        bridge
        for bridge in store.bridges.of(target.id, unwanted=True)
        if source not in (bridge.source, bridge.target)
    ]
    heirs = {source: target.id}
    return redirected_bridges([*resting, *others], heirs, lambda bridge: bridge.weight)


def _rests_on(bridge: Bridge, event: Event, staying: Sequence[Event]) -> bool:
    """Say whether only this message of its thread has what a bridge was found by."""
    if bridge.made_by not in FOUND_IN_MESSAGES:
        return False
    text, other_texts = _one_line(event), [_one_line(other) for other in staying]
    quotes = [quote.rstrip("…") for quote in _QUOTE.findall(bridge.reason)]
    if quoted := [quote for quote in quotes if quote in text]:
        return not any(quote in other for quote in quoted for other in other_texts)
    terms = set(extract_keywords(bridge.reason)).intersection(extract_keywords(text))
    return bool(terms) and all(terms.isdisjoint(extract_keywords(other)) for other in other_texts)


def _one_line(event: Event) -> str:
    return " ".join(event.text.split())


def _refuse_move(event: Event, source: Thread, target: Thread, *, is_last: bool) -> None:
    """Refuse to move a compaction, to move nowhere, and to leave an empty thread."""
    if event.type is EventType.COMPACTION:
        msg = (
            f"cannot move {event.id}: it is a compaction, and stands for messages of {source.id}. "
            f"`ais threads restore {source.id} --before {event.id}` shows those again."
        )
        raise RefusedError(msg)
    if source.id == target.id:
        msg = f"cannot move {event.id}: it is on {target.id} already."
        raise RefusedError(msg)
    if is_last:
        alone = f"it is the only message of {source.id}, which would be left empty"
        problem = f"cannot move {event.id}: {alone}."
        raise RefusedError(problem, Remedy(MergeLink(target.id, source.id), "Run {} instead"))
