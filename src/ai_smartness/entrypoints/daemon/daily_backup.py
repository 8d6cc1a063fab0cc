"""Back the memory up once a day, if something has changed."""

import logging
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from ai_smartness.ports import Progress
from ai_smartness.settings import load, places
from ai_smartness.wiring import backups

__all__ = ["FIRST_LOOK_SECONDS", "LOOK_SECONDS", "DailyBackup"]

_LOG = logging.getLogger(__name__)

FIRST_LOOK_SECONDS = 120.0
"""Not at once: a daemon starts because somebody waits for something."""

LOOK_SECONDS = 600.0


class DailyBackup:
    """Looks now and then whether a backup is due."""

    def __init__(self, home: str, now: Callable[[], datetime]) -> None:
        self._home = home
        self._now = now

    def look(self, breathe: Progress) -> bool:
        """Make a backup if one is due, let older ones go, and say whether one was made."""
        usual = places(None, None, os.environ)
        moved = None if str(usual.home) == self._home else Path(self._home)
        where = places(moved, None, os.environ)
        settings = load(where, os.environ).settings
        kept = backups(where, settings)
        if not settings.backup.automatic or not kept.is_due(self._now()):
            return False
        made = kept.make(self._now(), breathe, daily=True)
        gone = kept.rotate(settings.backup.keep_days, settings.backup.keep_weeks)
        _LOG.info("backed up to %s; %d older ones removed", made.path, len(gone))
        return True
