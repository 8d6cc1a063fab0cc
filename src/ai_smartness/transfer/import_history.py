"""Bring in what was said before: file by file, each from where it was read before.

A mark is kept once everything before it is stored. What breaks off in the middle goes on from
there, and what was stored after it is known by its ids.

Counts while an import goes on, and what it comes to at the end.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from ai_smartness.model.event import Message
from ai_smartness.model.transfer import ImportResult, ProjectImport, UnreadFile
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.ports.transfer import (
    ImportMark,
    TranscriptChunk,
    TranscriptFile,
    TranscriptHistory,
    UnreadableFile,
)
from ai_smartness.transfer.history_messages import HistoryMessage, ProjectFinder

__all__ = [
    "BATCH_MESSAGES",
    "ImportJob",
    "ImportTally",
    "StoreMessages",
    "import_sources",
    "pending_sources",
    "source_path",
]


BATCH_MESSAGES = 1_000
BATCH_CHARACTERS = 16_000_000
"""Held in memory before they are stored, whichever is reached first."""

MAX_COMPARED_EVENTS = 5_000
"""Of a session that two tools wrote down, so many are compared by their words."""

StoreMessages = Callable[[str, Sequence[Message]], tuple[int, int, Sequence[str]]]
"""Stores messages of a project; returns how many were new, how many known, why others were not."""


@dataclass(frozen=True, slots=True)
class ImportJob:
    """What an import works with."""

    store: ThreadStore
    history: TranscriptHistory
    projects: ProjectFinder
    store_messages: StoreMessages
    now: datetime
    dry_run: bool = False
    batch_messages: int = BATCH_MESSAGES


def import_sources(
    job: ImportJob, files: Sequence[TranscriptFile | UnreadableFile], progress: Progress
) -> ImportResult:
    """Read the files that were found, and store what they tell."""
    return _Import(job).run(files, progress)


def pending_sources(
    files: Sequence[TranscriptFile | UnreadableFile], marks: dict[str, ImportMark]
) -> list[TranscriptFile]:
    """Return the files that have something to tell since they were last read.

    Folder by folder, for those of one project are together; within one the oldest first.
    """
    sources = [each for each in files if isinstance(each, TranscriptFile)]
    changed = [each for each in sources if not _is_fully_read(each, marks.get(source_path(each)))]
    return sorted(
        changed, key=lambda each: (_session_folder(each), each.changed_ns, str(each.path))
    )


def source_path(source: TranscriptFile) -> str:
    """Return a file's path as text, whatever bytes it is made of."""
    return str(source.path.absolute()).encode(errors="backslashreplace").decode()


def _session_folder(source: TranscriptFile) -> str:
    """Return the folder a session is in; its subagents are in one of their own below."""
    folder = source.path.parent
    return str(folder.parent.parent if folder.name == "subagents" else folder)


def _is_fully_read(source: TranscriptFile, mark: ImportMark | None) -> bool:
    if mark is None or (mark.size, mark.changed_ns) != (source.size, source.changed_ns):
        return False
    # Where a line is still being written, or an answer was waited for, there is more to come.
    return mark.offset >= source.size


class _Import:
    def __init__(self, with_: ImportJob) -> None:
        self._job = with_
        self._tally = ImportTally()
        self._batch: defaultdict[str, list[HistoryMessage]] = defaultdict(list)
        self._messages = self._characters = 0
        self._marks: dict[str, ImportMark] = {}

    def run(
        self, found: Sequence[TranscriptFile | UnreadableFile], progress: Progress
    ) -> ImportResult:
        """Read them all."""
        marks = self._job.store.imports.marks_by_path()
        for each in found:
            if isinstance(each, UnreadableFile):
                self._tally.add_unread(each)
        sources = pending_sources(found, marks)
        self._tally.unchanged = sum(isinstance(each, TranscriptFile) for each in found) - len(
            sources
        )
        left = [_bytes_left(each, marks.get(source_path(each))) for each in sources]
        done, total = 0, sum(left)
        progress(done, total)
        for source, size in zip(sources, left, strict=True):
            self._read_source(
                source,
                marks.get(source_path(source)),
                partial(_report_progress, progress, done, total),
            )
            done += size
            progress(done, total)
        self._flush_batch()
        return self._tally.import_result(dry_run=self._job.dry_run)

    def _read_source(
        self, source: TranscriptFile, since: ImportMark | None, told: Callable[[int], None]
    ) -> None:
        start, done = since.offset if since else 0, 0
        try:
            for piece in self._job.history.read_chunks(source, since, self._job.now):
                self._take_piece(piece, source, partial(told, done))
                self._tally.add_skipped(piece.skipped)
                for trouble in piece.problems:
                    self._tally.add_trouble(source.path, trouble)
                self._marks[source_path(source)] = piece.mark
                done = max(0, piece.mark.offset - start)
                told(done)
        except OSError as error:
            self._tally.add_trouble(source.path, (error.strerror or str(error)).lower())
        else:
            self._tally.add_file(source)

    def _take_piece(
        self, piece: TranscriptChunk, source: TranscriptFile, breathe: Callable[[], None]
    ) -> None:
        """Take what a piece tells, and store it as often as enough is held.

        That is before its mark is: where it breaks off, what is stored is known by its ids.
        """
        for each in piece.items:
            for kept in self._job.projects.history_messages(each, source):
                self._hold_message(kept)
            if self._messages >= self._job.batch_messages or self._characters >= BATCH_CHARACTERS:
                self._flush_batch()
                breathe()

    def _hold_message(self, kept: HistoryMessage) -> None:
        self._tally.add_session(kept)
        self._batch[kept.project].append(kept)
        self._messages += 1
        self._characters += len(kept.message.text)

    def _flush_batch(self) -> None:
        """Store what is held, then how far the files were read."""
        for project, held in self._batch.items():
            fresh, retold = self._without_duplicates(project, held)
            added, known, refused = (
                self._count_new(project, fresh)
                if self._job.dry_run
                else self._job.store_messages(project, fresh)
            )
            self._tally.add_counts(project, added, known + retold)
            for why in refused:
                self._tally.add_skipped({why: 1})
        if not self._job.dry_run:
            self._job.store.imports.save(self._marks.items())
        self._batch.clear()
        self._marks.clear()
        self._messages = self._characters = 0

    def _count_new(
        self, project: str, messages: Sequence[Message]
    ) -> tuple[int, int, Sequence[str]]:
        ids = {message.id for message in messages if message.id}
        events = self._job.store.events
        known = len(events.known_ids(project, ids) | events.forgotten_ids(project, ids))
        return len(messages) - known, known, ()

    def _without_duplicates(
        self, project: str, held: Sequence[HistoryMessage]
    ) -> tuple[list[Message], int]:
        """Return the messages without those whose words the session has under another id."""
        fresh: list[Message] = []
        said: dict[str, set[tuple[str, str]]] = {}
        for kept in held:
            message, session = kept.message, kept.message.session
            if kept.retold and session:
                if session not in said:
                    said[session] = self._session_texts(project, session)
                if _comparable_text(message.role, message.text) in said[session]:
                    continue
            fresh.append(message)
        return fresh, len(held) - len(fresh)

    def _session_texts(self, project: str, session: str) -> set[tuple[str, str]]:
        events = self._job.store.events.latest_of_session(project, session, MAX_COMPARED_EVENTS)
        theirs = ("specstory_", "claude-mem_")
        return {
            _comparable_text(each.role, each.text)
            for each in events
            if not each.id.startswith(theirs)
        }


def _report_progress(progress: Progress, before: int, total: int, done: int) -> None:
    progress(before + done, total)


def _comparable_text(role: str, text: str) -> tuple[str, str]:
    return role, " ".join(text.split())


def _bytes_left(source: TranscriptFile, mark: ImportMark | None) -> int:
    return max(0, source.size - (mark.offset if mark and mark.offset <= source.size else 0))


MAX_SKIPPED_NAMES = 200
"""Of kinds of things that were left out: a file may name as many as it likes."""


class ImportTally:
    """What was found, kept and left out so far."""

    def __init__(self) -> None:
        self.formats: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.unchanged = 0
        self.other_files = 0
        self.not_read: list[UnreadFile] = []
        self._added: Counter[str] = Counter()
        self._known: Counter[str] = Counter()
        self._sessions: defaultdict[str, set[str]] = defaultdict(set)

    def add_session(self, kept: HistoryMessage) -> None:
        """Count the session of a message."""
        if kept.message.session:
            self._sessions[kept.project].add(kept.message.session)

    def add_counts(self, project: str, added: int, known: int) -> None:
        """Count messages."""
        self._added[project] += added
        self._known[project] += known

    def add_skipped(self, skipped: Mapping[str, int]) -> None:
        """Count what is not worth remembering."""
        for name, count in skipped.items():
            fits = name in self.skipped or len(self.skipped) < MAX_SKIPPED_NAMES
            self.skipped[name if fits else "others"] += count

    def add_unread(self, unread: UnreadableFile) -> None:
        """Take note of a file that could not be read; one that nobody asked for is no trouble."""
        if unread.why:
            self.add_trouble(unread.path, unread.why)
        else:
            self.other_files += 1

    def add_trouble(self, path: Path, why: str) -> None:
        """Take note of what could not be read; the same of one file once."""
        trouble = UnreadFile(path, why)
        if trouble not in self.not_read[-20:]:
            self.not_read.append(trouble)

    def add_file(self, source: TranscriptFile) -> None:
        """Count a file that was read."""
        self.formats[source.format] += 1

    def import_result(self, *, dry_run: bool) -> ImportResult:
        """Return what it comes to."""
        names = sorted({*self._added, *self._known})
        projects = {
            name: ProjectImport(self._added[name], self._known[name], len(self._sessions[name]))
            for name in names
        }
        return ImportResult(
            read=sum(self.formats.values()),
            unchanged=self.unchanged,
            sessions=len(set().union(*self._sessions.values())) if self._sessions else 0,
            added=sum(self._added.values()),
            known=sum(self._known.values()),
            formats=dict(self.formats),
            skipped=dict(self.skipped.most_common()),
            projects=projects,
            not_read=tuple(self.not_read),
            other_files=self.other_files,
            dry_run=dry_run,
        )
