"""A thread as an agent should see it, after what was condensed, and the whole of it.

The working view leaves out what a compaction in force stands for and shows, where
the first of it stood, what the compaction holds instead. It can be had again as it
was after any earlier compaction, and all that was ever said is still there.

Make the view of a thread current again that it had before one of its compactions.
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
    return visible_events(
        thread, store.events.in_view(thread.id), compactions, _event_origins(store, thread)
    )


def view_after(store: ThreadStore, thread: Thread, compactions: int) -> list[Event]:
    """Return the working view as it was after so many compactions; after none, all until then."""
    made = compactions_on(store, thread.id)
    if not 0 <= compactions <= len(made):
        there = "1 compaction" if len(made) == 1 else f"{len(made)} compactions"
        msg = (
            f"{thread.id} has {there}: it cannot be shown after {compactions}. "
            "0 shows it as it was before the first."
        )
        raise NotFoundError(msg)
    events = store.events.of_thread(thread.id)
    if not compactions:
        until = made[0].seq if made else None
        return visible_events(
            thread, _events_until(events, until), [], _event_origins(store, thread)
        )
    last = made[compactions - 1]
    held = [each for each in made if each.seq == last.seq or each.seq in last.beside]
    return visible_events(
        thread, _events_until(events, last.seq), held, _event_origins(store, thread)
    )


def all_events_on(store: ThreadStore, thread: Thread) -> list[Event]:
    """Return all that was ever said on a thread and each compaction, in order."""
    compactions = store.events.compactions_of(thread.id)
    events = sorted([*store.events.of_thread(thread.id), *compactions], key=lambda event: event.seq)
    # Of no session, yet not said with what is of none: a source of its own.
    own = {event.seq: CONDENSER for event in compactions}
    return in_conversation_order(events, {**_event_origins(store, thread), **own})


def visible_events(
    thread: Thread,
    events: Iterable[Event],
    compactions: Sequence[Condensation],
    origins: Mapping[int, str],
) -> list[Event]:
    """Return what is in view of events, given in the order of `seq`, with compactions in force."""
    covered = covered_seqs(compactions)
    shown = {each.id: each for each in visible_condensations(compactions)}
    marks = [_placeholder_event(thread, each) for each in shown.values()]
    left = [event for event in events if event.seq not in covered]
    ordered = in_conversation_order(sorted([*left, *marks], key=lambda event: event.seq), origins)
    return [
        each
        for event in ordered
        for each in (
            _replacement_events(thread, shown[event.id])
            if event.type is EventType.COMPACTION
            else [event]
        )
    ]


def _placeholder_event(thread: Thread, condensed: Condensation) -> Event:
    """Return what holds the place of the first event that a compaction stands for."""
    return Event(
        id=condensed.id,
        project=thread.project,
        thread_id=thread.id,
        session=condensed.anchor.session,
        type=EventType.COMPACTION,
        role="note",
        text="",
        at=condensed.anchor.at,
        source=CONDENSER,
        seq=condensed.anchor.seq,
    )


def _replacement_events(thread: Thread, condensed: Condensation) -> list[Event]:
    """Return what a compaction holds as events; they have no `seq`, for they are not stored."""
    return [
        Event(
            id=f"{condensed.id}.{number}",
            project=thread.project,
            thread_id=thread.id,
            session=condensed.anchor.session,
            type=each.type,
            role=each.role,
            text=each.text,
            payload=each.payload,
            at=each.at,
            source=CONDENSER,
        )
        for number, each in enumerate(condensed.replacements, 1)
    ]


def _events_until(events: Sequence[Event], seq: int | None) -> list[Event]:
    return [event for event in events if seq is None or event.seq < seq]


def _event_origins(store: ThreadStore, thread: Thread) -> dict[int, str]:
    return message_origins(thread.id, store.journal.entries_touching(thread.id))


def restore(store: ThreadStore, thread_id: str, before: str) -> ChangePlan:
    """Plan to set a compaction and those after it aside, and to bring back what it found."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "restore")
    compactions = compactions_on(store, thread.id)
    meant = _named_compaction(thread, compactions, before)
    after = restored_thread(thread, compactions, meant)
    if after == thread:
        msg = f"{thread.id} is shown as it was before {meant.id} already."
        raise RefusedError(msg)
    aside = sum(each.seq in after.set_aside for each in compactions)
    said = (
        f"Restored {thread.id} as it was before {meant.id}: {aside} of its {len(compactions)} "
        "compactions set aside."
    )
    return ChangePlan(thread.project, said, Change((ThreadEdit(thread, after),)), (thread.id,))


def restored_thread(
    thread: Thread, compactions: list[Condensation], compaction: Condensation
) -> Thread:
    """Return the thread with those compactions in force that were when one was made."""
    found = {*compaction.supersedes, *compaction.beside}
    aside = {each.seq for each in compactions if each.seq >= compaction.seq}
    kept = {seq for seq in thread.set_aside if seq not in found}
    return replace(thread, set_aside=tuple(sorted(kept | aside)))


def _named_compaction(thread: Thread, compactions: list[Condensation], id_: str) -> Condensation:
    meant = [each for each in compactions if id_ and each.id.startswith(id_)]
    exact = [each for each in meant if each.id == id_]
    if len(exact or meant) == 1:
        return (exact or meant)[0]
    if meant:
        msg = f"{id_} is the start of several compactions' ids. Give more of it."
        raise RefusedError(msg)
    there = ", ".join(each.id for each in compactions) or "none"
    msg = f"there is no compaction {id_ or '(empty id)'} on {thread.id}. It has {there}."
    raise NotFoundError(msg)
