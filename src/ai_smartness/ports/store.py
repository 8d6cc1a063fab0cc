"""Where everything is kept, as one thing."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from ai_smartness.ports.archive import Archive
from ai_smartness.ports.forgetting import Oblivion
from ai_smartness.ports.history import Imports
from ai_smartness.ports.indexes import Vectors, WordIndex
from ai_smartness.ports.kept import (
    Bridges,
    Events,
    Foci,
    Journal,
    Ledger,
    Notes,
    Spending,
    Threads,
)

__all__ = ["ProjectCount", "ThreadStore"]


@dataclass(frozen=True, slots=True)
class ProjectCount:
    """A project the store knows, with how much it holds of it."""

    project: str
    threads: int
    events: int


class ThreadStore(Protocol):
    """Where everything is kept."""

    @property
    def threads(self) -> Threads:
        """The threads and sessions."""
        ...

    @property
    def events(self) -> Events:
        """The events."""
        ...

    @property
    def notes(self) -> Notes:
        """What was worked out about events."""
        ...

    @property
    def bridges(self) -> Bridges:
        """The links between threads."""
        ...

    @property
    def foci(self) -> Foci:
        """What is in focus."""
        ...

    @property
    def journal(self) -> Journal:
        """Every change made by a verb."""
        ...

    @property
    def ledger(self) -> Ledger:
        """What was shown to whom."""
        ...

    @property
    def imports(self) -> Imports:
        """How far each file of the past was read."""
        ...

    @property
    def spending(self) -> Spending:
        """What language models took."""
        ...

    @property
    def oblivion(self) -> Oblivion:
        """What takes things away for good."""
        ...

    @property
    def archive(self) -> Archive:
        """All of it, to be taken out or in."""
        ...

    @property
    def words(self) -> WordIndex:
        """The full-text index."""
        ...

    @property
    def vectors(self) -> Vectors:
        """The embeddings."""
        ...

    def unit(self) -> AbstractContextManager[None]:
        """Carry out all writes inside, or none of them; units nest into one."""
        ...

    def projects(self) -> list[ProjectCount]:
        """Return the projects the store knows."""
        ...

    def check(self) -> str:
        """Say what is damaged; nothing if the store is whole."""
        ...

    def close(self) -> None:
        """Let go of the store."""
        ...
