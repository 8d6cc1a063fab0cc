"""What a verb is going to do: worked out first, then carried out or only shown."""

from dataclasses import dataclass, replace

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.journal import Change, JournalEntry, ThreadEdit
from ai_smartness.model.thread import MERGED_INTO, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.covering import cover, to_cover

__all__ = [
    "MERGED_INTO",
    "Plan",
    "carry_out",
    "counted",
    "edited",
    "followed",
    "refuse_absorbed",
    "survivor_of",
]


@dataclass(frozen=True, slots=True)
class Plan:
    """A change that nothing stands against, how it is said, and the threads it is about."""

    project: str
    said: str
    change: Change
    about: tuple[str, ...]


def carry_out(store: ThreadStore, entry: JournalEntry) -> JournalEntry:
    """Do what an entry says and write it down, in one transaction; return it with its number."""
    change = entry.change
    with store.unit():
        uncertain = to_cover(store, change)
        for edit in change.threads:
            if edit.after is not None:
                store.threads.save(edit.after)
        for move in change.moves:
            store.events.move(move.seqs, move.target)
        store.bridges.remove([each.id for each in change.bridges if each.after is None])
        store.bridges.save([each.after for each in change.bridges if each.after is not None])
        gone = [each.before for each in change.foci if each.after is None and each.before]
        store.foci.remove(entry.project, gone)
        store.foci.save(entry.project, [each.after for each in change.foci if each.after])
        for edit in change.threads:
            if edit.after is None:
                store.threads.remove(edit.id)
        for id_ in uncertain:
            cover(store, id_)
        return store.journal.write(entry)


def edited(before: Thread, after: Thread) -> ThreadEdit:
    """Return the edit from one state of a thread to another, at its next revision."""
    return ThreadEdit(before, replace(after, revision=before.revision + 1))


def counted(messages: int) -> str:
    """Write a number of messages."""
    return "1 message" if messages == 1 else f"{messages:,} messages"


def survivor_of(thread: Thread) -> str | None:
    """Name the thread that this one was merged into, if it was."""
    return thread.merged_into


def followed(store: ThreadStore, thread: Thread) -> Thread:
    """Return the thread that has the messages of this one: itself, or where it was merged into."""
    while survivor := survivor_of(thread):
        thread = store.threads.get(survivor)
    return thread


def refuse_absorbed(thread: Thread, verb: str) -> None:
    """Refuse to go on with a thread whose messages are on another one."""
    survivor = survivor_of(thread)
    if survivor is not None:
        msg = (
            f"cannot {verb} {thread.id}: it was merged into {survivor}, and its messages are "
            f"there. Name {survivor} instead, or take the merge back: "
            f"`ais log {thread.id}` shows its number for `ais undo`."
        )
        raise RefusedError(msg)
