"""Export a memory: one record a line, after a header that says what there is.

The export holds everything that cannot be derived. The word index, vectors, statements and
the coverage of compactions are rebuilt on import. All records are of one moment, they are
streamed, and the same memory always gives the same lines.
"""

import json
from collections.abc import Callable, Iterator
from typing import TypeAlias

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

EXPORT_BATCH = 500  # records in memory at once

Records: TypeAlias = Iterator[object]


def export(
    store: ThreadStore, project: str | None, write: Callable[[str], object], progress: Progress
) -> ExportHeader:
    """Write one project, or without a name everything, line by line; return the header."""
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
    """The records of a store, of all projects or of one."""

    def __init__(self, store: ThreadStore, project: str | None) -> None:
        self._store = store
        self._is_whole = project is None
        names = [counts.project for counts in store.project_counts()]
        self._projects = names if project is None else [project]
        # Each kind comes after those that it refers to.
        self._kinds: dict[str, Callable[[], Records]] = {
            "project": self._project_marks,
            "forgotten": self._forgotten_records,
            "thread": self._threads,
            "event": self._event_records,
            "session": self._sessions,
            "bridge": self._bridges,
            "focus": self._focus_records,
            "review": self._reviews,
            "change": self._change_records,
            "turn": self._ledger_pages,
            "shown": self._shown_records,
            "spent": self._spending,
            "mark": self._import_marks,
        }

    def export_header(self) -> ExportHeader:
        counts = dict(self._store.transfer.record_counts(self._projects))
        for kind, records in self._kinds.items():
            if kind not in counts:
                # The kinds that the store does not count are small enough to be read twice.
                counts[kind] = sum(1 for _ in records())
        last = self._store.transfer.last_seqs(self._projects)
        return ExportHeader(
            version=EXPORT_VERSION,
            projects=tuple(self._projects),
            counts=dict(sorted(counts.items())),
            last_event=last.event,
            last_change=last.change,
        )

    def all_records(self) -> Iterator[tuple[str, object]]:
        return ((kind, record) for kind, records in self._kinds.items() for record in records())

    def _project_marks(self) -> Records:
        for project in self._projects:
            injected, used = self._store.ledger.usage_counts(project)
            described = self._store.annotations.described_through(project)
            yield ProjectMarks(name=project, told=described, injected=injected, used=used)

    def _threads(self) -> Iterator[Thread]:
        for project in self._projects:
            yield from sorted(self._store.threads.all(project), key=lambda thread: thread.id)

    def _event_records(self) -> Records:
        for project in self._projects:
            after = 0
            while events := self._store.transfer.events_after(project, after, EXPORT_BATCH):
                annotations = self._store.annotations.of(event.seq for event in events)
                for event in events:
                    yield {**plain_value(event), "note": plain_value(annotations.get(event.seq))}
                after = events[-1].seq

    def _sessions(self) -> Records:
        for project in self._projects:
            for id_ in self._store.transfer.session_ids(project):
                yield self._store.threads.find_session(project, id_)

    def _bridges(self) -> Records:
        threads = {thread.id for thread in self._threads()}
        for id_ in sorted(threads):
            bridges = self._store.bridges.of(id_, unwanted=True)
            for bridge in sorted(bridges, key=lambda bridge: bridge.id):
                # Once, at its source, and only if its target is exported too.
                if bridge.source == id_ and bridge.target in threads:
                    yield bridge

    def _focus_records(self) -> Records:
        for project in self._projects:
            for focus in self._store.foci.all(project):
                yield {"project": project, **plain_value(focus)}

    def _reviews(self) -> Records:
        for project in self._projects:
            yield from self._store.statements.reviews(project)

    def _change_records(self) -> Records:
        for project in self._projects:
            after = 0
            while entries := self._store.transfer.journal_after(project, after, EXPORT_BATCH):
                for entry in entries:
                    record = plain_value(entry)
                    # It follows from the entries that undo others.
                    del record["undone_by"]
                    yield record
                after = entries[-1].seq

    def _ledger_pages(self) -> Records:
        for project in self._projects:
            yield from self._store.transfer.ledger_pages(project)

    def _shown_records(self) -> Records:
        for project in self._projects:
            for entry in self._store.transfer.ledger_entries(project):
                yield {"project": project, **plain_value(entry)}

    def _spending(self) -> Records:
        spent = self._store.transfer.spent_tokens() if self._is_whole else {}
        return (DailySpending(day, tokens) for day, tokens in spent.items())

    def _import_marks(self) -> Records:
        marks = self._store.imports.marks_by_path() if self._is_whole else {}
        return ({"path": path, **plain_value(mark)} for path, mark in sorted(marks.items()))

    def _forgotten_records(self) -> Records:
        hashes = self._store.transfer.forgotten_hashes() if self._is_whole else []
        return ({"mark": mark} for mark in hashes)
