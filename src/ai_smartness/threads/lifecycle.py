"""The life of a thread: put away, brought back, said to be of a kind.

A thread that nobody uses fades and reads as suspended by itself (`decay`); here
is what somebody does to one on purpose. What is said on a thread makes it
active again.

Begin a thread that has no messages yet, for who keeps a log of his own.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import Change, ThreadEdit
from ai_smartness.model.thread import IMPORTANCE, Kind, Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, refuse_absorbed, thread_edit
from ai_smartness.threads.decay import decayed_thread, raised_weight
from ai_smartness.threads.ids import new_thread_id
from ai_smartness.threads.rename import validated_title

__all__ = [
    "confirm_kind",
    "create_thread",
    "reactivate",
    "reactivate_all",
    "reactivated_thread",
    "suspend_or_archive",
]


REACTIVATION_BOOST = 0.1


def suspend_or_archive(store: ThreadStore, thread_id: str, status: Status) -> ChangePlan:
    """Plan to suspend or archive a stored thread."""
    thread = store.threads.get(thread_id)
    verb = "archive" if status is Status.ARCHIVED else "suspend"
    refuse_absorbed(thread, verb)
    if thread.status is status:
        msg = f"cannot {verb} {thread.id}: it is {status} already."
        raise RefusedError(msg)
    said = f"{verb.removesuffix('e').capitalize()}ed {thread.id} “{thread.title}”."
    return ChangePlan(
        thread.project,
        said,
        Change((thread_edit(thread, replace(thread, status=status)),)),
        (thread.id,),
    )


def reactivate(
    store: ThreadStore,
    thread_id: str,
    now: datetime,
    half_life_days: float,
) -> ChangePlan:
    """Plan to bring a stored thread back."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "reactivate")
    present = decayed_thread(thread, now, half_life_days)
    if present.status is Status.ACTIVE:
        msg = f"cannot reactivate {thread.id}: it is active already (weight {present.weight:.2f})."
        raise RefusedError(msg)
    back = reactivated_thread(thread, now, half_life_days)
    said = f"Reactivated {thread.id} “{thread.title}”: weight {back.weight:.2f}."
    return ChangePlan(thread.project, said, Change((thread_edit(thread, back),)), (thread.id,))


def reactivate_all(
    store: ThreadStore,
    project: str,
    ids: Sequence[str],
    now: datetime,
    half_life_days: float,
) -> ChangePlan:
    """Plan to bring several stored threads back at once.

    They were looked at a moment ago: one that has gone since, was merged or is in use is left.
    """
    there = [store.threads.get(id_) for id_ in ids if store.threads.has(id_)]
    aside = [
        each
        for each in there
        if not each.merged_into
        and decayed_thread(each, now, half_life_days).status is Status.SUSPENDED
    ]
    edits = [thread_edit(each, reactivated_thread(each, now, half_life_days)) for each in aside]
    named = tuple(each.id for each in aside)
    said = f"Reactivated {', '.join(named)}, which a recall found."
    return ChangePlan(project, said, Change(tuple(edits)), named)


def reactivated_thread(thread: Thread, now: datetime, half_life_days: float) -> Thread:
    """Return the thread in use again: a little heavier than it weighs now."""
    weight = decayed_thread(thread, now, half_life_days).weight
    return replace(
        thread,
        status=Status.ACTIVE,
        weight=raised_weight(weight, REACTIVATION_BOOST),
        last_active=max(now, thread.last_active),
        activation_count=thread.activation_count + 1,
    )


def confirm_kind(store: ThreadStore, thread_id: str, kind: Kind) -> ChangePlan:
    """Plan to say what a stored thread is."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "say what it is of")
    known = replace(thread, kind=kind, importance=IMPORTANCE[kind])
    if known == thread:
        msg = f"{thread.id} is said to be a {kind} already."
        raise RefusedError(msg)
    said = f"{thread.id} is a {kind} now, importance {known.importance:g}."
    return ChangePlan(thread.project, said, Change((thread_edit(thread, known),)), (thread.id,))


def create_thread(project: str, title: str | None, now: datetime, salt: str) -> ChangePlan:
    """Plan to add an empty thread; a title that is given stays."""
    named = "" if title is None else validated_title(title)
    thread = Thread(
        id=_empty_thread_id(project, now, salt),
        project=project,
        title=named,
        created_at=now,
        last_active=now,
        title_given=title is not None,
    )
    said = f"Began {thread.id}" + (f" “{named}”." if named else ".")
    return ChangePlan(project, said, Change((ThreadEdit(None, thread),)), (thread.id,))


def _empty_thread_id(project: str, now: datetime, salt: str) -> str:
    first = Event(
        id=salt,
        project=project,
        thread_id="",
        session=None,
        type=EventType.NOTE,
        role="note",
        text="",
        at=now,
        source="note",
    )
    return new_thread_id(first)
