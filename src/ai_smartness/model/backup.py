"""A backup of a memory: one whole file, and which of many are kept."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

__all__ = ["Backup", "Contents", "Restored", "surplus"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A backup's file; a daily one was made by itself, and goes by itself."""

    path: Path
    at: datetime
    size: int
    daily: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """How much a file holds, and when the last of it was said."""

    layout: int
    projects: int
    threads: int
    events: int
    changes: int
    until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a memory was made of again, and where the file is that stood in its place.

    `damage` says what was wrong with that one; nothing if it was whole, or there was none.
    """

    backup: Path | None
    contents: Contents | None
    kept_as: Path | None
    damage: str


def surplus(backups: Iterable[Backup], days: int, weeks: int) -> list[Backup]:
    """Return the daily backups that need not be kept: of the last days and weeks one each is.

    The newest of all is always kept, and so is every one that somebody made.
    """
    daily = sorted((each for each in backups if each.daily), key=lambda each: each.at, reverse=True)
    kept = {
        each.path
        for each in [
            *daily[:1],
            *_newest_of_each(daily, lambda at: at.date())[:days],
            *_newest_of_each(daily, lambda at: at.isocalendar()[:2])[:weeks],
        ]
    }
    return [each for each in daily if each.path not in kept]


def _newest_of_each(
    backups: Sequence[Backup], stretch: Callable[[datetime], Hashable]
) -> list[Backup]:
    newest: dict[Hashable, Backup] = {}
    for each in backups:
        newest.setdefault(stretch(each.at), each)
    return list(newest.values())
