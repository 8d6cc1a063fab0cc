"""Take a memory out whole: every line a record, the first one says what there is.

Complete means all that does not follow from what is there: full text, vectors and which
events a compaction covers are made anew. All of it is of one moment, nothing of it is in
memory at once, and the same memory always gives the same lines.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from ai_smartness.model.event import Event
from ai_smartness.model.thread import Thread
from ai_smartness.model.transfer import (
    EXPORT_KEY,
    EXPORT_VERSION,
    DailySpending,
    ExportHeader,
    ProjectMarks,
)
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.transfer.export_records import plain_value

__all__ = ["export"]

EXPORT_BATCH = 500
"""At once in memory."""


def export(
    store: ThreadStore, project: str | None, write: Callable[[str], object], progress: Progress
) -> ExportHeader:
    """Write one project, or without a name everything, line by line; return the first line."""
    with store.transfer.snapshot():
        source = _ExportSource(store, project)
        header = source.export_header()
        write(_export_line(EXPORT_KEY, header))
        total = sum(header.counts.values())
        for done, (kind, record) in enumerate(source.all_records(), 1):
            write(_export_line(kind, record))
            if done % EXPORT_BATCH == 0 or done == total:
                progress(done, total)
    return header


def _export_line(kind: str, record: object) -> str:
    return json.dumps({kind: plain_value(record)}, ensure_ascii=False, separators=(",", ":")) + "\n"


class _ExportSource:
    """A store to be read through, all of it or one project."""

    def __init__(self, store: ThreadStore, project: str | None) -> None:
        self._store = store
        self._is_whole = project is None
        names = [each.project for each in store.project_counts()]
        self._projects = names if project is None else [project]

    def export_header(self) -> ExportHeader:
        counts = {
            "project": len(self._projects),
            **self._store.transfer.record_counts(self._projects),
        }
        # The rest is small enough to be read twice.
        for kind, records in self._small_kinds():
            counts[kind] = sum(1 for _ in records)
        lasts = self._store.transfer.last_seqs(self._projects)
        return ExportHeader(
            version=EXPORT_VERSION,
            projects=tuple(self._projects),
            counts=dict(sorted(counts.items())),
            last_event=lasts.event,
            last_change=lasts.change,
        )

    def all_records(self) -> Iterator[tuple[str, object]]:
        """Yield everything, each kind after those that it refers to."""
        few = dict(self._small_kinds())
        archive = self._store.transfer
        kinds: list[tuple[str, Iterator[object]]] = [
            ("project", (self._project_marks(each) for each in self._projects)),
            ("forgotten", few["forgotten"]),
            ("thread", few["thread"]),
            ("event", self._event_records()),
            ("session", self._session_records()),
            ("bridge", few["bridge"]),
            ("focus", few["focus"]),
            ("change", self._change_records()),
            ("turn", chain.from_iterable(archive.ledger_pages(each) for each in self._projects)),
            ("shown", self._shown_records()),
            ("spent", few["spent"]),
            ("mark", few["mark"]),
        ]
        for kind, records in kinds:
            for record in records:
                yield kind, record

    def _small_kinds(self) -> list[tuple[str, Iterator[Any]]]:
        return [
            ("thread", self._thread_records()),
            ("bridge", self._bridge_records()),
            ("focus", self._focus_records()),
            ("spent", self._spending_records()),
            ("mark", self._import_marks()),
            ("forgotten", self._forgotten_records()),
        ]

    def _project_marks(self, project: str) -> ProjectMarks:
        injected, used = self._store.ledger.usage_counts(project)
        told = self._store.annotations.described_through(project)
        return ProjectMarks(name=project, told=told, injected=injected, used=used)

    def _thread_records(self) -> Iterator[Thread]:
        for project in self._projects:
            yield from sorted(self._store.threads.all(project), key=lambda thread: thread.id)

    def _event_records(self) -> Iterator[dict[str, object]]:
        for project in self._projects:
            after = 0
            while events := self._store.transfer.events_after(project, after, EXPORT_BATCH):
                yield from self._annotated_events(events)
                after = events[-1].seq

    def _annotated_events(self, events: Sequence[Event]) -> Iterator[dict[str, object]]:
        notes = self._store.annotations.of(event.seq for event in events)
        for event in events:
            note = notes.get(event.seq)
            yield {**plain_value(event), "note": None if note is None else plain_value(note)}

    def _session_records(self) -> Iterator[object]:
        for project in self._projects:
            for id_ in self._store.transfer.session_ids(project):
                yield self._store.threads.find_session(project, id_)

    def _bridge_records(self) -> Iterator[object]:
        threads = {thread.id for thread in self._thread_records()}
        for id_ in sorted(threads):
            ours = self._store.bridges.of(id_, unwanted=True)
            for bridge in sorted(ours, key=lambda each: each.id):
                # Once, where it begins; and not where it leads out of what is taken along.
                if bridge.source == id_ and bridge.target in threads:
                    yield bridge

    def _focus_records(self) -> Iterator[dict[str, object]]:
        for project in self._projects:
            for focus in self._store.foci.all(project):
                yield {"project": project, **plain_value(focus)}

    def _change_records(self) -> Iterator[dict[str, object]]:
        for project in self._projects:
            after = 0
            while entries := self._store.transfer.journal_after(project, after, EXPORT_BATCH):
                for entry in entries:
                    laid = plain_value(entry)
                    # It follows from what the others undo.
                    del laid["undone_by"]
                    yield laid
                after = entries[-1].seq

    def _shown_records(self) -> Iterator[dict[str, object]]:
        for project in self._projects:
            for entry in self._store.transfer.ledger_entries(project):
                yield {"project": project, **plain_value(entry)}

    def _spending_records(self) -> Iterator[DailySpending]:
        if self._is_whole:
            for day, tokens in self._store.transfer.spent_tokens().items():
                yield DailySpending(day, tokens)

    def _import_marks(self) -> Iterator[dict[str, object]]:
        if self._is_whole:
            for path, mark in sorted(self._store.imports.marks_by_path().items()):
                yield {"path": path, **plain_value(mark)}

    def _forgotten_records(self) -> Iterator[dict[str, object]]:
        if self._is_whole:
            for mark in self._store.transfer.forgotten_hashes():
                yield {"mark": mark}
