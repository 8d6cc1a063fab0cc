"""Make the view of a thread current again that it had before one of its compactions."""

from dataclasses import replace

from ai_smartness.model.condensed import Condensed
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.journal import Change, ThreadEdit
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.covering import compactions_on
from ai_smartness.threads.plan import Plan, refuse_absorbed

__all__ = ["restore", "restored"]


def restore(store: ThreadStore, thread_id: str, before: str) -> Plan:
    """Plan to set a compaction and those after it aside, and to bring back what it found."""
    thread = store.threads.get(thread_id)
    refuse_absorbed(thread, "restore")
    compactions = compactions_on(store, thread.id)
    meant = _meant(thread, compactions, before)
    after = restored(thread, compactions, meant)
    if after == thread:
        msg = f"{thread.id} is shown as it was before {meant.id} already."
        raise RefusedError(msg)
    aside = sum(each.seq in after.set_aside for each in compactions)
    said = (
        f"Restored {thread.id} as it was before {meant.id}: {aside} of its {len(compactions)} "
        "compactions set aside."
    )
    return Plan(thread.project, said, Change((ThreadEdit(thread, after),)), (thread.id,))


def restored(thread: Thread, compactions: list[Condensed], meant: Condensed) -> Thread:
    """Return the thread with those compactions in force that were when one was made."""
    found = {*meant.supersedes, *meant.beside}
    aside = {each.seq for each in compactions if each.seq >= meant.seq}
    kept = {seq for seq in thread.set_aside if seq not in found}
    return replace(thread, set_aside=tuple(sorted(kept | aside)))


def _meant(thread: Thread, compactions: list[Condensed], id_: str) -> Condensed:
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
