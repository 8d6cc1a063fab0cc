"""Take a memory out whole: every line a record, the first one says what there is.

Complete means all that does not follow from what is there: full text, vectors and which
events a compaction covers are made anew. All of it is of one moment, nothing of it is in
memory at once, and the same memory always gives the same lines.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from ai_smartness.exporting.plain import plain
from ai_smartness.model.event import Event
from ai_smartness.model.exported import EXPORT, VERSION, Header, ProjectMarks, Spent
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Progress, ThreadStore

__all__ = ["export"]

BATCH = 500
"""At once in memory."""


def export(
    store: ThreadStore, project: str | None, write: Callable[[str], object], progress: Progress
) -> Header:
    """Write one project, or without a name everything, line by line; return the first line."""
    with store.archive.snapshot():
        source = _Source(store, project)
        header = source.header()
        write(_line(EXPORT, header))
        total = sum(header.counts.values())
        for done, (kind, record) in enumerate(source.records(), 1):
            write(_line(kind, record))
            if done % BATCH == 0 or done == total:
                progress(done, total)
    return header


def _line(kind: str, record: object) -> str:
    return json.dumps({kind: plain(record)}, ensure_ascii=False, separators=(",", ":")) + "\n"


class _Source:
    """A store to be read through, all of it or one project."""

    def __init__(self, store: ThreadStore, project: str | None) -> None:
        self._store = store
        self._is_whole = project is None
        names = [each.project for each in store.projects()]
        self._projects = names if project is None else [project]

    def header(self) -> Header:
        counts = {"project": len(self._projects), **self._store.archive.counts(self._projects)}
        # The rest is small enough to be read twice.
        for kind, records in self._few():
            counts[kind] = sum(1 for _ in records)
        lasts = self._store.archive.lasts(self._projects)
        return Header(
            version=VERSION,
            projects=tuple(self._projects),
            counts=dict(sorted(counts.items())),
            last_event=lasts.event,
            last_change=lasts.change,
        )

    def records(self) -> Iterator[tuple[str, object]]:
        """Yield everything, each kind after those that it refers to."""
        few = dict(self._few())
        archive = self._store.archive
        kinds: list[tuple[str, Iterator[object]]] = [
            ("project", (self._marks(each) for each in self._projects)),
            ("forgotten", few["forgotten"]),
            ("thread", few["thread"]),
            ("event", self._events()),
            ("session", self._sessions()),
            ("bridge", few["bridge"]),
            ("focus", few["focus"]),
            ("change", self._changes()),
            ("turn", chain.from_iterable(archive.turns(each) for each in self._projects)),
            ("shown", self._shown()),
            ("spent", few["spent"]),
            ("mark", few["mark"]),
        ]
        for kind, records in kinds:
            for record in records:
                yield kind, record

    def _few(self) -> list[tuple[str, Iterator[Any]]]:
        return [
            ("thread", self._threads()),
            ("bridge", self._bridges()),
            ("focus", self._foci()),
            ("spent", self._spent()),
            ("mark", self._import_marks()),
            ("forgotten", self._forgotten()),
        ]

    def _marks(self, project: str) -> ProjectMarks:
        injected, used = self._store.ledger.counts(project)
        told = self._store.notes.told(project)
        return ProjectMarks(name=project, told=told, injected=injected, used=used)

    def _threads(self) -> Iterator[Thread]:
        for project in self._projects:
            yield from sorted(self._store.threads.all(project), key=lambda thread: thread.id)

    def _events(self) -> Iterator[dict[str, object]]:
        for project in self._projects:
            after = 0
            while events := self._store.archive.events(project, after, BATCH):
                yield from self._noted(events)
                after = events[-1].seq

    def _noted(self, events: Sequence[Event]) -> Iterator[dict[str, object]]:
        notes = self._store.notes.of(event.seq for event in events)
        for event in events:
            note = notes.get(event.seq)
            yield {**plain(event), "note": None if note is None else plain(note)}

    def _sessions(self) -> Iterator[object]:
        for project in self._projects:
            for id_ in self._store.archive.sessions(project):
                yield self._store.threads.session(project, id_)

    def _bridges(self) -> Iterator[object]:
        threads = {thread.id for thread in self._threads()}
        for id_ in sorted(threads):
            ours = self._store.bridges.of(id_, unwanted=True)
            for bridge in sorted(ours, key=lambda each: each.id):
                # Once, where it begins; and not where it leads out of what is taken along.
                if bridge.source == id_ and bridge.target in threads:
                    yield bridge

    def _foci(self) -> Iterator[dict[str, object]]:
        for project in self._projects:
            for focus in self._store.foci.all(project):
                yield {"project": project, **plain(focus)}

    def _changes(self) -> Iterator[dict[str, object]]:
        for project in self._projects:
            after = 0
            while entries := self._store.archive.changes(project, after, BATCH):
                for entry in entries:
                    laid = plain(entry)
                    # It follows from what the others undo.
                    del laid["undone_by"]
                    yield laid
                after = entries[-1].seq

    def _shown(self) -> Iterator[dict[str, object]]:
        for project in self._projects:
            for entry in self._store.archive.shown(project):
                yield {"project": project, **plain(entry)}

    def _spent(self) -> Iterator[Spent]:
        if self._is_whole:
            for day, tokens in self._store.archive.spent().items():
                yield Spent(day, tokens)

    def _import_marks(self) -> Iterator[dict[str, object]]:
        if self._is_whole:
            for path, mark in sorted(self._store.imports.marks().items()):
                yield {"path": path, **plain(mark)}

    def _forgotten(self) -> Iterator[dict[str, object]]:
        if self._is_whole:
            for mark in self._store.archive.forgotten():
                yield {"mark": mark}
