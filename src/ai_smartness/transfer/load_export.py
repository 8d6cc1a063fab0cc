"""Load an export into a store: all of it, or nothing.

An empty store becomes the memory that was exported, with the same numbers. A store with data gets
the records that are new: a record whose id is known stays as it is here, and a file that
contradicts the store is refused.
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
    BadExportError,
    ExportRecord,
    read_header,
    read_records,
)
from ai_smartness.transfer.load_records import HistoryLoader, LoadState, ThreadLoader

__all__ = ["load_export"]

RECORD_BATCH = 500


class _DryRunRollback(Exception):  # noqa: N818 - it only ends the transaction
    """Roll a dry run back."""


def load_export(
    store: ThreadStore, lines: Iterable[bytes], progress: Progress, *, dry_run: bool = False
) -> LoadResult:
    """Store the records of an export; in a dry run only count them."""
    try:
        return _load_lines(store, iter(lines), progress, dry_run=dry_run)
    except BadExportError as error:
        # An open file knows its name.
        msg = f"cannot import {getattr(lines, 'name', 'it')}: {error} Nothing was stored."
        raise RefusedError(msg) from error


def _load_lines(
    store: ThreadStore, lines: Iterator[bytes], progress: Progress, *, dry_run: bool
) -> LoadResult:
    header = read_header(next(lines, b""))
    total, done = sum(header.counts.values()), 0
    with suppress(_DryRunRollback), store.unit():
        loader = _ExportLoader(store, header)
        for batch in _record_batches(read_records(lines)):
            loader.load_batch(batch)
            done += len(batch)
            progress(done, total)
        loader.finish_load()
        if dry_run:
            raise _DryRunRollback
    for project in header.projects:
        store.word_index.refresh_index(project)
    return loader.load_result()


def _record_batches(records: Iterable[ExportRecord]) -> Iterator[list[ExportRecord]]:
    """Group consecutive records of one kind and one project."""
    for _, group in groupby(records, key=lambda record: (record.kind, record.project)):
        while batch := list(islice(group, RECORD_BATCH)):
            yield batch


class _ExportLoader:
    """Loads the records of one file."""

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
            "review": self._threads.load_reviews,
            "change": history.load_changes,
            "turn": history.load_turns,
            "shown": history.load_shown,
            "spent": history.load_spending,
            "mark": history.load_marks,
        }

    def load_batch(self, batch: Sequence[ExportRecord]) -> None:
        kind = batch[0].kind
        self._counts[kind] += len(batch)
        if kind not in ("thread", "event"):
            self._threads.complete_threads()
        self._loaders[kind](batch)

    def finish_load(self) -> None:
        """Check that the file was complete, and set what depends on all of it."""
        self._refuse_truncated()
        self._threads.complete_threads()
        for project, marks in self._projects.items():
            self._set_project_marks(project, marks)

    def load_result(self) -> LoadResult:
        known, left_out = self._state.known, self._state.left_out
        return LoadResult(
            added=dict(self._counts - known - left_out),
            known=dict(+known),
            left_out=dict(+left_out),
            projects=self._header.projects,
        )

    def _refuse_truncated(self) -> None:
        expected = Counter(self._header.counts)
        wrong = [kind for kind in RECORD_TYPES if self._counts[kind] != expected[kind]]
        if wrong:
            counts = ", ".join(
                f"{self._counts[kind]:,} of {expected[kind]:,} {kind}s" for kind in wrong
            )
            msg = f"it was truncated or changed, and holds {counts}."
            raise BadExportError(msg)

    def _note_projects(self, batch: Sequence[ExportRecord]) -> None:
        for record in batch:
            self._projects[record.value.name] = record.value
            self._state.known["project"] += record.value.name in self._state.projects_here

    def _set_project_marks(self, project: str, marks: ProjectMarks) -> None:
        """Set how far a project is described, and how much of it was injected and used."""
        state = self._state
        annotations = state.store.annotations
        described = state.new_seqs[project].highest_seq(marks.told)
        if project not in state.projects_here:
            annotations.mark_described(project, marks.told if state.keeps_seqs else described)
            state.store.transfer.set_usage_counts(project, marks.injected, marks.used)
        elif state.was_described(project):
            # A project that was behind here describes the new events when it catches up.
            described = max(annotations.described_through(project), described)
            annotations.mark_described(project, described)
