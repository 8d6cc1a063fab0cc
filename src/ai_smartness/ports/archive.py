"""All that a store keeps, to be read through in order and put back as it was."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from ai_smartness.model.event import Event
from ai_smartness.model.journal import JournalEntry
from ai_smartness.model.session import LedgerEntry, LedgerPage

__all__ = ["Archive", "Lasts"]


@dataclass(frozen=True, slots=True)
class Lasts:
    """The highest number of an event and of a change."""

    event: int = 0
    change: int = 0


class Archive(Protocol):
    """What only those ask for who take a whole memory out, or in."""

    def snapshot(self) -> AbstractContextManager[None]:
        """See everything inside as it was at one moment, while others go on writing."""
        ...

    def is_empty(self) -> bool:
        """Say whether nothing was ever kept in it."""
        ...

    def counts(self, projects: Collection[str]) -> Mapping[str, int]:
        """Count sessions, events (compactions too), changes, turns and what was shown in them."""
        ...

    def lasts(self, projects: Collection[str]) -> Lasts:
        """Return the highest numbers of these projects."""
        ...

    def reserve(self, lasts: Lasts) -> None:
        """Give whatever comes without a number one after these."""
        ...

    def sessions(self, project: str) -> list[str]:
        """Name the project's sessions, in the order of their names."""
        ...

    def events(self, project: str, after: int, limit: int) -> list[Event]:
        """Return the project's next events after a number, compactions too."""
        ...

    def by_id(self, project: str, ids: Iterable[str]) -> dict[str, Event]:
        """Return those of these events that the project has, by their ids."""
        ...

    def changes(self, project: str, after: int, limit: int) -> list[JournalEntry]:
        """Return the project's next journal entries after a number, the oldest first."""
        ...

    def turns(self, project: str) -> list[LedgerPage]:
        """Return what is kept of the turns of the project's sessions, without what was shown."""
        ...

    def shown(self, project: str) -> list[LedgerEntry]:
        """Return what is kept of what was shown in the project, the oldest first."""
        ...

    def spent(self) -> dict[str, int]:
        """Return the tokens that language models took, by days."""
        ...

    def forgotten(self) -> list[str]:
        """Return the hashes of what was forgotten."""
        ...

    def put_turns(self, turns: Sequence[LedgerPage]) -> None:
        """Add turns at the end."""
        ...

    def put_shown(self, project: str, entries: Sequence[LedgerEntry]) -> None:
        """Add what was shown at the end."""
        ...

    def count_shown(self, project: str, injected: int, used: int) -> None:
        """Set how many entries were ever shown in the project, and how many were of use."""
        ...

    def put_forgotten(self, marks: Iterable[str]) -> None:
        """Add hashes of what was forgotten."""
        ...
