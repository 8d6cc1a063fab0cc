"""A thread as an agent should see it, after what was condensed, and the whole of it.

The working view leaves out what a compaction in force stands for and shows, where
the first of it stood, what the compaction holds instead. It can be had again as it
was after any earlier compaction, and all that was ever said is still there.
"""

from collections.abc import Iterable, Mapping, Sequence

from ai_smartness.model.condensed import (
    CONDENSER,
    Condensed,
    covered_by,
    in_force,
    shown_of,
)
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.covering import compactions_on
from ai_smartness.threads.order import in_said_order, origins

__all__ = ["everything_on", "view_after", "viewed", "working_view"]


def working_view(store: ThreadStore, thread: Thread) -> list[Event]:
    """Return a thread's events as an agent should see them."""
    compactions = in_force(compactions_on(store, thread.id), thread.set_aside)
    return viewed(thread, store.events.in_view(thread.id), compactions, _origins(store, thread))


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
        return viewed(thread, _until(events, until), [], _origins(store, thread))
    last = made[compactions - 1]
    held = [each for each in made if each.seq == last.seq or each.seq in last.beside]
    return viewed(thread, _until(events, last.seq), held, _origins(store, thread))


def everything_on(store: ThreadStore, thread: Thread) -> list[Event]:
    """Return all that was ever said on a thread and each compaction, in order."""
    compactions = store.events.compactions(thread.id)
    events = sorted([*store.events.of_thread(thread.id), *compactions], key=lambda event: event.seq)
    # Of no session, yet not said with what is of none: a source of its own.
    own = {event.seq: CONDENSER for event in compactions}
    return in_said_order(events, {**_origins(store, thread), **own})


def viewed(
    thread: Thread,
    events: Iterable[Event],
    compactions: Sequence[Condensed],
    origins: Mapping[int, str],
) -> list[Event]:
    """Return what is in view of events, given in the order of `seq`, with compactions in force."""
    covered = covered_by(compactions)
    shown = {each.id: each for each in shown_of(compactions)}
    marks = [_mark(thread, each) for each in shown.values()]
    left = [event for event in events if event.seq not in covered]
    ordered = in_said_order(sorted([*left, *marks], key=lambda event: event.seq), origins)
    return [
        each
        for event in ordered
        for each in (
            _shown(thread, shown[event.id]) if event.type is EventType.COMPACTION else [event]
        )
    ]


def _mark(thread: Thread, condensed: Condensed) -> Event:
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


def _shown(thread: Thread, condensed: Condensed) -> list[Event]:
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


def _until(events: Sequence[Event], seq: int | None) -> list[Event]:
    return [event for event in events if seq is None or event.seq < seq]


def _origins(store: ThreadStore, thread: Thread) -> dict[int, str]:
    return origins(thread.id, store.journal.touching(thread.id))
