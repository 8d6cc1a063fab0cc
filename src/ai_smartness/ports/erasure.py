"""Permanent deletion: from the store, and from the files beside it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.erasure import Selection, Trace
from ai_smartness.model.event import Event
from ai_smartness.model.journal import JournalEntry
from ai_smartness.ports.services import Progress

__all__ = ["ErasureStore", "IntentFile", "MemoryFiles"]


class ErasureStore(Protocol):
    """The only part of the store that deletes events and rewrites the journal."""

    def deletion_allowed(self) -> AbstractContextManager[None]:
        """Allow deletion in any order while inside; at the end all references must hold again."""

    def selected_seqs(self, selection: Selection) -> list[int]:
        """Return the `seq` of each selected message, in order."""

    def forgotten_hashes(self) -> set[bytes]:
        """Return the hashed ids of all deleted messages."""

    def seqs_with_hashes(self, marks: Collection[bytes]) -> list[int]:
        """Return the `seq` of each message whose id has one of these hashes."""

    def event_texts(self, seqs: Collection[int] | None = None) -> Iterator[str]:
        """Yield the texts and payloads of these events, or of all events, in batches."""

    def stored_names(self) -> Iterator[str]:
        """Yield the store's own names: sessions, projects, paths, roles, the schema."""

    def events_with_seqs(self, seqs: Collection[int]) -> Iterator[Event]:
        """Yield these events, including compactions."""

    def all_compactions(self) -> Iterator[Event]:
        """Yield the compactions of all projects."""

    def next_in_session(self, seqs: Collection[int]) -> list[int]:
        """Return the remaining events that directly follow one of these in its session."""

    def remove_words(self, seqs: Collection[int]) -> None:
        """Remove events from the full-text index."""

    def remove_events(self, seqs: Collection[int]) -> None:
        """Delete events with everything derived from them, and store their hashed ids."""

    def remove_threads(self, thread_ids: Collection[str]) -> None:
        """Delete threads without events, their bridges and ledger entries."""

    def remove_project(self, project: str) -> None:
        """Delete the rest of a project that has no events."""

    def remove_session(self, session: str, project: str | None) -> None:
        """Delete a session's records other than its events."""

    def all_bridges(self) -> list[Bridge]:
        """Return the bridges of all projects, including unwanted ones."""

    def journal_after(self, after: int, limit: int) -> list[JournalEntry]:
        """Return the next entries of all projects after a number, in order."""

    def rewrite_journal(self, entries: Sequence[JournalEntry]) -> None:
        """Replace the entries that have these numbers."""

    def ledger_texts(self) -> Iterator[str]:
        """Yield the prompts and the lines of the ledger."""

    def rewrite_ledger(
        self,
        titled: Callable[[str, str], str],
        reworded: Callable[[str], str],
        removed_seqs: Collection[int],
    ) -> None:
        """Rewrite the ledger's titles (by thread id), and its other texts.

        A line goes if its message was removed, or if nothing is left of its text.
        """

    def rewrite_statements(self, has_traces: Callable[[str], bool]) -> None:
        """Delete the corrections, statements and subjects whose text has traces."""

    def record_erasure(self, entry: JournalEntry, messages: int) -> None:
        """Write a journal entry for the deletion of this many messages."""

    def purge_traces(self, progress: Progress) -> None:
        """Remove all remains of deleted rows from indexes, free pages, logs and graph files."""

    def leave_single_file(self) -> None:
        """Leave one plain file without a log beside it."""

    def indexed_terms(self, words: Collection[str]) -> set[str]:
        """Return the words that are stems in a full-text index."""

    def remaining_traces(self, words: Collection[str]) -> list[Trace]:
        """Return the words that the store still holds outside messages, and where."""

    def unreached_places(self) -> list[str]:
        """Say where deleted rows may still be, out of the store's reach, and for how long."""


class IntentFile(Protocol):
    """The file that says what is being forgotten; locked while somebody works on it."""

    def text(self) -> str:
        """Return what was written; empty if nothing was."""

    def write(self, text: str) -> None:
        """Write it to the disk, in place of what was there."""

    def remove(self) -> None:
        """Remove it: all is done."""


class MemoryFiles(Protocol):
    """The files of a memory beside its store."""

    def project_name(self, folder: str) -> str:
        """Return the name of the project that a folder belongs to."""

    def is_forgetting(self) -> bool:
        """Say whether a deletion was written down that is not complete."""

    def intent_file(self) -> AbstractContextManager[IntentFile | None]:
        """Lock the file of the intent to forget; None if another process works on it."""

    def inbox_lines(self) -> Iterable[str]:
        """Yield the lines waiting in the inbox."""

    def filter_inbox(self, keep: Callable[[str], bool]) -> dict[str, str]:
        """Delete the inbox lines that `keep` rejects; return the changes by file."""

    def filter_logs(self, keep: Callable[[str], bool]) -> dict[str, str]:
        """Delete the lines of logs and rejected inbox files that `keep` rejects."""

    def filter_answers(self, keep: Callable[[str], bool]) -> dict[str, str]:
        """Delete the answers to virtual reads that `keep` rejects."""

    def inject_settings(self, files: Iterable[str] | None = None) -> dict[str, str]:
        """Return what each settings file says about `inject`: these, or those of the memory."""

    def saved_brief(self, project: str) -> str:
        """Return the file of a project's brief; empty if there is none."""

    def save_brief(self, project: str, text: str) -> None:
        """Replace the file of a project's brief."""

    def remove_briefs(self) -> dict[str, str]:
        """Delete the briefs of all projects; return the changes by file."""

    def all(self) -> list[Path]:
        """Return every file that the memory owns."""

    def search_bytes(
        self, files: Collection[Path], words: Collection[str]
    ) -> tuple[int, Sequence[tuple[str, str, str]]]:
        """Search the raw bytes of files; return how many were read, and the hits.

        A hit is the file, the word, and the word with the letters that touch it.
        """

    def search_hashes(
        self, files: Collection[Path], salt: str, hashes: Collection[str]
    ) -> tuple[int, Sequence[tuple[str, str]]]:
        """Search files for whole words with these hashes; return the bytes read, and the hits.

        A hit is the file and the word.
        """

    def program_words(self) -> frozenset[str]:
        """Return the words that the program itself writes: those of its texts and field names."""
