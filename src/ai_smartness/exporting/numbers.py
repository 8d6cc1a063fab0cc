"""What the numbers in a file are here.

In an empty store every event and every change keeps its number. In one that has some
already they get others, and whatever refers to them is told so.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

from ai_smartness.model.covers import packed, unpacked
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.journal import Change, JournalEntry, Move, ThreadEdit
from ai_smartness.model.session import LedgerEntry
from ai_smartness.model.thread import Thread

__all__ = ["Numbers", "entry_here", "event_here", "shown_here", "thread_here"]


class Numbers:
    """Of one project's events: the number each had, in order, and the one it has."""

    def __init__(self) -> None:
        # Sixteen bytes an event: a million of them are not felt.
        self._had, self._has = array("q"), array("q")
        self._up_to = array("q")

    def add(self, had: int, has: int) -> None:
        """Take note of an event; they come in the order of the numbers they had."""
        self._had.append(had)
        self._has.append(has)
        self._up_to.append(max(has, self._up_to[-1] if self._up_to else 0))

    def these(self, had: Iterable[int]) -> tuple[int, ...]:
        """Return what numbers are here; one that was not taken in is left out."""
        found = (self._here(each) for each in had)
        return tuple(each for each in found if each is not None)

    def up_to(self, had: int) -> int:
        """Return the highest number here of what was numbered up to one."""
        place = bisect_right(self._had, had)
        return self._up_to[place - 1] if place else 0

    def _here(self, had: int) -> int | None:
        place = bisect_left(self._had, had)
        found = place < len(self._had) and self._had[place] == had
        return self._has[place] if found else None


def event_here(event: Event, numbers: Numbers) -> Event:
    """Return an event as it is stored here, without a number; a compaction names its own here."""
    if event.type is not EventType.COMPACTION:
        return replace(event, seq=0)
    payload = cast("dict[str, Any]", dict(event.payload))
    if "covers" in payload:
        payload["covers"] = packed(numbers.these(unpacked(payload["covers"])))
    for name in ("supersedes", "beside"):
        payload[name] = list(numbers.these(payload.get(name, ())))
    if payload.get("anchor"):
        seq, *where = payload["anchor"]
        payload["anchor"] = [next(iter(numbers.these([seq])), 0), *where]
    return replace(event, seq=0, payload=payload)


def thread_here(thread: Thread, numbers: Numbers) -> Thread:
    """Return a thread with the compactions it sets aside as they are numbered here."""
    return (
        replace(thread, set_aside=numbers.these(thread.set_aside)) if thread.set_aside else thread
    )


def entry_here(entry: JournalEntry, numbers: Numbers, changes: dict[int, int]) -> JournalEntry:
    """Return a journal entry as it is written here, without a number."""
    change = Change(
        tuple(
            ThreadEdit(
                each.before and thread_here(each.before, numbers),
                each.after and thread_here(each.after, numbers),
            )
            for each in entry.change.threads
        ),
        tuple(
            Move(each.source, each.target, numbers.these(each.seqs)) for each in entry.change.moves
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


def shown_here(entry: LedgerEntry, numbers: Numbers) -> LedgerEntry:
    """Return what was shown with the numbers of its messages here."""
    return replace(entry, seqs=numbers.these(entry.seqs), through=numbers.up_to(entry.through))
