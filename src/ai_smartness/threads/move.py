"""Put one message on another thread, where it belongs better."""

from collections.abc import Sequence

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import Change, Move
from ai_smartness.model.link import MergeLink, Remedy
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, refuse_absorbed, thread_edit
from ai_smartness.threads.history import in_conversation_order
from ai_smartness.threads.redescribe import Redescriber

__all__ = ["move"]


def move(store: ThreadStore, message_id: str, thread_id: str) -> ChangePlan:
    """Plan to put a stored message on another thread."""
    target = store.threads.get(thread_id)
    event = store.events.get(target.project, message_id)
    source = store.threads.get(event.thread_id)
    refuse_absorbed(target, "move a message to")
    left = [each for each in store.events.of_thread(source.id) if each.seq != event.seq]
    refuse_move(event, source, target, left)
    outliner = Redescriber(store, target.project)
    taken = sorted([*store.events.of_thread(target.id), event], key=lambda each: each.seq)
    change = Change(
        (
            thread_edit(source, _redescribed(outliner, source, left)),
            thread_edit(target, _redescribed(outliner, target, taken)),
        ),
        (Move(source.id, target.id, (event.seq,)),),
    )
    said = f"Moved {event.id} from {source.id} to {target.id} “{target.title}”."
    return ChangePlan(target.project, said, change, (target.id, source.id))


def refuse_move(event: Event, source: Thread, target: Thread, left: Sequence[Event]) -> None:
    """Refuse a move to where the message is, and one that leaves an empty thread."""
    if event.type is EventType.COMPACTION:
        msg = (
            f"cannot move {event.id}: it is a compaction, and stands for messages of {source.id}. "
            f"`ais threads restore {source.id} --before {event.id}` shows those again."
        )
        raise RefusedError(msg)
    if source.id == target.id:
        msg = f"cannot move {event.id}: it is on {target.id} already."
        raise RefusedError(msg)
    if not left:
        problem = (
            f"cannot move {event.id}: it is the only message of {source.id}, which would be left "
            "empty."
        )
        raise RefusedError(problem, Remedy(MergeLink(target.id, source.id), "Run {} instead"))


def _redescribed(outliner: Redescriber, thread: Thread, events: Sequence[Event]) -> Thread:
    return outliner.with_files_of(
        outliner.redescribed_thread(thread, in_conversation_order(events)),
        events,
    )
