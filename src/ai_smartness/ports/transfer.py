"""Export and import: whole memories, and the transcript files of other programs.

A transcript is read from where the last import stopped; an `ImportMark` holds that
position and no text.
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
from ai_smartness.model.transfer import UnreadableFile

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
    """The highest `seq` of an event and of a journal entry."""

    event: int = 0
    change: int = 0


class TransferStore(Protocol):
    """The parts of the store that only export and import need."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Read everything inside as of one moment, while others go on writing."""

    def is_empty(self) -> bool:
        """Say whether nothing was ever stored."""

    def record_counts(self, projects: Collection[str]) -> Mapping[str, int]:
        """Count sessions, events (with compactions), journal entries, ledger pages and entries."""

    def last_seqs(self, projects: Collection[str]) -> LastSeqs:
        """Return the highest numbers of these projects."""

    def reserve_seqs(self, lasts: LastSeqs) -> None:
        """Let new events and journal entries be numbered after these."""

    def session_ids(self, project: str) -> list[str]:
        """Return the ids of the project's sessions, sorted."""

    def events_after(self, project: str, after: int, limit: int) -> list[Event]:
        """Return the project's next events after a `seq`, including compactions."""

    def events_by_id(self, project: str, ids: Iterable[str]) -> dict[str, Event]:
        """Return the project's events with these ids, by id."""

    def journal_after(self, project: str, after: int, limit: int) -> list[JournalEntry]:
        """Return the project's next journal entries after a number, oldest first."""

    def ledger_pages(self, project: str) -> list[LedgerPage]:
        """Return the ledger pages of the project, without their entries."""

    def ledger_entries(self, project: str) -> list[LedgerEntry]:
        """Return the ledger entries of the project, oldest first."""

    def spent_tokens(self) -> dict[str, int]:
        """Return the tokens used by language models, by day."""

    def forgotten_hashes(self) -> list[str]:
        """Return the hashed ids of deleted messages."""

    def add_ledger_pages(self, turns: Sequence[LedgerPage]) -> None:
        """Append ledger pages."""

    def add_ledger_entries(self, project: str, entries: Sequence[LedgerEntry]) -> None:
        """Append ledger entries."""

    def set_usage_counts(self, project: str, injected: int, used: int) -> None:
        """Set how many entries the project ever showed, and how many were used."""

    def add_forgotten_hashes(self, marks: Iterable[str]) -> None:
        """Add hashed ids of deleted messages."""


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """A transcript file and its format.

    `live`: the client keeps it where it was found, and continues to write to it. `is_own`: it is
    the record of a client of this user, so that its speakers and projects are what it says.
    """

    format: str
    path: Path
    size: int
    changed_ns: int
    live: bool = False
    is_own: bool = True


@dataclass(frozen=True, slots=True)
class ImportMark:
    """How far a file was read, its size and time then, and the reader's state."""

    offset: int = 0
    size: int = 0
    changed_ns: int = 0
    head: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class RecordedHookEvent:
    """An event of a session, with the fields that the client gives to a hook."""

    at: datetime | None
    fields: dict[str, object]
    client: str


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """A message, and its folder or project; neither means the current one.

    `may_repeat`: another file may hold the same text under another id.
    """

    message: Message
    cwd: str = ""
    project: str = ""
    may_repeat: bool = False


TranscriptItem: TypeAlias = RecordedHookEvent | ImportedMessage
"""What a transcript contains: a message, or the record of a hook."""


@dataclass(frozen=True, slots=True)
class TranscriptChunk:
    """The items of one part of a file, which is then read up to the mark.

    `skipped` counts the records left out, by kind; `problems` are the unreadable ones.
    """

    items: Sequence[TranscriptItem]
    mark: ImportMark
    skipped: Mapping[str, int] = field(default_factory=dict)
    problems: Sequence[str] = ()


class TranscriptHistory(Protocol):
    """One user's transcript files."""

    def find_files(
        self, paths: Sequence[Path] = (), wanted: str | None = None
    ) -> Iterator[TranscriptFile | UnreadableFile]:
        """Find files: at the given paths, or where clients keep theirs."""

    def read_chunks(
        self, source: TranscriptFile, since: ImportMark | None, now: datetime
    ) -> Iterator[TranscriptChunk]:
        """Continue to read a file after a mark; raise OSError if it cannot be read."""


class ImportMarks(Protocol):
    """The import position of each file."""

    def marks_by_path(self) -> dict[str, ImportMark]:
        """Return the marks of all files, by path."""

    def save(self, marks: Iterable[tuple[str, ImportMark]]) -> None:
        """Save marks; each replaces the file's former one."""
