"""Give imported events and changes the numbers of a store that already has some.

Everything that refers to them is renumbered too. In an empty store all numbers stay.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

from ai_smartness.model.condensation import packed_seqs, unpacked_seqs
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import JournalEntry, ThreadEdit
from ai_smartness.model.session import LedgerEntry
from ai_smartness.model.thread import Thread

__all__ = [
    "SeqMap",
    "renumbered_event",
    "renumbered_journal_entry",
    "renumbered_ledger_entry",
    "renumbered_thread",
]


class SeqMap:
    """The old and the new numbers of one project's events, in the order of the old ones."""

    def __init__(self) -> None:
        # Some bytes an event: a million of them do not matter.
        self._old, self._new = array("q"), array("q")
        self._highest = array("q")

    def add(self, old: int, new: int) -> None:
        """Add an event; the old numbers come in order."""
        self._old.append(old)
        self._new.append(new)
        self._highest.append(max(new, self._highest[-1] if self._highest else 0))

    def new_seqs(self, old_seqs: Iterable[int]) -> tuple[int, ...]:
        """Return the new numbers; an event that was not imported is left out."""
        places = ((old, bisect_left(self._old, old)) for old in old_seqs)
        return tuple(
            self._new[place]
            for old, place in places
            if place < len(self._old) and self._old[place] == old
        )

    def highest_seq(self, old: int) -> int:
        """Return the highest new number of the events up to an old one."""
        place = bisect_right(self._old, old)
        return self._highest[place - 1] if place else 0


def renumbered_event(event: Event, seqs: SeqMap) -> Event:
    """Return an event without its number; a compaction refers to the new seqs."""
    if event.type is not EventType.COMPACTION:
        return replace(event, seq=0)
    payload = cast("dict[str, Any]", dict(event.payload))
    if "covers" in payload:
        payload["covers"] = packed_seqs(seqs.new_seqs(unpacked_seqs(payload["covers"])))
    for name in ("supersedes", "beside"):
        payload[name] = list(seqs.new_seqs(payload.get(name, ())))
    if payload.get("anchor"):
        seq, *where = payload["anchor"]
        payload["anchor"] = [next(iter(seqs.new_seqs([seq])), 0), *where]
    return replace(event, seq=0, payload=payload)


def renumbered_thread(thread: Thread, seqs: SeqMap) -> Thread:
    """Return a thread with the new numbers of the compactions that it sets aside."""
    return replace(thread, set_aside=seqs.new_seqs(thread.set_aside))


def renumbered_journal_entry(
    entry: JournalEntry, seqs: SeqMap, changes: dict[int, int]
) -> JournalEntry:
    """Return a journal entry without its number; it refers to the new seqs."""
    threads = tuple(
        ThreadEdit(
            edit.before and renumbered_thread(edit.before, seqs),
            edit.after and renumbered_thread(edit.after, seqs),
        )
        for edit in entry.change.threads
    )
    moves = tuple(replace(move, seqs=seqs.new_seqs(move.seqs)) for move in entry.change.moves)
    entry = replace(entry, seq=0, change=replace(entry.change, threads=threads, moves=moves))
    if entry.undoes is None:
        return entry
    undoes = changes[entry.undoes]
    sentence = entry.said.replace(f"change {entry.undoes}:", f"change {undoes}:", 1)
    arguments = {**entry.arguments, "change": undoes}
    return replace(entry, undoes=undoes, said=sentence, arguments=arguments)


def renumbered_ledger_entry(entry: LedgerEntry, seqs: SeqMap) -> LedgerEntry:
    """Return a ledger entry that refers to the new seqs."""
    through = seqs.highest_seq(entry.through)
    lines = tuple(
        replace(line, seq=new_seq) for line in entry.lines for new_seq in seqs.new_seqs((line.seq,))
    )
    return replace(entry, seqs=seqs.new_seqs(entry.seqs), through=through, lines=lines)
