"""The plan of a change: worked out first, then carried out or only shown.

Carrying a plan out also updates which events are covered by compactions. Compactions move
with their thread's messages, and an event is hidden from its thread's view only while an
active compaction on that thread covers it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from ai_smartness.model.condensation import (
    Condensation,
    active_condensations,
    condensation_of,
    covered_seqs,
)
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.journal import Change, JournalEntry, Move, ThreadEdit
from ai_smartness.model.link import Remedy, SurvivorLink
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore

__all__ = [
    "ChangePlan",
    "carry_out",
    "compactions_on",
    "counted_messages",
    "mark_covered_events",
    "refuse_absorbed",
    "restored_set_aside",
    "surviving_thread",
    "thread_edit",
    "with_compactions_moved",
]


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """A permitted change, the sentence that reports it, and the ids of its threads."""

    project: str
    sentence: str
    change: Change
    thread_ids: tuple[str, ...]

    @classmethod
    def for_thread(cls, before: Thread, after: Thread, sentence: str) -> Self:
        """Plan the edit of one thread."""
        return cls(before.project, sentence, Change((thread_edit(before, after),)), (before.id,))


def carry_out(store: ThreadStore, entry: JournalEntry) -> JournalEntry:
    """Apply an entry's change and record it, in one transaction; return it with its number."""
    change = entry.change
    edited = (edit.after or edit.before for edit in change.threads)
    with store.unit(entry.project, *(thread.project for thread in edited if thread)):
        uncertain = _threads_to_cover(store, change)
        for edit in change.threads:
            if edit.after is not None:
                store.threads.save(edit.after)
        for move in change.moves:
            store.events.move(move.seqs, move.target)
        store.bridges.remove([bridge.id for bridge in change.bridges if bridge.after is None])
        store.bridges.save([bridge.after for bridge in change.bridges if bridge.after is not None])
        removed = [focus.before for focus in change.foci if focus.after is None and focus.before]
        store.foci.remove(entry.project, removed)
        store.foci.save(entry.project, [focus.after for focus in change.foci if focus.after])
        for review in change.reviews:
            store.statements.review(entry.project, review.after, review.id)
        for edit in change.threads:
            if edit.after is None:
                store.threads.remove(edit.id)
        for id_ in uncertain:
            mark_covered_events(store, id_)
        return store.journal.write(entry)


def thread_edit(before: Thread, after: Thread) -> ThreadEdit:
    """Return the edit from one state of a thread to another, with the next revision number."""
    return ThreadEdit(before, replace(after, revision=before.revision + 1))


def counted_messages(messages: int) -> str:
    """Write a number of messages."""
    return "1 message" if messages == 1 else f"{messages:,} messages"


def surviving_thread(store: ThreadStore, thread: Thread) -> Thread:
    """Return the thread that holds the messages now: itself, or the one it was merged into."""
    while survivor := thread.merged_into:
        thread = store.threads.get(survivor)
    return thread


def refuse_absorbed(thread: Thread, verb: str) -> None:
    """Refuse a change to a thread whose messages are on another one."""
    survivor = thread.merged_into
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
    """Record exactly which of a thread's events its active compactions cover."""
    thread = store.threads.get(thread_id)
    active = active_condensations(compactions_on(store, thread_id), thread.set_aside)
    store.events.mark_covered(thread_id, covered_seqs(active))


def compactions_on(store: ThreadStore, thread_id: str) -> list[Condensation]:
    """Return the compactions on a thread in order, including those set aside."""
    return [condensation_of(event) for event in store.events.compactions_of(thread_id)]


def restored_set_aside(now: Thread, left: Thread, was: Thread) -> tuple[int, ...]:
    """Return which compactions are set aside once the change from `was` to `left` is undone.

    Compactions set aside or restored since then stay as they are.
    """
    since = set(now.set_aside).difference(left.set_aside)
    unchanged = set(now.set_aside) & set(was.set_aside)
    again = set(was.set_aside).difference(left.set_aside)
    return tuple(sorted(since | unchanged | again))


def with_compactions_moved(
    store: ThreadStore, edits: Sequence[ThreadEdit], moves: Iterable[Move]
) -> tuple[list[ThreadEdit], list[Move]]:
    """Extend a change so that compactions of removed threads go where their messages go.

    An event is never deleted. On the receiving thread these compactions are set aside.
    """
    moves = list(moves)
    edit_by_id = {edit.id: edit for edit in edits}
    for removed in [edit.id for edit in edits if edit.after is None]:
        heirs = [move.target for move in moves if move.source == removed]
        moving = {seq for move in moves for seq in move.seqs}
        compactions = store.events.compactions_of(removed)
        seqs = [event.seq for event in compactions if event.seq not in moving]
        if seqs and heirs:
            moves.append(Move(removed, heirs[0], tuple(seqs)))
            stored = store.threads.get(heirs[0])
            edit = edit_by_id.get(heirs[0]) or ThreadEdit(stored, stored)
            after = edit.after or stored
            set_aside = tuple(sorted({*after.set_aside, *seqs}))
            edit_by_id[heirs[0]] = ThreadEdit(edit.before, replace(after, set_aside=set_aside))
    return list(edit_by_id.values()), moves


def _threads_to_cover(store: ThreadStore, change: Change) -> list[str]:
    """Name, before a change is carried out, the threads whose covered events it affects."""
    removed = {edit.id for edit in change.threads if edit.after is None}
    affected = [edit.id for edit in change.threads if _changes_set_aside(edit)]
    for move in change.moves:
        of_source = {event.seq for event in store.events.compactions_of(move.source)}
        if of_source.intersection(move.seqs):
            affected += [move.source, move.target]
        elif store.events.compactions_of(move.target):
            affected.append(move.target)
    return [id_ for id_ in dict.fromkeys(affected) if id_ not in removed]


def _changes_set_aside(edit: ThreadEdit) -> bool:
    if edit.after is None:
        return False
    return edit.before is None or edit.before.set_aside != edit.after.set_aside
