"""Create, suspend, archive and reactivate a thread, and confirm its kind.

A thread that nobody uses fades and reads as suspended by itself (`decay`). These are the
deliberate changes. A new message on a thread makes it active again.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.journal import Change, ThreadEdit
from ai_smartness.model.thread import IMPORTANCE, Kind, Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, refuse_absorbed, thread_edit
from ai_smartness.threads.decay import decayed_thread, raised_weight
from ai_smartness.threads.ids import thread_id_at
from ai_smartness.threads.rename import validated_title

__all__ = ["confirm_kind", "create_thread", "reactivate", "reactivate_all", "suspend_or_archive"]

REACTIVATION_BOOST = 0.1


def suspend_or_archive(store: ThreadStore, thread_id: str, status: Status) -> ChangePlan:
    """Plan to suspend or archive a stored thread."""
    thread = store.threads.get(thread_id)
    verb = "archive" if status is Status.ARCHIVED else "suspend"
    refuse_absorbed(thread, verb)
    if thread.status is status:
        msg = f"cannot {verb} {thread.id}: it is {status} already."
        raise RefusedError(msg)
    sentence = f"{verb.removesuffix('e').capitalize()}ed {thread.id} “{thread.title}”."
    return ChangePlan.for_thread(thread, replace(thread, status=status), sentence)


def reactivate(
    store: ThreadStore, thread_id: str, now: datetime, half_life_days: float
) -> ChangePlan:
    """Plan to bring a stored thread back into use."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "reactivate")
    present = decayed_thread(thread, now, half_life_days)
    if present.status is Status.ACTIVE:
        msg = f"cannot reactivate {thread.id}: it is active already (weight {present.weight:.2f})."
        raise RefusedError(msg)
    active = _reactivated_thread(thread, now, half_life_days)
    sentence = f"Reactivated {thread.id} “{thread.title}”: weight {active.weight:.2f}."
    return ChangePlan.for_thread(thread, active, sentence)


def reactivate_all(
    store: ThreadStore, project: str, ids: Sequence[str], now: datetime, half_life_days: float
) -> ChangePlan:
    """Plan to bring several stored threads back into use at once.

    The ids come from an earlier look: threads removed, merged or in use since are skipped.
    """
    stored = store.threads.by_id(ids)
    suspended = [
        thread
        for thread in map(stored.get, ids)
        if thread is not None
        and not thread.merged_into
        and decayed_thread(thread, now, half_life_days).status is Status.SUSPENDED
    ]
    edits = tuple(
        thread_edit(thread, _reactivated_thread(thread, now, half_life_days))
        for thread in suspended
    )
    suspended_ids = tuple(thread.id for thread in suspended)
    sentence = f"Reactivated {', '.join(suspended_ids)}, which a recall found."
    return ChangePlan(project, sentence, Change(edits), suspended_ids)


def confirm_kind(store: ThreadStore, thread_id: str, kind: Kind) -> ChangePlan:
    """Plan to set a stored thread's kind."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "say what it is of")
    confirmed = replace(thread, kind=kind, importance=IMPORTANCE[kind])
    if confirmed == thread:
        msg = f"{thread.id} is said to be a {kind} already."
        raise RefusedError(msg)
    sentence = f"{thread.id} is a {kind} now, importance {confirmed.importance:g}."
    return ChangePlan.for_thread(thread, confirmed, sentence)


def create_thread(project: str, title: str | None, now: datetime, salt: str) -> ChangePlan:
    """Plan to add an empty thread, for an agent that keeps its own log."""
    line = "" if title is None else validated_title(title)
    thread = Thread(
        id=thread_id_at(now, project, "", salt, "0"),
        project=project,
        title=line,
        created_at=now,
        last_active=now,
        title_given=title is not None,
    )
    sentence = f"Began {thread.id}" + (f" “{line}”." if line else ".")
    return ChangePlan(project, sentence, Change((ThreadEdit(None, thread),)), (thread.id,))


def _reactivated_thread(thread: Thread, now: datetime, half_life_days: float) -> Thread:
    """Return the thread in use again, a little heavier than its present weight."""
    weight = decayed_thread(thread, now, half_life_days).weight
    return replace(
        thread,
        status=Status.ACTIVE,
        weight=raised_weight(weight, REACTIVATION_BOOST),
        last_active=max(now, thread.last_active),
        activation_count=thread.activation_count + 1,
    )
