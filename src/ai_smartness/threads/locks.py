"""The lock that keeps a split thread from being merged again.

A split is tactical: what was taken apart on purpose is not put together by
anything but a person or an agent who says so.
"""

from dataclasses import replace

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.journal import Change
from ai_smartness.model.thread import SplitLock, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.plan import Plan, edited

__all__ = ["refuse_locked", "release", "unlock"]

_UNTIL = {
    SplitLock.COMPACTION: "until the session's context is compacted",
    SplitLock.AGENT_RELEASE: "until it is unlocked",
    SplitLock.FORCE: "by force",
}


def unlock(store: ThreadStore, thread_id: str, *, force: bool = False) -> Plan:
    """Plan to let a thread be merged again; a `force` lock only goes by force."""
    thread = store.threads.get(thread_id)
    if thread.split_lock is None:
        msg = f"cannot unlock {thread.id}: it is not locked. It can be merged as it is."
        raise RefusedError(msg)
    if thread.split_lock is SplitLock.FORCE and not force:
        msg = (
            f"cannot unlock {thread.id}: it is locked by force, and goes only by force. "
            f"Run `ais threads unlock {thread.id} --force`."
        )
        raise RefusedError(msg)
    forced = " by force" if thread.split_lock is SplitLock.FORCE else ""
    said = f"Unlocked {thread.id}{forced} (it was locked: {thread.split_lock}). It can be merged."
    return Plan(thread.project, said, Change((edited(thread, _unlocked(thread)),)), (thread.id,))


def release(store: ThreadStore, project: str, session: str) -> Plan:
    """Plan to unlock what the session locked until its context is compacted."""
    locked = [
        thread
        for thread in store.threads.all(project)
        if thread.split_lock is SplitLock.COMPACTION and thread.lock_session in (session, None)
    ]
    ids = tuple(thread.id for thread in locked)
    said = (
        f"The context of session {session} was compacted: unlocked {', '.join(ids) or 'nothing'}."
    )
    return Plan(project, said, Change(tuple(edited(each, _unlocked(each)) for each in locked)), ids)


def refuse_locked(thread: Thread, *, force: bool) -> None:
    """Refuse to merge a locked thread, and say what would let it be merged."""
    if thread.split_lock is None or (force and thread.split_lock is not SplitLock.FORCE):
        return
    by_force = thread.split_lock is SplitLock.FORCE
    msg = f"cannot merge {thread.id}: it is split-locked {_UNTIL[thread.split_lock]}. " + (
        f"Run `ais threads unlock {thread.id} --force` first."
        if by_force
        else f"Run `ais threads unlock {thread.id}` first, or merge with --force."
    )
    raise RefusedError(msg)


def _unlocked(thread: Thread) -> Thread:
    return replace(thread, split_lock=None, lock_session=None)
