"""Take a memory in that was taken out whole: all of it, or nothing.

An empty store becomes the memory that was exported, number by number. To one that has
something already it adds what is new: what is known by its id stays as it is here, and
where both have gone separate ways the file is refused.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby, islice

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.transfer import ExportHeader, LoadResult, ProjectMarks
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.transfer.export_records import (
    RECORD_TYPES,
    ExportRecord,
    read_header,
    read_records,
)
from ai_smartness.transfer.load_records import HistoryLoader, LoadState, ThreadLoader

__all__ = ["load_export"]

RECORD_BATCH = 500


class _DryRunRollback(Exception):  # noqa: N818 - no error: it was only to be seen
    """Leave all as it was."""


def load_export(
    store: ThreadStore, lines: Iterable[bytes], progress: Progress, *, dry_run: bool = False
) -> LoadResult:
    """Store what the lines of an export tell; in a dry run only say what that would add."""
    given = iter(lines)
    header = read_header(next(given, b""))
    total, done = sum(header.counts.values()), 0
    with suppress(_DryRunRollback), store.unit():
        taking = _ExportLoader(store, header)
        for batch in _record_batches(read_records(given)):
            taking.load_batch(batch)
            done += len(batch)
            progress(done, total)
        taking.finish_load()
        if dry_run:
            raise _DryRunRollback
    for project in header.projects:
        store.word_index.refresh_index(project)
    return taking.load_result()


def _record_batches(given: Iterable[ExportRecord]) -> Iterator[list[ExportRecord]]:
    """Group what follows each other and is of one kind and one project."""
    for _, alike in groupby(given, key=lambda each: (each.kind, each.project)):
        while batch := list(islice(alike, RECORD_BATCH)):
            yield batch


class _ExportLoader:
    """A file on its way into a store."""

    def __init__(self, store: ThreadStore, header: ExportHeader) -> None:
        self._header = header
        self._state = LoadState(store, header)
        self._threads = ThreadLoader(self._state)
        history = HistoryLoader(self._state)
        self._projects: dict[str, ProjectMarks] = {}
        self._counts = Counter[str]()
        self._loaders = {
            "project": self._note_projects,
            "forgotten": history.load_forgotten,
            "thread": self._threads.load_threads,
            "event": self._threads.load_events,
            "session": self._threads.load_sessions,
            "bridge": self._threads.load_bridges,
            "focus": self._threads.load_foci,
            "change": history.load_changes,
            "turn": history.load_turns,
            "shown": history.load_shown,
            "spent": history.load_spending,
            "mark": history.load_marks,
        }

    def load_batch(self, batch: Sequence[ExportRecord]) -> None:
        """Store records of one kind."""
        kind = batch[0].kind
        self._counts[kind] += len(batch)
        if kind not in ("thread", "event"):
            self._threads.complete_threads()
        self._loaders[kind](batch)

    def finish_load(self) -> None:
        """Check that all of it was there, and set what could not be before."""
        self._refuse_truncated()
        self._threads.complete_threads()
        for project, marks in self._projects.items():
            self._set_project_marks(project, marks)

    def load_result(self) -> LoadResult:
        """Say what came of it."""
        known, left_out = self._state.known, self._state.left_out
        return LoadResult(
            added=dict(self._counts - known - left_out),
            known=dict(+known),
            left_out=dict(+left_out),
            projects=self._header.projects,
        )

    def _refuse_truncated(self) -> None:
        told = self._header.counts
        wrong = [kind for kind in RECORD_TYPES if self._counts[kind] != told.get(kind, 0)]
        if wrong:
            held = ", ".join(
                f"{self._counts[each]:,} of {told.get(each, 0):,} {each}s" for each in wrong
            )
            msg = (
                f"cannot import it: it was cut off or changed; it holds {held}. Nothing of it was "
                "stored."
            )
            raise RefusedError(msg)

    def _note_projects(self, batch: Sequence[ExportRecord]) -> None:
        for record in batch:
            self._projects[record.value.name] = record.value
            self._state.known["project"] += record.value.name in self._state.projects_here

    def _set_project_marks(self, project: str, marks: ProjectMarks) -> None:
        """Set how far a project was described, and what was shown in it, as they are here."""
        arrival = self._state
        notes = arrival.store.annotations
        new = arrival.new_numbers[project].highest_seq(marks.told)
        if project not in arrival.projects_here:
            notes.mark_described(project, marks.told if arrival.keeps_numbers else new)
            arrival.store.transfer.set_usage_counts(project, marks.injected, marks.used)
        elif arrival.was_described(project):
            # Where something was still to be described, all that came after it is described then.
            notes.mark_described(project, max(notes.described_through(project), new))
