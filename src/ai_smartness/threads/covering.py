"""Keep right which events of a thread its compactions stand for.

Compactions go where their thread's messages go. Whatever moves or is taken back,
an event is left out of its thread's view only while a compaction in force on that
same thread names it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ai_smartness.model.condensed import Condensed, condensed_of, covered_by, in_force
from ai_smartness.model.journal import Change, Move, ThreadEdit
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore

__all__ = ["aside_as_before", "compactions_on", "cover", "moved_along", "to_cover"]


def cover(store: ThreadStore, thread_id: str) -> None:
    """Mark what the compactions in force on a thread stand for, and nothing else."""
    thread = store.threads.get(thread_id)
    there = in_force(compactions_on(store, thread_id), thread.set_aside)
    store.events.cover(thread_id, covered_by(there))


def compactions_on(store: ThreadStore, thread_id: str) -> list[Condensed]:
    """Return the compactions on a thread, also those that are set aside, in order."""
    return [condensed_of(event) for event in store.events.compactions(thread_id)]


def to_cover(store: ThreadStore, change: Change) -> list[str]:
    """Name, before a change is carried out, the threads whose marks it puts out of date."""
    gone = {edit.id for edit in change.threads if edit.after is None}
    found = [edit.id for edit in change.threads if _sets_aside(edit)]
    for move in change.moves:
        of_source = {event.seq for event in store.events.compactions(move.source)}
        if of_source.intersection(move.seqs):
            found += [move.source, move.target]
        elif store.events.compactions(move.target):
            found.append(move.target)
    return [id_ for id_ in dict.fromkeys(found) if id_ not in gone]


def aside_as_before(now: Thread, left: Thread, was: Thread) -> tuple[int, ...]:
    """Tell what is set aside once a change is taken back that left and found other states.

    What was set aside or brought back since stays so.
    """
    kept = set(now.set_aside).difference(left.set_aside) | set(now.set_aside) & set(was.set_aside)
    again = set(was.set_aside).difference(left.set_aside)
    return tuple(sorted(kept | again))


def moved_along(
    store: ThreadStore, edits: Sequence[ThreadEdit], moves: Iterable[Move]
) -> tuple[list[ThreadEdit], list[Move]]:
    """Return a change by which the compactions of threads that go away go to their heirs.

    An event is never deleted. On the heir they are set aside: they were taken back.
    """
    moves, edits = list(moves), list(edits)
    for gone in [edit.id for edit in edits if edit.after is None]:
        heirs = [move.target for move in moves if move.source == gone]
        moving = {seq for move in moves for seq in move.seqs}
        seqs = [e.seq for e in store.events.compactions(gone) if e.seq not in moving]
        if seqs and heirs:
            moves.append(Move(gone, heirs[0], tuple(seqs)))
            edits = _with_aside(store, edits, heirs[0], seqs)
    return edits, moves


def _with_aside(
    store: ThreadStore, edits: Sequence[ThreadEdit], thread_id: str, seqs: Sequence[int]
) -> list[ThreadEdit]:
    known = {edit.id: edit for edit in edits}
    stored = store.threads.get(thread_id)
    edit = known.get(thread_id) or ThreadEdit(stored, stored)
    after = edit.after or stored
    aside = tuple(sorted({*after.set_aside, *seqs}))
    known[thread_id] = ThreadEdit(edit.before, replace(after, set_aside=aside))
    return list(known.values())


def _sets_aside(edit: ThreadEdit) -> bool:
    if edit.after is None:
        return False
    return edit.before is None or edit.before.set_aside != edit.after.set_aside
