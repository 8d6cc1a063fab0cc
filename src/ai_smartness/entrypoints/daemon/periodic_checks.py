"""Keep up with the transcripts that clients write: what no hook told of is remembered too.

Only of projects the memory knows, and only what was written lately: `ais import` brings in the
rest. What hooks have captured is known by its ids.

Back the memory up once a day, if something has changed.

See how full an agent's window is, once it has answered: long threads are condensed in time.

The hook only says where the client's transcript is; its end is read here, in the background.
"""

import logging
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from ai_smartness.clients.project import project_at
from ai_smartness.entrypoints.daemon.inbox_record import InboxRecord
from ai_smartness.entrypoints.daemon.memory_pool import MemoryPool, Work
from ai_smartness.ports import Progress
from ai_smartness.ports.transfer import TranscriptFile
from ai_smartness.settings.load import load_settings
from ai_smartness.settings.paths import memory_paths
from ai_smartness.wiring import backup_store, last_usage, transcript_sources

__all__ = [
    "BACKUP_CHECK_SECONDS",
    "FIRST_BACKUP_SECONDS",
    "FIRST_IMPORT_SECONDS",
    "IMPORT_SECONDS",
    "DailyBackup",
    "TranscriptImport",
    "WindowPressureCheck",
]


FIRST_IMPORT_SECONDS = 5.0
IMPORT_SECONDS = 60.0
"""Between two looks at the folders; a look at a thousand files takes a hundredth of a second."""

RECENT_AGE = timedelta(days=7)
QUIET_TIME = timedelta(minutes=20)
"""Later than it takes a session to be held for over."""

NO_PROJECT_FOLDER = "/"
"""It is the whole memory that is asked, from nowhere in particular."""


class TranscriptImport:
    """Looks at the transcripts now and then."""

    def __init__(self, home: str, memories: MemoryPool, now: Callable[[], datetime]) -> None:
        self._home = home
        self._memories = memories
        self._now = now
        self._stamps: dict[str, tuple[int, int, bool]] = {}
        self._folders: dict[str, str] = {}

    def import_new(self, breathe: Callable[[int, int], None]) -> tuple[int, list[str]]:
        """Import what is new; return how much, and the projects that have to be embedded."""
        if not self._is_enabled():
            return 0, []
        self._transcripts = transcript_sources(os.environ)
        changed = [each for each in self._recent_sources() if self._has_changed(each)]
        with self._memories.memory_for(NO_PROJECT_FOLDER, Work.DRAIN) as memory:
            known = {each.project for each in memory.projects()}
            theirs = [each for each in changed if self._project_name(each) in known]
            added = 0
            if theirs:
                done = memory.import_history(
                    self._transcripts,
                    theirs,
                    home=self._home,
                    gently=True,
                    progress=breathe,
                )
                added = done.added
            waiting = memory.unembedded()
        # Only now: what broke off is looked at again.
        self._stamps.update((str(each.path), self._change_stamp(each)) for each in changed)
        return added, [each for each in waiting if each.startswith("/")]

    def _is_enabled(self) -> bool:
        usual = memory_paths(None, None, os.environ)
        where = memory_paths(
            None if str(usual.home) == self._home else Path(self._home),
            None,
            os.environ,
        )
        # Where there is no memory yet, none is made for this.
        return where.database.exists() and load_settings(where, os.environ).settings.history.keep_up

    def _recent_sources(self) -> list[TranscriptFile]:
        from_ns = (self._now() - RECENT_AGE).timestamp() * 1e9
        found = (
            each for each in self._transcripts.live_sources() if isinstance(each, TranscriptFile)
        )
        return [each for each in found if each.changed_ns >= from_ns]

    def _has_changed(self, source: TranscriptFile) -> bool:
        return self._stamps.get(str(source.path)) != self._change_stamp(source)

    def _change_stamp(self, source: TranscriptFile) -> tuple[int, int, bool]:
        """Return by what a change is seen; an answer may be told only once nobody writes."""
        quiet = self._now().timestamp() - source.changed_ns / 1e9 > QUIET_TIME.total_seconds()
        return source.size, source.changed_ns, quiet

    def _project_name(self, source: TranscriptFile) -> str:
        path = str(source.path)
        if not self._folders.get(path):
            self._folders[path] = self._transcripts.session_folder(source)
        folder = self._folders[path]
        return project_at(folder).name if folder.startswith("/") else ""


_LOG = logging.getLogger(__name__)

FIRST_BACKUP_SECONDS = 120.0
"""Not at once: a daemon starts because somebody waits for something."""

BACKUP_CHECK_SECONDS = 600.0


class DailyBackup:
    """Looks now and then whether a backup is due."""

    def __init__(self, home: str, now: Callable[[], datetime]) -> None:
        self._home = home
        self._now = now

    def back_up_if_due(self, breathe: Progress) -> bool:
        """Make a backup if one is due, let older ones go, and say whether one was made."""
        usual = memory_paths(None, None, os.environ)
        moved = None if str(usual.home) == self._home else Path(self._home)
        where = memory_paths(moved, None, os.environ)
        settings = load_settings(where, os.environ).settings
        kept = backup_store(where, settings)
        if not settings.backup.automatic or not kept.is_due(self._now()):
            return False
        made = kept.make_backup(self._now(), breathe, daily=True)
        gone = kept.remove_surplus(settings.backup.keep_days, settings.backup.keep_weeks)
        _LOG.info("backed up to %s; %d older ones removed", made.path, len(gone))
        return True


class WindowPressureCheck:
    """The sessions that have answered since, each with its transcript."""

    def __init__(self, memories: MemoryPool) -> None:
        self._memories = memories
        self._transcripts: dict[tuple[str, str], str] = {}

    def note_answer(self, record: InboxRecord) -> None:
        """Take note that a session has answered, if its client says where it writes that down."""
        if record.session and record.transcript.startswith("/"):
            self._transcripts[record.cwd, record.session] = record.transcript

    def condense_full_windows(self) -> None:
        """See how full the windows are of those that have answered, and do what is due."""
        while self._transcripts:
            (cwd, session), transcript = self._transcripts.popitem()
            usage = last_usage(Path(transcript))
            if usage is None:
                continue
            with self._memories.memory_for(cwd, Work.DRAIN) as memory:
                window = usage.window_tokens(memory.window_tokens)
                found = memory.pressure(session, usage.tokens, window)
            if found.crossed is not None:
                done = len(found.condensed)
                _LOG.info(
                    "%.0f %% of the window of %s: %d condensed",
                    100 * found.share,
                    session,
                    done,
                )
