"""What a memory is when it is taken out whole, and what came of taking one in.

What came of an import: how much was found, kept and left out, and what could not be read.

A backup of a memory: one whole file, and which of many are kept.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

__all__ = [
    "EXPORT_KEY",
    "EXPORT_VERSION",
    "Backup",
    "DailySpending",
    "ExportHeader",
    "ImportResult",
    "LoadResult",
    "MemoryContents",
    "ProjectImport",
    "ProjectMarks",
    "RestoreResult",
    "UnreadFile",
    "surplus_backups",
]


EXPORT_KEY = "ai_smartness export"
EXPORT_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportHeader:
    """The first line: what there is, so that a file that was cut off is known for one.

    `last_event` and `last_change` are the highest numbers in it.
    """

    version: int
    projects: tuple[str, ...]
    counts: Mapping[str, int]
    last_event: int = 0
    last_change: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectMarks:
    """What is kept of a project itself: how far it was described, what was shown and used."""

    name: str
    told: int
    injected: int
    used: int


@dataclass(frozen=True, slots=True)
class DailySpending:
    """The tokens that language models took on a day."""

    day: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadResult:
    """What was added of a memory that was taken in, what was known, and what was left out."""

    added: Mapping[str, int] = field(default_factory=dict)
    known: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    projects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file, or a part of it, that could not be read, and why."""

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class ProjectImport:
    """What one project was given: new messages, and those that were known."""

    added: int
    known: int
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
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
    projects: Mapping[str, ProjectImport] = field(default_factory=dict)
    not_read: tuple[UnreadFile, ...] = ()
    other_files: int = 0
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A backup's file; a daily one was made by itself, and goes by itself."""

    path: Path
    at: datetime
    size: int
    daily: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryContents:
    """How much a file holds, and when the last of it was said."""

    layout: int
    projects: int
    threads: int
    events: int
    changes: int
    until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreResult:
    """What a memory was made of again, and where the file is that stood in its place.

    `damage` says what was wrong with that one; nothing if it was whole, or there was none.
    """

    backup: Path | None
    contents: MemoryContents | None
    kept_as: Path | None
    damage: str


def surplus_backups(backups: Iterable[Backup], days: int, weeks: int) -> list[Backup]:
    """Return the daily backups that need not be kept: of the last days and weeks one each is.

    The newest of all is always kept, and so is every one that somebody made.
    """
    daily = sorted((each for each in backups if each.daily), key=lambda each: each.at, reverse=True)
    kept = {
        each.path
        for each in [
            *daily[:1],
            *_newest_per_period(daily, lambda at: at.date())[:days],
            *_newest_per_period(daily, lambda at: at.isocalendar()[:2])[:weeks],
        ]
    }
    return [each for each in daily if each.path not in kept]


def _newest_per_period(
    backups: Sequence[Backup], stretch: Callable[[datetime], Hashable]
) -> list[Backup]:
    newest: dict[Hashable, Backup] = {}
    for each in backups:
        newest.setdefault(stretch(each.at), each)
    return list(newest.values())
