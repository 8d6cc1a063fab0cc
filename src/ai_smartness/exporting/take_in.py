"""Take a memory in that was taken out whole: all of it, or nothing.

An empty store becomes the memory that was exported, number by number. To one that has
something already it adds what is new: what is known by its id stays as it is here, and
where both have gone separate ways the file is refused.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby, islice

from ai_smartness.exporting.arrival import Arrival
from ai_smartness.exporting.records import KINDS, Record, read_header, records
from ai_smartness.exporting.take_history import TakeHistory
from ai_smartness.exporting.take_threads import TakeThreads
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.exported import Header, ProjectMarks, TakenIn
from ai_smartness.ports import Progress, ThreadStore

__all__ = ["take_in"]

BATCH = 500


class _Unapplied(Exception):  # noqa: N818 - no error: it was only to be seen
    """Leave all as it was."""


def take_in(
    store: ThreadStore, lines: Iterable[bytes], progress: Progress, *, dry_run: bool = False
) -> TakenIn:
    """Store what the lines of an export tell; in a dry run only say what that would add."""
    given = iter(lines)
    header = read_header(next(given, b""))
    total, done = sum(header.counts.values()), 0
    with suppress(_Unapplied), store.unit():
        taking = _Taking(store, header)
        for batch in _batches(records(given)):
            taking.take(batch)
            done += len(batch)
            progress(done, total)
        taking.finish()
        if dry_run:
            raise _Unapplied
    for project in header.projects:
        store.words.settle(project)
    return taking.taken_in()


def _batches(given: Iterable[Record]) -> Iterator[list[Record]]:
    """Group what follows each other and is of one kind and one project."""
    for _, alike in groupby(given, key=lambda each: (each.kind, each.project)):
        while batch := list(islice(alike, BATCH)):
            yield batch


class _Taking:
    """A file on its way into a store."""

    def __init__(self, store: ThreadStore, header: Header) -> None:
        self._header = header
        self._arrival = Arrival(store, header)
        self._threads = TakeThreads(self._arrival)
        history = TakeHistory(self._arrival)
        self._projects: dict[str, ProjectMarks] = {}
        self._given = Counter[str]()
        self._take = {
            "project": self._note_projects,
            "forgotten": history.forgotten,
            "thread": self._threads.threads,
            "event": self._threads.events,
            "session": self._threads.sessions,
            "bridge": self._threads.bridges,
            "focus": self._threads.foci,
            "change": history.changes,
            "turn": history.turns,
            "shown": history.shown,
            "spent": history.spent,
            "mark": history.marks,
        }

    def take(self, batch: Sequence[Record]) -> None:
        """Store records of one kind."""
        kind = batch[0].kind
        self._given[kind] += len(batch)
        if kind not in ("thread", "event"):
            self._threads.complete()
        self._take[kind](batch)

    def finish(self) -> None:
        """Check that all of it was there, and set what could not be before."""
        self._refuse_what_was_cut_off()
        self._threads.complete()
        for project, marks in self._projects.items():
            self._mark(project, marks)

    def taken_in(self) -> TakenIn:
        """Say what came of it."""
        known, left_out = self._arrival.known, self._arrival.left_out
        return TakenIn(
            added=dict(self._given - known - left_out),
            known=dict(+known),
            left_out=dict(+left_out),
            projects=self._header.projects,
        )

    def _refuse_what_was_cut_off(self) -> None:
        told = self._header.counts
        wrong = [kind for kind in KINDS if self._given[kind] != told.get(kind, 0)]
        if wrong:
            held = ", ".join(
                f"{self._given[each]:,} of {told.get(each, 0):,} {each}s" for each in wrong
            )
            msg = (
                f"cannot import it: it was cut off or changed; it holds {held}. Nothing of it was "
                "stored."
            )
            raise RefusedError(msg)

    def _note_projects(self, batch: Sequence[Record]) -> None:
        for record in batch:
            self._projects[record.value.name] = record.value
            self._arrival.known["project"] += record.value.name in self._arrival.projects_here

    def _mark(self, project: str, marks: ProjectMarks) -> None:
        """Set how far a project was described, and what was shown in it, as they are here."""
        arrival = self._arrival
        notes = arrival.store.notes
        new = arrival.new_numbers[project].up_to(marks.told)
        if project not in arrival.projects_here:
            notes.mark_told(project, marks.told if arrival.keeps_numbers else new)
            arrival.store.archive.count_shown(project, marks.injected, marks.used)
        elif arrival.was_told(project):
            # Where something was still to be described, all that came after it is described then.
            notes.mark_told(project, max(notes.told(project), new))
