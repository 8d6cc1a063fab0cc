"""The lock that keeps a split thread from being merged again.

A split is deliberate. Only a person or an agent who says so puts the parts back together.
"""

from dataclasses import replace

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.journal import Change
from ai_smartness.model.link import ANY_SURVIVOR, MergeLink, Remedy, UnlockLink
from ai_smartness.model.thread import SplitLock, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, thread_edit

__all__ = ["refuse_locked", "release_session_locks", "unlock"]

_LOCKED_UNTIL = {
    SplitLock.COMPACTION: "until the session's context is compacted",
    SplitLock.AGENT_RELEASE: "until it is unlocked",
    SplitLock.FORCE: "by force",
}


def unlock(store: ThreadStore, thread_id: str, *, force: bool = False) -> ChangePlan:
    """Plan to let a thread be merged again; a `force` lock needs `force`."""
    thread = store.threads.get(thread_id)
    if thread.split_lock is None:
        problem = f"cannot unlock {thread.id}: it is not locked."
        remedy = Remedy(MergeLink(ANY_SURVIVOR, thread.id), "It can be merged as it is")
        raise RefusedError(problem, remedy)
    by_force = thread.split_lock is SplitLock.FORCE
    if by_force and not force:
        problem = f"cannot unlock {thread.id}: it is locked by force, and goes only by force."
        raise RefusedError(problem, Remedy(UnlockLink(thread.id, force=True), "Run {}"))
    unlocked = f"Unlocked {thread.id}{' by force' if by_force else ''}"
    sentence = f"{unlocked} (it was locked: {thread.split_lock}). It can be merged."
    return ChangePlan.for_thread(thread, _unlocked_thread(thread), sentence)


def release_session_locks(store: ThreadStore, project: str, session: str) -> ChangePlan:
    """Plan to unlock the threads that a session locked until its context is compacted."""
    locked = [
        thread
        for thread in store.threads.all(project)
        if thread.split_lock is SplitLock.COMPACTION and thread.lock_session in (session, None)
    ]
    ids = tuple(thread.id for thread in locked)
    unlocked = ", ".join(ids) or "nothing"
    sentence = f"The context of session {session} was compacted: unlocked {unlocked}."
    edits = tuple(thread_edit(thread, _unlocked_thread(thread)) for thread in locked)
    return ChangePlan(project, sentence, Change(edits), ids)


def refuse_locked(thread: Thread, *, force: bool) -> None:
    """Refuse to merge a locked thread, and say how to unlock it."""
    by_force = thread.split_lock is SplitLock.FORCE
    if thread.split_lock is None or (force and not by_force):
        return
    or_merge = "" if by_force else ", or merge with --force"
    problem = f"cannot merge {thread.id}: it is split-locked {_LOCKED_UNTIL[thread.split_lock]}."
    remedy = Remedy(UnlockLink(thread.id, by_force), "Run {} first", shell_only=or_merge)
    raise RefusedError(problem, remedy)


def _unlocked_thread(thread: Thread) -> Thread:
    return replace(thread, split_lock=None, lock_session=None)
