"""What a verb is going to do: worked out first, then carried out or only shown.

Keep right which events of a thread its compactions stand for.

Compactions go where their thread's messages go. Whatever moves or is taken back,
an event is left out of its thread's view only while a compaction in force on that
same thread names it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ai_smartness.model.condensation import (
    Condensation,
    active_condensations,
    condensation_of,
    covered_seqs,
)
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.journal import Change, JournalEntry, Move, ThreadEdit
from ai_smartness.model.link import Remedy, SurvivorLink
from ai_smartness.model.thread import MERGED_INTO, Thread
from ai_smartness.ports import ThreadStore

__all__ = [
    "MERGED_INTO",
    "ChangePlan",
    "carry_out",
    "compactions_on",
    "counted_messages",
    "mark_covered_events",
    "refuse_absorbed",
    "restored_set_aside",
    "surviving_thread",
    "survivor_of",
    "thread_edit",
    "threads_to_cover",
    "with_compactions_moved",
]


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """A change that nothing stands against, how it is said, and the threads it is about."""

    project: str
    sentence: str
    change: Change
    thread_ids: tuple[str, ...]


def carry_out(store: ThreadStore, entry: JournalEntry) -> JournalEntry:
    """Do what an entry says and write it down, in one transaction; return it with its number."""
    change = entry.change
    with store.unit():
        uncertain = threads_to_cover(store, change)
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
            mark_covered_events(store, id_)
        return store.journal.write(entry)


def thread_edit(before: Thread, after: Thread) -> ThreadEdit:
    """Return the edit from one state of a thread to another, at its next revision."""
    return ThreadEdit(before, replace(after, revision=before.revision + 1))


def counted_messages(messages: int) -> str:
    """Write a number of messages."""
    return "1 message" if messages == 1 else f"{messages:,} messages"


def survivor_of(thread: Thread) -> str | None:
    """Name the thread that this one was merged into, if it was."""
    return thread.merged_into


def surviving_thread(store: ThreadStore, thread: Thread) -> Thread:
    """Return the thread that has the messages of this one: itself, or where it was merged into."""
    while survivor := survivor_of(thread):
        thread = store.threads.get(survivor)
    return thread


def refuse_absorbed(thread: Thread, verb: str) -> None:
    """Refuse to go on with a thread whose messages are on another one."""
    survivor = survivor_of(thread)
    if survivor is not None:
        problem = (
            f"cannot {verb} {thread.id}: it was merged into {survivor}, and its messages are there."
        )
        instead = (
            f"Name {survivor} instead, or take the merge back: "
            f"`ais log {thread.id}` shows its number for `ais undo`"
        )
        raise RefusedError(problem, Remedy(SurvivorLink(survivor), instead))


def mark_covered_events(store: ThreadStore, thread_id: str) -> None:
    """Mark what the compactions in force on a thread stand for, and nothing else."""
    thread = store.threads.get(thread_id)
    there = active_condensations(compactions_on(store, thread_id), thread.set_aside)
    store.events.mark_covered(thread_id, covered_seqs(there))


def compactions_on(store: ThreadStore, thread_id: str) -> list[Condensation]:
    """Return the compactions on a thread, also those that are set aside, in order."""
    return [condensation_of(event) for event in store.events.compactions_of(thread_id)]


def threads_to_cover(store: ThreadStore, change: Change) -> list[str]:
    """Name, before a change is carried out, the threads whose marks it puts out of date."""
    gone = {edit.id for edit in change.threads if edit.after is None}
    found = [edit.id for edit in change.threads if _changes_set_aside(edit)]
    for move in change.moves:
        of_source = {event.seq for event in store.events.compactions_of(move.source)}
        if of_source.intersection(move.seqs):
            found += [move.source, move.target]
        elif store.events.compactions_of(move.target):
            found.append(move.target)
    return [id_ for id_ in dict.fromkeys(found) if id_ not in gone]


def restored_set_aside(now: Thread, left: Thread, was: Thread) -> tuple[int, ...]:
    """Tell what is set aside once a change is taken back that left and found other states.

    What was set aside or brought back since stays so.
    """
    kept = set(now.set_aside).difference(left.set_aside) | set(now.set_aside) & set(was.set_aside)
    again = set(was.set_aside).difference(left.set_aside)
    return tuple(sorted(kept | again))


def with_compactions_moved(
    store: ThreadStore,
    edits: Sequence[ThreadEdit],
    moves: Iterable[Move],
) -> tuple[list[ThreadEdit], list[Move]]:
    """Return a change by which the compactions of threads that go away go to their heirs.

    An event is never deleted. On the heir they are set aside: they were taken back.
    """
    moves, edits = list(moves), list(edits)
    for gone in [edit.id for edit in edits if edit.after is None]:
        heirs = [move.target for move in moves if move.source == gone]
        moving = {seq for move in moves for seq in move.seqs}
        seqs = [e.seq for e in store.events.compactions_of(gone) if e.seq not in moving]
        if seqs and heirs:
            moves.append(Move(gone, heirs[0], tuple(seqs)))
            edits = _edits_with_set_aside(store, edits, heirs[0], seqs)
    return edits, moves


def _edits_with_set_aside(
    store: ThreadStore,
    edits: Sequence[ThreadEdit],
    thread_id: str,
    seqs: Sequence[int],
) -> list[ThreadEdit]:
    known = {edit.id: edit for edit in edits}
    stored = store.threads.get(thread_id)
    edit = known.get(thread_id) or ThreadEdit(stored, stored)
    after = edit.after or stored
    aside = tuple(sorted({*after.set_aside, *seqs}))
    known[thread_id] = ThreadEdit(edit.before, replace(after, set_aside=aside))
    return list(known.values())


def _changes_set_aside(edit: ThreadEdit) -> bool:
    if edit.after is None:
        return False
    return edit.before is None or edit.before.set_aside != edit.after.set_aside
