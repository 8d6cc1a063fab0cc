"""Import transcripts and notes, each file from where it was read before.

A file's mark is saved once everything before it is stored. An import that breaks off goes on from
the last mark; messages that were stored after it are recognized by their ids.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from pathlib import Path

from ai_smartness.model.event import Message
from ai_smartness.model.transfer import ImportResult, ProjectImport, UnreadableFile
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.ports.transfer import (
    ImportedMessage,
    ImportMark,
    TranscriptChunk,
    TranscriptFile,
    TranscriptHistory,
)
from ai_smartness.transfer.history_messages import ProjectFinder

__all__ = ["BATCH_MESSAGES", "ImportJob", "StoreMessages", "import_sources"]

BATCH_MESSAGES = 1_000
BATCH_CHARACTERS = 16_000_000  # messages are stored when either is reached
MAX_COMPARED_EVENTS = 5_000
"""Of a session that two programs recorded, so many messages are compared by their words."""

MAX_SKIPPED_NAMES = 200
"""Kinds of skipped items that are counted apart: a file may name as many as it likes."""

_RETOLD_IDS = ("specstory_", "claude-mem_")

StoreMessages = Callable[[str, Sequence[Message]], tuple[int, int, Sequence[str]]]
"""Stores messages of a project; returns the counts of new and known ones, and why others failed."""


@dataclass(frozen=True, slots=True)
class ImportJob:
    """The store, the files' reader and the settings of one import."""

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
    """Read the files that have changed, and store their messages."""
    return _Import(job, progress).run(files)


class _Import:
    def __init__(self, job: ImportJob, progress: Progress) -> None:
        self._job = job
        self._progress = progress
        self._formats: Counter[str] = Counter()
        self._skipped: Counter[str] = Counter()
        self._problems: list[UnreadableFile] = []
        self._added: Counter[str] = Counter()
        self._known: Counter[str] = Counter()
        self._sessions: defaultdict[str, set[str]] = defaultdict(set)
        self._batch: defaultdict[str, list[ImportedMessage]] = defaultdict(list)
        self._messages = self._characters = 0
        self._marks: dict[str, ImportMark] = {}
        self._done = self._total = 0

    def run(self, files: Sequence[TranscriptFile | UnreadableFile]) -> ImportResult:
        marks = self._job.store.imports.marks_by_path()
        transcripts = [file for file in files if isinstance(file, TranscriptFile)]
        if self._job.projects.trust:
            # Read again: lines may have been left out for want of trust.
            for file in transcripts:
                if not file.is_own:
                    marks.pop(_path_text(file), None)
        unreadable = [file for file in files if isinstance(file, UnreadableFile)]
        for unread in unreadable:
            if unread.why:
                self._note_problem(unread.path, unread.why)
        pending = [
            file for file in transcripts if not _is_fully_read(file, marks.get(_path_text(file)))
        ]
        self._total = sum(_bytes_left(file, marks.get(_path_text(file))) for file in pending)
        self._progress(0, self._total)
        pending = self._in_conversation_order(pending, marks)
        sizes = [_bytes_left(file, marks.get(_path_text(file))) for file in pending]
        for file, size in zip(pending, sizes, strict=True):
            self._read_file(file, marks.get(_path_text(file)))
            self._done += size
            self._progress(self._done, self._total)
        self._flush_batch()
        self._count_skipped(self._job.projects.refused)
        return ImportResult(
            read=sum(self._formats.values()),
            unchanged=len(transcripts) - len(pending),
            sessions=len(set[str]().union(*self._sessions.values())),
            added=sum(self._added.values()),
            known=sum(self._known.values()),
            formats=dict(self._formats),
            skipped=dict(self._skipped.most_common()),
            projects={
                name: ProjectImport(self._added[name], self._known[name], len(self._sessions[name]))
                for name in sorted({*self._added, *self._known})
            },
            not_read=tuple(self._problems),
            # A file of no known format that nobody named has no reason.
            other_files=sum(not unread.why for unread in unreadable),
            dry_run=self._job.dry_run,
        )

    def _in_conversation_order(
        self, files: Sequence[TranscriptFile], marks: Mapping[str, ImportMark]
    ) -> list[TranscriptFile]:
        """Return the files by project, and by when their first new message was said.

        The time of a file says when it was copied. The files of a project come together.
        """
        order = dict[Path, tuple[str, datetime, str]]()
        for file in files:
            project, at = self._file_beginning(file, marks.get(_path_text(file)))
            order[file.path] = project, at, str(file.path)
            self._progress(0, self._total)
        # Each file's beginning was read only to sort: it is read again, and counted, below.
        self._job.projects.refused.clear()
        return sorted(files, key=lambda file: order[file.path])

    def _file_beginning(
        self, file: TranscriptFile, since: ImportMark | None
    ) -> tuple[str, datetime]:
        """Return the project and the time of a file's first message that is not read yet."""
        try:
            for chunk in self._job.history.read_chunks(file, since, self._job.now):
                for item in chunk.items:
                    for imported in self._job.projects.history_messages(item, file):
                        return imported.project, imported.message.at or self._job.now
        except OSError:
            pass  # reported when the file is read
        return "", self._job.now

    def _read_file(self, file: TranscriptFile, since: ImportMark | None) -> None:
        start, done = since.offset if since else 0, 0
        try:
            for chunk in self._job.history.read_chunks(file, since, self._job.now):
                self._take_chunk(chunk, file, done)
                self._count_skipped(chunk.skipped)
                for problem in chunk.problems:
                    self._note_problem(file.path, problem)
                self._marks[_path_text(file)] = chunk.mark
                done = max(0, chunk.mark.offset - start)
                self._progress(self._done + done, self._total)
        except OSError as error:
            self._note_problem(file.path, (error.strerror or str(error)).lower())
        else:
            self._formats[file.format] += 1

    def _note_problem(self, path: Path, why: str) -> None:
        problem = UnreadableFile(path, why)
        if problem not in self._problems[-20:]:
            self._problems.append(problem)

    def _count_skipped(self, skipped: Mapping[str, int]) -> None:
        for name, count in skipped.items():
            has_room = name in self._skipped or len(self._skipped) < MAX_SKIPPED_NAMES
            self._skipped[name if has_room else "others"] += count

    def _take_chunk(self, chunk: TranscriptChunk, file: TranscriptFile, done: int) -> None:
        """Collect a chunk's messages, and store them whenever a batch is full.

        Its mark comes later: if the import breaks off, their ids show which are stored.
        """
        for item in chunk.items:
            for imported in self._job.projects.history_messages(item, file):
                if imported.message.session:
                    self._sessions[imported.project].add(imported.message.session)
                self._batch[imported.project].append(imported)
                self._messages += 1
                self._characters += len(imported.message.text)
            if self._messages >= self._job.batch_messages or self._characters >= BATCH_CHARACTERS:
                self._flush_batch()
                self._progress(self._done + done, self._total)

    def _flush_batch(self) -> None:
        """Store the collected messages, then the marks of the files."""
        store_messages = self._count_new if self._job.dry_run else self._job.store_messages
        for project, messages in self._batch.items():
            fresh = _by_time(self._without_duplicates(project, messages))
            added, known, refusals = store_messages(project, fresh)
            self._added[project] += added
            self._known[project] += known + len(messages) - len(fresh)
            for refusal in refusals:
                self._count_skipped({refusal: 1})
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
        self, project: str, messages: Sequence[ImportedMessage]
    ) -> list[Message]:
        """Leave out messages whose words the session already has under another id."""
        fresh: list[Message] = []
        known: dict[str, set[tuple[str, str]]] = {}
        for item in messages:
            message = item.message
            session = message.session
            if item.may_repeat and session:
                if session not in known:
                    known[session] = self._session_texts(project, session)
                role = str(message.payload.get("speaker") or message.role)
                if _comparable_text(role, message.text) in known[session]:
                    continue
            fresh.append(message)
        return fresh

    def _session_texts(self, project: str, session: str) -> set[tuple[str, str]]:
        events = self._job.store.events.latest_of_session(project, session, MAX_COMPARED_EVENTS)
        return {
            _comparable_text(event.role, event.text)
            for event in events
            if not event.id.startswith(_RETOLD_IDS)
        }


def _by_time(messages: Sequence[Message]) -> list[Message]:
    """Return messages in the order in which they were said; each session keeps its own order."""
    latest: dict[str | None, datetime] = {}
    timed: list[tuple[datetime, Message]] = []
    for message in messages:
        if message.at is None:
            return list(messages)
        session = message.session
        latest[session] = max(latest.get(session, message.at), message.at)
        timed.append((latest[session], message))
    return [message for _, message in sorted(timed, key=itemgetter(0))]


def _is_fully_read(file: TranscriptFile, mark: ImportMark | None) -> bool:
    if mark is None or (mark.size, mark.changed_ns) != (file.size, file.changed_ns):
        return False
    # A mark before the end waits for the rest of a line or for an answer.
    return mark.offset >= file.size


def _path_text(file: TranscriptFile) -> str:
    """Return a file's path as text, whatever its bytes are."""
    return str(file.path.absolute()).encode(errors="backslashreplace").decode()


def _bytes_left(file: TranscriptFile, mark: ImportMark | None) -> int:
    return file.size - (mark.offset if mark and mark.offset <= file.size else 0)


def _comparable_text(role: str, text: str) -> tuple[str, str]:
    return role, " ".join(text.split())
