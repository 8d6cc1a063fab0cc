"""The life of a thread: put away, brought back, said to be of a kind.

A thread that nobody uses fades and reads as suspended by itself (`decay`); here
is what somebody does to one on purpose. What is said on a thread makes it
active again.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.journal import Change
from ai_smartness.model.thread import IMPORTANCE, Kind, Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.decay import decayed, raised
from ai_smartness.threads.plan import Plan, edited, refuse_absorbed

__all__ = ["confirm", "put_away", "reactivate", "reactivate_all", "reactivated"]

REACTIVATION_BOOST = 0.1


def put_away(store: ThreadStore, thread_id: str, status: Status) -> Plan:
    """Plan to suspend or archive a stored thread."""
    thread = store.threads.get(thread_id)
    verb = "archive" if status is Status.ARCHIVED else "suspend"
    refuse_absorbed(thread, verb)
    if thread.status is status:
        msg = f"cannot {verb} {thread.id}: it is {status} already."
        raise RefusedError(msg)
    said = f"{verb.removesuffix('e').capitalize()}ed {thread.id} “{thread.title}”."
    return Plan(
        thread.project,
        said,
        Change((edited(thread, replace(thread, status=status)),)),
        (thread.id,),
    )


def reactivate(store: ThreadStore, thread_id: str, now: datetime, half_life_days: float) -> Plan:
    """Plan to bring a stored thread back."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "reactivate")
    present = decayed(thread, now, half_life_days)
    if present.status is Status.ACTIVE:
        msg = f"cannot reactivate {thread.id}: it is active already (weight {present.weight:.2f})."
        raise RefusedError(msg)
    back = reactivated(thread, now, half_life_days)
    said = f"Reactivated {thread.id} “{thread.title}”: weight {back.weight:.2f}."
    return Plan(thread.project, said, Change((edited(thread, back),)), (thread.id,))


def reactivate_all(
    store: ThreadStore, project: str, ids: Sequence[str], now: datetime, half_life_days: float
) -> Plan:
    """Plan to bring several stored threads back at once.

    They were looked at a moment ago: one that has gone since, was merged or is in use is left.
    """
    there = [store.threads.get(id_) for id_ in ids if store.threads.has(id_)]
    aside = [
        each
        for each in there
        if not each.merged_into and decayed(each, now, half_life_days).status is Status.SUSPENDED
    ]
    edits = [edited(each, reactivated(each, now, half_life_days)) for each in aside]
    named = tuple(each.id for each in aside)
    said = f"Reactivated {', '.join(named)}, which a recall found."
    return Plan(project, said, Change(tuple(edits)), named)


def reactivated(thread: Thread, now: datetime, half_life_days: float) -> Thread:
    """Return the thread in use again: a little heavier than it weighs now."""
    weight = decayed(thread, now, half_life_days).weight
    return replace(
        thread,
        status=Status.ACTIVE,
        weight=raised(weight, REACTIVATION_BOOST),
        last_active=max(now, thread.last_active),
        activation_count=thread.activation_count + 1,
    )


def confirm(store: ThreadStore, thread_id: str, kind: Kind) -> Plan:
    """Plan to say what a stored thread is."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "say what it is of")
    known = replace(thread, kind=kind, importance=IMPORTANCE[kind])
    if known == thread:
        msg = f"{thread.id} is said to be a {kind} already."
        raise RefusedError(msg)
    said = f"{thread.id} is a {kind} now, importance {known.importance:g}."
    return Plan(thread.project, said, Change((edited(thread, known),)), (thread.id,))
