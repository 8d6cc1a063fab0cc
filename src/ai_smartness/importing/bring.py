"""Bring in what was said before: file by file, each from where it was read before.

A mark is kept once everything before it is stored. What breaks off in the middle goes on from
there, and what was stored after it is known by its ids.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from ai_smartness.importing.messages import Kept, Placing
from ai_smartness.importing.tally import Tally
from ai_smartness.model.event import Message
from ai_smartness.model.imported import Imported
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.ports.history import History, Mark, Piece, Source, Unread

__all__ = ["BATCH_MESSAGES", "Bringing", "Stored", "bring_in", "path_of", "waiting"]

BATCH_MESSAGES = 1_000
BATCH_CHARACTERS = 16_000_000
"""Held in memory before they are stored, whichever is reached first."""

SAME_EVENTS = 5_000
"""Of a session that two tools wrote down, so many are compared by their words."""

Stored = Callable[[str, Sequence[Message]], tuple[int, int, Sequence[str]]]
"""Stores messages of a project; returns how many were new, how many known, why others were not."""


@dataclass(frozen=True, slots=True)
class Bringing:
    """What an import works with."""

    store: ThreadStore
    history: History
    placing: Placing
    stored: Stored
    now: datetime
    dry_run: bool = False
    batch: int = BATCH_MESSAGES


def bring_in(with_: Bringing, found: Sequence[Source | Unread], progress: Progress) -> Imported:
    """Read the files that were found, and store what they tell."""
    return _Import(with_).run(found, progress)


def waiting(found: Sequence[Source | Unread], marks: dict[str, Mark]) -> list[Source]:
    """Return the files that have something to tell since they were last read.

    Folder by folder, for those of one project are together; within one the oldest first.
    """
    sources = [each for each in found if isinstance(each, Source)]
    changed = [each for each in sources if not _is_done(each, marks.get(path_of(each)))]
    return sorted(changed, key=lambda each: (_folder(each), each.changed_ns, str(each.path)))


def path_of(source: Source) -> str:
    """Return a file's path as text, whatever bytes it is made of."""
    return str(source.path.absolute()).encode(errors="backslashreplace").decode()


def _folder(source: Source) -> str:
    """Return the folder a session is in; its subagents are in one of their own below."""
    folder = source.path.parent
    return str(folder.parent.parent if folder.name == "subagents" else folder)


def _is_done(source: Source, mark: Mark | None) -> bool:
    if mark is None or (mark.size, mark.changed_ns) != (source.size, source.changed_ns):
        return False
    # Where a line is still being written, or an answer was waited for, there is more to come.
    return mark.offset >= source.size


class _Import:
    def __init__(self, with_: Bringing) -> None:
        self._with = with_
        self._tally = Tally()
        self._batch: defaultdict[str, list[Kept]] = defaultdict(list)
        self._messages = self._characters = 0
        self._marks: dict[str, Mark] = {}

    def run(self, found: Sequence[Source | Unread], progress: Progress) -> Imported:
        """Read them all."""
        marks = self._with.store.imports.marks()
        for each in found:
            if isinstance(each, Unread):
                self._tally.unread(each)
        sources = waiting(found, marks)
        self._tally.unchanged = sum(isinstance(each, Source) for each in found) - len(sources)
        left = [_left(each, marks.get(path_of(each))) for each in sources]
        done, total = 0, sum(left)
        progress(done, total)
        for source, size in zip(sources, left, strict=True):
            self._read(source, marks.get(path_of(source)), partial(_on, progress, done, total))
            done += size
            progress(done, total)
        self._flush()
        return self._tally.result(dry_run=self._with.dry_run)

    def _read(self, source: Source, since: Mark | None, told: Callable[[int], None]) -> None:
        start, done = since.offset if since else 0, 0
        try:
            for piece in self._with.history.pieces(source, since, self._with.now):
                self._take(piece, source, partial(told, done))
                self._tally.left_out(piece.skipped)
                for trouble in piece.troubles:
                    self._tally.trouble(source.path, trouble)
                self._marks[path_of(source)] = piece.mark
                done = max(0, piece.mark.offset - start)
                told(done)
        except OSError as error:
            self._tally.trouble(source.path, (error.strerror or str(error)).lower())
        else:
            self._tally.read(source)

    def _take(self, piece: Piece, source: Source, breathe: Callable[[], None]) -> None:
        """Take what a piece tells, and store it as often as enough is held.

        That is before its mark is: where it breaks off, what is stored is known by its ids.
        """
        for each in piece.told:
            for kept in self._with.placing.messages(each, source):
                self._hold(kept)
            if self._messages >= self._with.batch or self._characters >= BATCH_CHARACTERS:
                self._flush()
                breathe()

    def _hold(self, kept: Kept) -> None:
        self._tally.found(kept)
        self._batch[kept.project].append(kept)
        self._messages += 1
        self._characters += len(kept.message.text)

    def _flush(self) -> None:
        """Store what is held, then how far the files were read."""
        for project, held in self._batch.items():
            fresh, retold = self._apart(project, held)
            added, known, refused = (
                self._counted(project, fresh)
                if self._with.dry_run
                else self._with.stored(project, fresh)
            )
            self._tally.captured(project, added, known + retold)
            for why in refused:
                self._tally.left_out({why: 1})
        if not self._with.dry_run:
            self._with.store.imports.save(self._marks.items())
        self._batch.clear()
        self._marks.clear()
        self._messages = self._characters = 0

    def _counted(self, project: str, messages: Sequence[Message]) -> tuple[int, int, Sequence[str]]:
        ids = {message.id for message in messages if message.id}
        events = self._with.store.events
        known = len(events.known(project, ids) | events.forgotten(project, ids))
        return len(messages) - known, known, ()

    def _apart(self, project: str, held: Sequence[Kept]) -> tuple[list[Message], int]:
        """Return the messages without those whose words the session has under another id."""
        fresh: list[Message] = []
        said: dict[str, set[tuple[str, str]]] = {}
        for kept in held:
            message, session = kept.message, kept.message.session
            if kept.retold and session:
                if session not in said:
                    said[session] = self._said(project, session)
                if _words(message.role, message.text) in said[session]:
                    continue
            fresh.append(message)
        return fresh, len(held) - len(fresh)

    def _said(self, project: str, session: str) -> set[tuple[str, str]]:
        events = self._with.store.events.of_session(project, session, SAME_EVENTS)
        theirs = ("specstory_", "claude-mem_")
        return {_words(each.role, each.text) for each in events if not each.id.startswith(theirs)}


def _on(progress: Progress, before: int, total: int, done: int) -> None:
    progress(before + done, total)


def _words(role: str, text: str) -> tuple[str, str]:
    return role, " ".join(text.split())


def _left(source: Source, mark: Mark | None) -> int:
    return max(0, source.size - (mark.offset if mark and mark.offset <= source.size else 0))
