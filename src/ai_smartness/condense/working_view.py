"""Show a thread as an agent should see it: its working view, earlier views, and all events.

The working view leaves out the events that an active compaction covers, and shows the
compaction's replacements in their place. `restore` makes an earlier view current again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ai_smartness.model.condensation import (
    CONDENSER,
    Condensation,
    active_condensations,
    covered_seqs,
    visible_condensations,
)
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import Change, ThreadEdit
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, compactions_on, refuse_absorbed
from ai_smartness.threads.message_order import in_conversation_order, message_origins

__all__ = [
    "all_events_on",
    "restore",
    "restored_thread",
    "view_after",
    "visible_events",
    "working_view",
]


def working_view(store: ThreadStore, thread: Thread) -> list[Event]:
    """Return a thread's events as an agent should see them."""
    compactions = active_condensations(compactions_on(store, thread.id), thread.set_aside)
    events, origins = store.events.in_view(thread.id), _event_origins(store, thread)
    return visible_events(thread, events, compactions, origins)


def view_after(store: ThreadStore, thread: Thread, compactions: int) -> list[Event]:
    """Return the working view as it was after this many compactions; 0 is before the first."""
    made = compactions_on(store, thread.id)
    if not 0 <= compactions <= len(made):
        count = "1 compaction" if len(made) == 1 else f"{len(made)} compactions"
        msg = (
            f"{thread.id} has {count}: it cannot be shown after {compactions}. "
            "0 shows it as it was before the first."
        )
        raise NotFoundError(msg)
    events = store.events.of_thread(thread.id)
    active: list[Condensation] = []
    if compactions:
        last = made[compactions - 1]
        active = [c for c in made if c.seq == last.seq or c.seq in last.beside]
        events = [event for event in events if event.seq < last.seq]
    elif made:
        events = [event for event in events if event.seq < made[0].seq]
    return visible_events(thread, events, active, _event_origins(store, thread))


def all_events_on(store: ThreadStore, thread: Thread) -> list[Event]:
    """Return every event of a thread and every compaction, in order."""
    compactions = store.events.compactions_of(thread.id)
    events = sorted([*store.events.of_thread(thread.id), *compactions], key=lambda event: event.seq)
    # A source of its own: without a session, but not part of what has none.
    own = {event.seq: CONDENSER for event in compactions}
    return in_conversation_order(events, {**_event_origins(store, thread), **own})


def visible_events(
    thread: Thread,
    events: Iterable[Event],
    compactions: Sequence[Condensation],
    origins: Mapping[int, str],
) -> list[Event]:
    """Return the view of events, given by ascending `seq`, under active compactions."""
    covered = covered_seqs(compactions)
    visible = {compaction.id: compaction for compaction in visible_condensations(compactions)}
    placeholders = [_placeholder_event(thread, compaction) for compaction in visible.values()]
    uncovered = [event for event in events if event.seq not in covered]
    by_seq = sorted([*uncovered, *placeholders], key=lambda event: event.seq)
    view: list[Event] = []
    for event in in_conversation_order(by_seq, origins):
        if event.type is EventType.COMPACTION:
            view += _replacement_events(thread, visible[event.id])
        else:
            view.append(event)
    return view


def _placeholder_event(thread: Thread, compaction: Condensation) -> Event:
    """Return an event in the place of the first one that a compaction covers."""
    return Event(
        id=compaction.id,
        project=thread.project,
        thread_id=thread.id,
        session=compaction.anchor.session,
        type=EventType.COMPACTION,
        role="note",
        text="",
        at=compaction.anchor.at,
        source=CONDENSER,
        seq=compaction.anchor.seq,
    )


def _replacement_events(thread: Thread, compaction: Condensation) -> list[Event]:
    """Return a compaction's replacements as events; they are not stored and have no `seq`."""
    return [
        Event(
            id=f"{compaction.id}.{number}",
            project=thread.project,
            thread_id=thread.id,
            session=compaction.anchor.session,
            type=replacement.type,
            role=replacement.role,
            text=replacement.text,
            payload=replacement.payload,
            at=replacement.at,
            source=CONDENSER,
        )
        for number, replacement in enumerate(compaction.replacements, 1)
    ]


def _event_origins(store: ThreadStore, thread: Thread) -> dict[int, str]:
    return message_origins(thread.id, store.journal.entries_touching(thread.id))


def restore(store: ThreadStore, thread_id: str, before: str) -> ChangePlan:
    """Plan to set a compaction and all later ones aside, and to reactivate those it replaced."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "restore")
    compactions = compactions_on(store, thread.id)
    compaction = _named_compaction(thread, compactions, before)
    after = restored_thread(thread, compactions, compaction)
    if after == thread:
        msg = f"{thread.id} is shown as it was before {compaction.id} already."
        raise RefusedError(msg)
    aside = sum(other.seq in after.set_aside for other in compactions)
    sentence = (
        f"Restored {thread.id} as it was before {compaction.id}: {aside} of its "
        f"{len(compactions)} compactions set aside."
    )
    return ChangePlan(thread.project, sentence, Change((ThreadEdit(thread, after),)), (thread.id,))


def restored_thread(
    thread: Thread, compactions: list[Condensation], compaction: Condensation
) -> Thread:
    """Return the thread with the compactions active that were when one was made."""
    reactivated = {*compaction.supersedes, *compaction.beside}
    later = {other.seq for other in compactions if other.seq >= compaction.seq}
    aside = later | {seq for seq in thread.set_aside if seq not in reactivated}
    return replace(thread, set_aside=tuple(sorted(aside)))


def _named_compaction(thread: Thread, compactions: list[Condensation], id_: str) -> Condensation:
    matches = [compaction for compaction in compactions if id_ and compaction.id.startswith(id_)]
    exact = [compaction for compaction in matches if compaction.id == id_]
    if len(exact or matches) == 1:
        return (exact or matches)[0]
    if matches:
        msg = f"{id_} is the start of several compactions' ids. Give more of it."
        raise RefusedError(msg)
    ids = ", ".join(compaction.id for compaction in compactions) or "none"
    msg = f"there is no compaction {id_ or '(empty id)'} on {thread.id}. It has {ids}."
    raise NotFoundError(msg)
