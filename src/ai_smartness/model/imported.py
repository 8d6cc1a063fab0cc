"""What came of an import: how much was found, kept and left out, and what could not be read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Imported", "InProject", "NotRead"]


@dataclass(frozen=True, slots=True)
class NotRead:
    """A file, or a part of it, that could not be read, and why."""

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class InProject:
    """What one project was given: new messages, and those that were known."""

    added: int
    known: int
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What came of an import.

    `read` counts the files something was read from, `unchanged` those that were read before and
    have not changed since. `skipped` counts what is not worth remembering, by what it is.
    """

    read: int
    unchanged: int
    sessions: int
    added: int
    known: int
    formats: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    projects: Mapping[str, InProject] = field(default_factory=dict)
    not_read: tuple[NotRead, ...] = ()
    other_files: int = 0
    dry_run: bool = False
