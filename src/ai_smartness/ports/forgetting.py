"""What forgetting needs: a store that lets go of what it otherwise never does, and files."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.event import Event
from ai_smartness.model.forgetting import Selection, Trace
from ai_smartness.model.journal import JournalEntry
from ai_smartness.ports.outside import Progress

__all__ = ["Oblivion", "OwnFiles"]


class Oblivion(Protocol):
    """The one place where what was said can be taken away."""

    def lifted(self) -> AbstractContextManager[None]:
        """Let things go, in any order, while inside: what is left must fit together again."""
        ...

    def selected(self, selection: Selection) -> list[int]:
        """Return the numbers of the messages that are meant, in order."""
        ...

    def marks(self) -> set[bytes]:
        """Return hashes of the ids of all that was ever forgotten."""
        ...

    def marked(self, marks: Collection[bytes]) -> list[int]:
        """Return the numbers of the messages whose ids have these hashes."""
        ...

    def texts(self, seqs: Collection[int] | None = None) -> Iterator[str]:
        """Yield the texts and payloads of these events, or of all, some at a time."""
        ...

    def names(self) -> Iterator[str]:
        """Yield what the store calls things: sessions, projects, paths, roles, its own layout."""
        ...

    def events(self, seqs: Collection[int]) -> Iterator[Event]:
        """Yield these events, compactions among them."""
        ...

    def compactions(self) -> Iterator[Event]:
        """Yield the compactions of all projects."""
        ...

    def followers(self, seqs: Collection[int]) -> list[int]:
        """Return the events left that came, in their session, right after one of these."""
        ...

    def unindex(self, seqs: Collection[int]) -> None:
        """Take the words of events out of the full-text index."""
        ...

    def remove(self, seqs: Collection[int]) -> None:
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

    def bridges(self) -> list[Bridge]:
        """Return the bridges of all projects, also unwanted ones."""
        ...

    def journal(self, after: int, limit: int) -> list[JournalEntry]:
        """Return entries of all projects after a number, in their order."""
        ...

    def rewrite(self, entries: Sequence[JournalEntry]) -> None:
        """Put entries in the places of those with their numbers."""
        ...

    def retold(self, titled: Callable[[str, str], str], reworded: Callable[[str], str]) -> None:
        """Say anew what the ledger tells: titles by their thread's id, and why it was shown."""
        ...

    def note(self, entry: JournalEntry, messages: int) -> None:
        """Write down in the journal that so many messages went."""
        ...

    def purge(self, progress: Progress) -> None:
        """Leave nothing of what was taken away: in indexes, free pages, logs, graph files."""
        ...

    def seal(self) -> None:
        """Leave one plain file, without a log beside it."""
        ...

    def terms(self, words: Collection[str]) -> set[str]:
        """Return those words that a full-text index knows other words by."""
        ...

    def holding(self, words: Collection[str]) -> list[Trace]:
        """Return the words that the store still holds, and in what; messages are not read."""
        ...


class OwnFiles(Protocol):
    """The files of a memory beside its store."""

    def waiting(self) -> Iterable[str]:
        """Yield the lines that wait in the inbox."""
        ...

    def keep_waiting(self, keep: Callable[[str], bool]) -> dict[str, str]:
        """Keep of the inbox the lines that are to be kept; tell which files have changed."""
        ...

    def keep_lines(self, keep: Callable[[str], bool]) -> dict[str, str]:
        """Keep of the logs, and of what was set aside, the lines that are to be kept."""
        ...

    def keep_answers(self, keep: Callable[[str], bool]) -> dict[str, str]:
        """Keep the answers to reads that are to be kept."""
        ...

    def stores(self) -> Sequence[Path]:
        """Name the files of the store itself."""
        ...

    def copies(self) -> Sequence[Path]:
        """Name every other store beside this one: backups, and what upgrades have left."""
        ...

    def rewrite(self, copy: Path, rewritten: Callable[[Path], bool]) -> str:
        """Put a copy's rewritten form in its place, if it had to be; say what was done."""
        ...

    def remove(self, copy: Path) -> str:
        """Take a copy away; say what was done."""
        ...

    def all(self) -> list[Path]:
        """Name every file that the memory owns."""
        ...

    def search(
        self, files: Collection[Path], words: Collection[str]
    ) -> tuple[int, Sequence[tuple[str, str, str]]]:
        """Search the raw bytes of files; return how many there are, and what is found.

        That is of each find the file, the word, and the letters that touch it on either side.
        """
        ...

    def own_words(self) -> frozenset[str]:
        """Return the words that the program itself is written with."""
        ...
