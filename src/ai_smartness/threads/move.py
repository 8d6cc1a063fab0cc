"""Move one message to another thread, where it belongs better."""

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import Change, Move
from ai_smartness.model.link import MergeLink, Remedy
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, refuse_absorbed, thread_edit
from ai_smartness.threads.redescribe import Redescriber

__all__ = ["move"]


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
    )
    sentence = f"Moved {event.id} from {source.id} to {target.id} “{target.title}”."
    return ChangePlan(target.project, sentence, change, (target.id, source.id))


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
