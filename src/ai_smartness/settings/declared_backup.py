"""The settings of backups."""

from dataclasses import dataclass, field

__all__ = ["BackupSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSettings:
    """How the memory is backed up by itself."""

    automatic: bool = field(
        default=True,
        metadata={
            "doc": "Whether the daemon backs the memory up once a day, if it has changed; so that "
            "there is one when a disk or a hand fails.",
            "user_only": True,
        },
    )
    keep_days: int = field(
        default=3,
        metadata={
            "doc": "Of how many days the newest daily backup is kept; most mistakes are seen "
            "within three, and each takes as much room as the memory.",
            "low": 1,
            "high": 365,
            "user_only": True,
        },
    )
    keep_weeks: int = field(
        default=3,
        metadata={
            "doc": "Of how many weeks the newest daily backup is kept as well; the others are seen "
            "within three. What `ais backup` makes is kept until you remove it.",
            "low": 0,
            "high": 520,
            "user_only": True,
        },
    )
    folder: str = field(
        default="backups",
        metadata={
            "doc": "The folder that backups are kept in, within the memory's own unless it is an "
            "absolute path; one on another disk outlives this one.",
            "user_only": True,
        },
    )
