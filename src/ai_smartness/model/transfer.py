"""Exports, imports and backups of a memory: their contents and results."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

__all__ = [
    "DUMP_NAMES",
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
    "UnreadableFile",
    "surplus_backups",
]


DUMP_NAMES = "memory-????????-??????.dump"
"""The names of the dumps of a server, in the folder of backups."""

EXPORT_KEY = "ai_smartness export"
EXPORT_VERSION = 2  # 1 had no reviews of statements


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportHeader:
    """The first line of an export; its counts reveal a truncated file.

    `last_event` and `last_change` are the highest numbers in the file.
    """

    version: int
    projects: tuple[str, ...]
    counts: Mapping[str, int]
    last_event: int = 0
    last_change: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectMarks:
    """How far a project is described (`told`), and how many threads were injected and used."""

    name: str
    told: int
    injected: int
    used: int


@dataclass(frozen=True, slots=True)
class DailySpending:
    """The tokens that language models used on a day."""

    day: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadResult:
    """The counts of loaded records by kind: added, known already, and left out."""

    added: Mapping[str, int] = field(default_factory=dict)
    known: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    projects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """A file, or a part of one, that could not be read, and why."""

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class ProjectImport:
    """The messages imported into one project: new ones and known ones."""

    added: int
    known: int
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """The result of an import.

    `read` counts the files that were read, `unchanged` those without changes since the last
    import. `skipped` counts items that are not worth remembering, by kind.
    """

    read: int
    unchanged: int
    sessions: int
    added: int
    known: int
    formats: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    projects: Mapping[str, ProjectImport] = field(default_factory=dict)
    not_read: tuple[UnreadableFile, ...] = ()
    other_files: int = 0
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """One backup; a daily one is made and deleted automatically."""

    path: Path
    at: datetime
    size: int
    daily: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryContents:
    """The counts of a memory file, and the time of its last event."""

    layout: int
    projects: int
    threads: int
    events: int
    changes: int
    until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreResult:
    """The backup that was restored, and where the replaced file is now.

    `damage` says what was wrong with the replaced file; empty if it was intact or missing.
    """

    backup: Path | None
    contents: MemoryContents | None
    kept_as: Path | None
    damage: str


def surplus_backups(backups: Iterable[Backup], days: int, weeks: int) -> list[Backup]:
    """Return the daily backups to delete: one for each of the last days and weeks stays.

    The newest backup always stays, and so does every one that somebody made.
    """
    daily = [backup for backup in backups if backup.daily]
    daily.sort(key=lambda backup: backup.at, reverse=True)
    wanted = [
        *daily[:1],
        *_newest_per_period(daily, lambda at: at.date())[:days],
        *_newest_per_period(daily, lambda at: at.isocalendar()[:2])[:weeks],
    ]
    paths = {backup.path for backup in wanted}
    return [backup for backup in daily if backup.path not in paths]


def _newest_per_period(
    backups: Sequence[Backup], period: Callable[[datetime], Hashable]
) -> list[Backup]:
    newest: dict[Hashable, Backup] = {}
    for backup in backups:
        newest.setdefault(period(backup.at), backup)
    return list(newest.values())
