"""All that a store keeps, to be read through in order and put back as it was.

What was said before there was a memory: files that others wrote, read piece by piece.

A file is read from where it was read before; a mark says how far that is, and holds no words.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeAlias

from ai_smartness.model.event import Event, Message
from ai_smartness.model.journal import JournalEntry
from ai_smartness.model.session import LedgerEntry, LedgerPage

__all__ = [
    "ImportMark",
    "ImportMarks",
    "ImportedMessage",
    "LastSeqs",
    "RecordedHookEvent",
    "TranscriptChunk",
    "TranscriptFile",
    "TranscriptHistory",
    "TranscriptItem",
    "TransferStore",
    "UnreadableFile",
]


@dataclass(frozen=True, slots=True)
class LastSeqs:
    """The highest number of an event and of a change."""

    event: int = 0
    change: int = 0


class TransferStore(Protocol):
    """What only those ask for who take a whole memory out, or in."""

    def snapshot(self) -> AbstractContextManager[None]:
        """See everything inside as it was at one moment, while others go on writing."""
        ...

    def is_empty(self) -> bool:
        """Say whether nothing was ever kept in it."""
        ...

    def record_counts(self, projects: Collection[str]) -> Mapping[str, int]:
        """Count sessions, events (compactions too), changes, turns and what was shown in them."""
        ...

    def last_seqs(self, projects: Collection[str]) -> LastSeqs:
        """Return the highest numbers of these projects."""
        ...

    def reserve_seqs(self, lasts: LastSeqs) -> None:
        """Give whatever comes without a number one after these."""
        ...

    def session_ids(self, project: str) -> list[str]:
        """Name the project's sessions, in the order of their names."""
        ...

    def events_after(self, project: str, after: int, limit: int) -> list[Event]:
        """Return the project's next events after a number, compactions too."""
        ...

    def events_by_id(self, project: str, ids: Iterable[str]) -> dict[str, Event]:
        """Return those of these events that the project has, by their ids."""
        ...

    def journal_after(self, project: str, after: int, limit: int) -> list[JournalEntry]:
        """Return the project's next journal entries after a number, the oldest first."""
        ...

    def ledger_pages(self, project: str) -> list[LedgerPage]:
        """Return what is kept of the turns of the project's sessions, without what was shown."""
        ...

    def ledger_entries(self, project: str) -> list[LedgerEntry]:
        """Return what is kept of what was shown in the project, the oldest first."""
        ...

    def spent_tokens(self) -> dict[str, int]:
        """Return the tokens that language models took, by days."""
        ...

    def forgotten_hashes(self) -> list[str]:
        """Return the hashes of what was forgotten."""
        ...

    def add_ledger_pages(self, turns: Sequence[LedgerPage]) -> None:
        """Add turns at the end."""
        ...

    def add_ledger_entries(self, project: str, entries: Sequence[LedgerEntry]) -> None:
        """Add what was shown at the end."""
        ...

    def set_usage_counts(self, project: str, injected: int, used: int) -> None:
        """Set how many entries were ever shown in the project, and how many were of use."""
        ...

    def add_forgotten_hashes(self, marks: Iterable[str]) -> None:
        """Add hashes of what was forgotten."""
        ...


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """A file of somebody's history, and the format it is in.

    `live` says that the client itself keeps it where it was found, and goes on writing there.
    """

    format: str
    path: Path
    size: int
    changed_ns: int
    live: bool = False


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """What could not be read, and why."""

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class ImportMark:
    """How far a file was read, how it was then, and what has to be known to read on."""

    offset: int = 0
    size: int = 0
    changed_ns: int = 0
    head: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class RecordedHookEvent:
    """An event of a session, with the fields that a client hands to a hook for it."""

    at: datetime | None
    fields: dict[str, object]
    client: str


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """A message as it is, and the folder or the project it belongs to; neither for the current.

    `retold` says that another file may hold the same words under another id.
    """

    message: Message
    cwd: str = ""
    project: str = ""
    may_repeat: bool = False


TranscriptItem: TypeAlias = RecordedHookEvent | ImportedMessage


@dataclass(frozen=True, slots=True)
class TranscriptChunk:
    """What one stretch of a file tells; with all before it, it is read up to the mark.

    `skipped` counts what was left out, by what it is; `troubles` say what could not be read.
    """

    items: Sequence[TranscriptItem]
    mark: ImportMark
    skipped: Mapping[str, int] = field(default_factory=dict)
    problems: Sequence[str] = ()


class TranscriptHistory(Protocol):
    """The files of one user's past, and how they are read."""

    def find_files(
        self,
        paths: Sequence[Path] = (),
        wanted: str | None = None,
    ) -> Iterator[TranscriptFile | UnreadableFile]:
        """Find files: those named or within the folders named, else where clients keep theirs."""
        ...

    def read_chunks(
        self,
        source: TranscriptFile,
        since: ImportMark | None,
        now: datetime,
    ) -> Iterator[TranscriptChunk]:
        """Read a file on from a mark; raise OSError if it cannot be read."""
        ...


class ImportMarks(Protocol):
    """How far each file was read."""

    def marks_by_path(self) -> dict[str, ImportMark]:
        """Return the marks of all files, by path."""
        ...

    def save(self, marks: Iterable[tuple[str, ImportMark]]) -> None:
        """Keep marks, each in the place of the file's former one."""
        ...
