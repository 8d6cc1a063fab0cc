"""What the numbers in a file are here.

In an empty store every event and every change keeps its number. In one that has some
already they get others, and whatever refers to them is told so.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

from ai_smartness.model.condensation import packed_seqs, unpacked_seqs
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import Change, JournalEntry, Move, ThreadEdit
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
    """Of one project's events: the number each had, in order, and the one it has."""

    def __init__(self) -> None:
        # Sixteen bytes an event: a million of them are not felt.
        self._old, self._new = array("q"), array("q")
        self._highest = array("q")

    def add(self, had: int, has: int) -> None:
        """Take note of an event; they come in the order of the numbers they had."""
        self._old.append(had)
        self._new.append(has)
        self._highest.append(max(has, self._highest[-1] if self._highest else 0))

    def new_seqs(self, had: Iterable[int]) -> tuple[int, ...]:
        """Return what numbers are here; one that was not taken in is left out."""
        found = (self._new_seq(each) for each in had)
        return tuple(each for each in found if each is not None)

    def highest_seq(self, had: int) -> int:
        """Return the highest number here of what was numbered up to one."""
        place = bisect_right(self._old, had)
        return self._highest[place - 1] if place else 0

    def _new_seq(self, had: int) -> int | None:
        place = bisect_left(self._old, had)
        found = place < len(self._old) and self._old[place] == had
        return self._new[place] if found else None


def renumbered_event(event: Event, numbers: SeqMap) -> Event:
    """Return an event as it is stored here, without a number; a compaction names its own here."""
    if event.type is not EventType.COMPACTION:
        return replace(event, seq=0)
    payload = cast("dict[str, Any]", dict(event.payload))
    if "covers" in payload:
        payload["covers"] = packed_seqs(numbers.new_seqs(unpacked_seqs(payload["covers"])))
    for name in ("supersedes", "beside"):
        payload[name] = list(numbers.new_seqs(payload.get(name, ())))
    if payload.get("anchor"):
        seq, *where = payload["anchor"]
        payload["anchor"] = [next(iter(numbers.new_seqs([seq])), 0), *where]
    return replace(event, seq=0, payload=payload)


def renumbered_thread(thread: Thread, numbers: SeqMap) -> Thread:
    """Return a thread with the compactions it sets aside as they are numbered here."""
    return (
        replace(thread, set_aside=numbers.new_seqs(thread.set_aside))
        if thread.set_aside
        else thread
    )


def renumbered_journal_entry(
    entry: JournalEntry, numbers: SeqMap, changes: dict[int, int]
) -> JournalEntry:
    """Return a journal entry as it is written here, without a number."""
    change = Change(
        tuple(
            ThreadEdit(
                each.before and renumbered_thread(each.before, numbers),
                each.after and renumbered_thread(each.after, numbers),
            )
            for each in entry.change.threads
        ),
        tuple(
            Move(each.source, each.target, numbers.new_seqs(each.seqs))
            for each in entry.change.moves
        ),
        entry.change.bridges,
        entry.change.foci,
    )
    entry = replace(entry, seq=0, change=change)
    if entry.undoes is None:
        return entry
    undoes = changes[entry.undoes]
    said = entry.said.replace(f"change {entry.undoes}:", f"change {undoes}:", 1)
    return replace(entry, undoes=undoes, said=said, arguments={**entry.arguments, "change": undoes})


def renumbered_ledger_entry(entry: LedgerEntry, numbers: SeqMap) -> LedgerEntry:
    """Return what was shown with the numbers of its messages here."""
    return replace(
        entry, seqs=numbers.new_seqs(entry.seqs), through=numbers.highest_seq(entry.through)
    )
