"""What was said before there was a memory: files that others wrote, read piece by piece.

A file is read from where it was read before; a mark says how far that is, and holds no words.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeAlias

from ai_smartness.model.event import Message

__all__ = [
    "Happened",
    "History",
    "Imports",
    "Mark",
    "Piece",
    "Said",
    "Source",
    "Told",
    "Unread",
]


@dataclass(frozen=True, slots=True)
class Source:
    """A file of somebody's history, and the format it is in.

    `live` says that the client itself keeps it where it was found, and goes on writing there.
    """

    format: str
    path: Path
    size: int
    changed_ns: int
    live: bool = False


@dataclass(frozen=True, slots=True)
class Unread:
    """What could not be read, and why."""

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a file was read, how it was then, and what has to be known to read on."""

    offset: int = 0
    size: int = 0
    changed_ns: int = 0
    head: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class Happened:
    """An event of a session, with the fields that a client hands to a hook for it."""

    at: datetime | None
    fields: dict[str, object]
    client: str


@dataclass(frozen=True, slots=True)
class Said:
    """A message as it is, and the folder or the project it belongs to; neither for the current.

    `retold` says that another file may hold the same words under another id.
    """

    message: Message
    cwd: str = ""
    project: str = ""
    retold: bool = False


Told: TypeAlias = Happened | Said


@dataclass(frozen=True, slots=True)
class Piece:
    """What one stretch of a file tells; with all before it, it is read up to the mark.

    `skipped` counts what was left out, by what it is; `troubles` say what could not be read.
    """

    told: Sequence[Told]
    mark: Mark
    skipped: Mapping[str, int] = field(default_factory=dict)
    troubles: Sequence[str] = ()


class History(Protocol):
    """The files of one user's past, and how they are read."""

    def sources(
        self, paths: Sequence[Path] = (), wanted: str | None = None
    ) -> Iterator[Source | Unread]:
        """Find files: those named or within the folders named, else where clients keep theirs."""
        ...

    def pieces(self, source: Source, since: Mark | None, now: datetime) -> Iterator[Piece]:
        """Read a file on from a mark; raise OSError if it cannot be read."""
        ...


class Imports(Protocol):
    """How far each file was read."""

    def marks(self) -> dict[str, Mark]:
        """Return the marks of all files, by path."""
        ...

    def save(self, marks: Iterable[tuple[str, Mark]]) -> None:
        """Keep marks, each in the place of the file's former one."""
        ...
