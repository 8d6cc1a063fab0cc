"""Why a message is on its thread: who moved it there, and how it was placed at first."""

from collections.abc import Iterable, Iterator

from ai_smartness.model.annotation import Annotation
from ai_smartness.model.journal import JournalEntry

__all__ = ["moving_changes", "placement_reasons"]


def moving_changes(thread_id: str, entries: Iterable[JournalEntry]) -> dict[int, str]:
    """Return the change that moved each message to a thread, by the message's number.

    The entries come newest first, as the journal lists them.
    """
    in_force = [entry for entry in entries if entry.undone_by is None and entry.undoes is None]
    return {
        seq: f"change {entry.seq} ({entry.verb}), {entry.who}"
        for entry in reversed(in_force)
        for move in entry.change.moves
        if move.target == thread_id
        for seq in move.seqs
    }


def placement_reasons(moved: str | None, note: Annotation | None) -> Iterator[str]:
    """Yield why a message is on its thread; `moved` names the change that put it there."""
    if moved is not None:
        yield f"put here by {moved}"
    if note is not None:
        yield f"{'at first it ' if moved else ''}{note.placed.explanation()}"
