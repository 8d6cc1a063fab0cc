"""What forgetting needs: a store that lets go of what it otherwise never does, and files."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.erasure import Selection, Trace
from ai_smartness.model.event import Event
from ai_smartness.model.journal import JournalEntry
from ai_smartness.ports.services import Progress

__all__ = ["ErasureStore", "MemoryFiles"]


class ErasureStore(Protocol):
    """The one place where what was said can be taken away."""

    def deletion_allowed(self) -> AbstractContextManager[None]:
        """Let things go, in any order, while inside: what is left must fit together again."""
        ...

    def selected_seqs(self, selection: Selection) -> list[int]:
        """Return the numbers of the messages that are meant, in order."""
        ...

    def forgotten_hashes(self) -> set[bytes]:
        """Return hashes of the ids of all that was ever forgotten."""
        ...

    def seqs_with_hashes(self, marks: Collection[bytes]) -> list[int]:
        """Return the numbers of the messages whose ids have these hashes."""
        ...

    def event_texts(self, seqs: Collection[int] | None = None) -> Iterator[str]:
        """Yield the texts and payloads of these events, or of all, some at a time."""
        ...

    def stored_names(self) -> Iterator[str]:
        """Yield what the store calls things: sessions, projects, paths, roles, its own layout."""
        ...

    def events_with_seqs(self, seqs: Collection[int]) -> Iterator[Event]:
        """Yield these events, compactions among them."""
        ...

    def all_compactions(self) -> Iterator[Event]:
        """Yield the compactions of all projects."""
        ...

    def next_in_session(self, seqs: Collection[int]) -> list[int]:
        """Return the events left that came, in their session, right after one of these."""
        ...

    def remove_words(self, seqs: Collection[int]) -> None:
        """Take the words of events out of the full-text index."""
        ...

    def remove_events(self, seqs: Collection[int]) -> None:
        """Take events away with all that is kept for each, and remember their ids as hashes."""
        ...

    def remove_threads(self, thread_ids: Collection[str]) -> None:
        """Take threads away that have no events, with their bridges and what was shown of them."""
        ...

    def remove_project(self, project: str) -> None:
        """Take away what is left of a project that has no events."""
        ...

    def remove_session(self, session: str, project: str | None) -> None:
        """Take away what is kept of a session beside its events."""
        ...

    def all_bridges(self) -> list[Bridge]:
        """Return the bridges of all projects, also unwanted ones."""
        ...

    def journal_after(self, after: int, limit: int) -> list[JournalEntry]:
        """Return entries of all projects after a number, in their order."""
        ...

    def rewrite_journal(self, entries: Sequence[JournalEntry]) -> None:
        """Put entries in the places of those with their numbers."""
        ...

    def rewrite_ledger(
        self,
        titled: Callable[[str, str], str],
        reworded: Callable[[str], str],
    ) -> None:
        """Say anew what the ledger tells: titles by their thread's id, and why it was shown."""
        ...

    def record_erasure(self, entry: JournalEntry, messages: int) -> None:
        """Write down in the journal that so many messages went."""
        ...

    def purge_traces(self, progress: Progress) -> None:
        """Leave nothing of what was taken away: in indexes, free pages, logs, graph files."""
        ...

    def leave_single_file(self) -> None:
        """Leave one plain file, without a log beside it."""
        ...

    def indexed_terms(self, words: Collection[str]) -> set[str]:
        """Return those words that a full-text index knows other words by."""
        ...

    def remaining_traces(self, words: Collection[str]) -> list[Trace]:
        """Return the words that the store still holds, and in what; messages are not read."""
        ...


class MemoryFiles(Protocol):
    """The files of a memory beside its store."""

    def inbox_lines(self) -> Iterable[str]:
        """Yield the lines that wait in the inbox."""
        ...

    def filter_inbox(self, keep: Callable[[str], bool]) -> dict[str, str]:
        """Keep of the inbox the lines that are to be kept; tell which files have changed."""
        ...

    def filter_logs(self, keep: Callable[[str], bool]) -> dict[str, str]:
        """Keep of the logs, and of what was set aside, the lines that are to be kept."""
        ...

    def filter_answers(self, keep: Callable[[str], bool]) -> dict[str, str]:
        """Keep the answers to reads that are to be kept."""
        ...

    def store_files(self) -> Sequence[Path]:
        """Name the files of the store itself."""
        ...

    def store_copies(self) -> Sequence[Path]:
        """Name every other store beside this one: backups, and what upgrades have left."""
        ...

    def rewrite_copy(self, copy: Path, rewritten: Callable[[Path], bool]) -> str:
        """Put a copy's rewritten form in its place, if it had to be; say what was done."""
        ...

    def remove_copy(self, copy: Path) -> str:
        """Take a copy away; say what was done."""
        ...

    def all(self) -> list[Path]:
        """Name every file that the memory owns."""
        ...

    def search_bytes(
        self,
        files: Collection[Path],
        words: Collection[str],
    ) -> tuple[int, Sequence[tuple[str, str, str]]]:
        """Search the raw bytes of files; return how many there are, and what is found.

        That is of each find the file, the word, and the letters that touch it on either side.
        """
        ...

    def program_words(self) -> frozenset[str]:
        """Return the words that the program itself is written with."""
        ...
