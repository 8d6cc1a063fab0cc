"""What the daemon does from time to time: import, back up, copy, condense full windows."""

import logging
import os
import threading
from collections.abc import Callable, Collection
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic

from ai_smartness.clients.claude_code.window_usage import last_usage
from ai_smartness.clients.project import project_at
from ai_smartness.clients.transcript_files import transcript_sources
from ai_smartness.entrypoints.daemon.inbox_record import InboxRecord
from ai_smartness.entrypoints.daemon.memory_pool import MemoryPool, Work, project_of
from ai_smartness.model.errors import AisError
from ai_smartness.ports import Progress
from ai_smartness.ports.transfer import TranscriptFile
from ai_smartness.settings.load import load_settings
from ai_smartness.settings.paths import paths_of_home
from ai_smartness.wiring import (
    backup_store,
    has_memory,
    is_on_server,
    team_notices,
    update_local_copy,
)

__all__ = ["DailyBackup", "NoticeListener", "ReadCopy", "TranscriptImport", "WindowPressureCheck"]

_LOG = logging.getLogger(__name__)

LISTEN_SECONDS = 600.0  # on one connection, before the settings are looked at again
LISTEN_AGAIN_SECONDS = 30.0
NOTICE_POLL_SECONDS = 5.0

RECENT_AGE = timedelta(days=7)
QUIET_TIME = timedelta(minutes=20)
"""Longer than the idle time after which a session counts as ended."""

NO_PROJECT_FOLDER = "/"
"""Transcripts belong to many projects: the memory is opened from none of them."""


class TranscriptImport:
    """Imports new transcripts of known projects, so that a session without hooks is remembered.

    Only transcripts written lately are read; `ais import` brings in older ones. Messages that a
    hook has captured are recognised by their ids.
    """

    def __init__(self, home: str, memories: MemoryPool, now: Callable[[], datetime]) -> None:
        self._home = home
        self._memories = memories
        self._now = now
        self._stamps: dict[str, tuple[int, int, bool]] = {}
        self._folders: dict[str, str] = {}

    def import_new(self, progress: Progress) -> tuple[int, list[str]]:
        """Import new messages; return their number, and the projects that must be embedded."""
        if not self._is_enabled():
            return 0, []
        self._transcripts = transcript_sources(os.environ)
        changed = [file for file in self._recent_files() if self._has_changed(file)]
        with self._memories.memory_for(NO_PROJECT_FOLDER, Work.DRAIN) as memory:
            known = {count.project for count in memory.projects()}
            wanted = [file for file in changed if self._project_name(file) in known]
            added = 0
            if wanted:
                added = memory.import_history(
                    self._transcripts, wanted, home=self._home, gently=True, progress=progress
                ).added
            waiting = memory.unembedded()
        # Only now: an import that was interrupted is taken up again.
        self._stamps.update((str(file.path), self._change_stamp(file)) for file in changed)
        return added, [project for project in waiting if project.startswith("/")]

    def _is_enabled(self) -> bool:
        paths = paths_of_home(self._home, None, os.environ)
        settings = load_settings(paths, os.environ).settings
        # No memory is created for this.
        return has_memory(paths, settings) and settings.history.keep_up

    def _recent_files(self) -> list[TranscriptFile]:
        from_ns = (self._now() - RECENT_AGE).timestamp() * 1e9
        sources = self._transcripts.live_sources()
        files = (source for source in sources if isinstance(source, TranscriptFile))
        return [file for file in files if file.changed_ns >= from_ns]

    def _has_changed(self, file: TranscriptFile) -> bool:
        return self._stamps.get(str(file.path)) != self._change_stamp(file)

    def _change_stamp(self, file: TranscriptFile) -> tuple[int, int, bool]:
        """Return what changes with the file; some answers are complete only once it is quiet."""
        quiet = self._now().timestamp() - file.changed_ns / 1e9 > QUIET_TIME.total_seconds()
        return file.size, file.changed_ns, quiet

    def _project_name(self, file: TranscriptFile) -> str:
        path = str(file.path)
        if not self._folders.get(path):
            self._folders[path] = self._transcripts.session_folder(file)
        folder = self._folders[path]
        return project_at(folder, self._home).name if folder.startswith("/") else ""


class NoticeListener:
    """Waits, on a thread of its own, for notices that a teammate has shared something."""

    def __init__(self, home: str, on_notice: Callable[[], None]) -> None:
        self._home = home
        self._on_notice = on_notice
        self._stopping = threading.Event()

    def start(self) -> None:
        """Start the thread."""
        threading.Thread(target=self._run, name="notices", daemon=True).start()

    def stop(self) -> None:
        """Let the thread end; nobody waits for it."""
        self._stopping.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            # Settings may change, and a server that is away comes back.
            with suppress(AisError, OSError):
                self._listen()
            self._stopping.wait(LISTEN_AGAIN_SECONDS)

    def _listen(self) -> None:
        paths = paths_of_home(self._home, None, os.environ)
        notices = team_notices(load_settings(paths, os.environ).settings)
        if notices is None:
            return
        with closing(notices):
            started = monotonic()
            while not self._stopping.is_set() and monotonic() - started < LISTEN_SECONDS:
                if notices.wait(NOTICE_POLL_SECONDS):
                    self._on_notice()


class ReadCopy:
    """Keeps a local copy of a memory on a server, if the user wants one."""

    def __init__(self, home: str) -> None:
        self._home = home

    def update(self, folders: Collection[str], progress: Progress) -> None:
        """Copy what is new in the projects of these folders; delete a copy that nobody wants."""
        paths = paths_of_home(self._home, None, os.environ)
        settings = load_settings(paths, os.environ).settings
        projects = {project_of(folder, self._home).name for folder in folders}
        update_local_copy(paths, settings, projects, progress)


class DailyBackup:
    """Backs the memory up once a day, if it has changed."""

    def __init__(self, home: str, now: Callable[[], datetime]) -> None:
        self._home = home
        self._now = now

    def back_up_if_due(self, progress: Progress) -> bool:
        """Make a backup if one is due, remove surplus ones, and say whether one was made."""
        paths = paths_of_home(self._home, None, os.environ)
        settings = load_settings(paths, os.environ).settings
        backups = backup_store(paths, settings)
        if is_on_server(settings) or not settings.backup.automatic:
            return False  # a server is backed up by its administrator
        if not backups.is_due(self._now()):
            return False
        made = backups.make_backup(self._now(), progress, daily=True)
        removed = backups.remove_surplus(settings.backup.keep_days, settings.backup.keep_weeks)
        _LOG.info("backed up to %s; %d older ones removed", made.path, len(removed))
        return True


class WindowPressureCheck:
    """Condenses long threads of a session in time, when its context window fills up.

    The hook only notes where the client writes the transcript; its end is read here.
    """

    def __init__(self, memories: MemoryPool) -> None:
        self._memories = memories
        self._transcripts: dict[tuple[str, str], str] = {}

    def note_answer(self, record: InboxRecord) -> None:
        """Note that a session has answered, if the record names its transcript."""
        if record.session and record.transcript.startswith("/"):
            self._transcripts[record.cwd, record.session] = record.transcript

    def condense_full_windows(self) -> None:
        """Check the window of each session that has answered, and condense where it is due."""
        while self._transcripts:
            (cwd, session), transcript = self._transcripts.popitem()
            usage = last_usage(Path(transcript))
            if usage is None:
                continue
            with self._memories.memory_for(cwd, Work.DRAIN) as memory:
                window = usage.window_tokens(memory.window_tokens)
                pressure = memory.pressure(session, usage.tokens, window)
            if pressure.crossed is not None:
                _LOG.info(
                    "%.0f %% of the window of %s: %d condensed",
                    100 * pressure.share,
                    session,
                    len(pressure.condensed),
                )
