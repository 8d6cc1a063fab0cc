"""The daemon's background work: drain the inbox, then describe and embed the new messages.

It keeps the brief of each project up to date. From time to time it also imports transcripts,
makes a backup and condenses threads of a full context window. One job runs at a time, on one
thread that waits between its steps while somebody waits for an answer, and pauses anywhere while
a prompt is answered. A failure is logged, remembered and tried again.
"""

import logging
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from time import monotonic

from ai_smartness.clients.event_records import SESSION_END_MARK
from ai_smartness.entrypoints.daemon import inbox
from ai_smartness.entrypoints.daemon.active_requests import ActiveRequests
from ai_smartness.entrypoints.daemon.drain import InboxDrain
from ai_smartness.entrypoints.daemon.inbox_record import InboxRecord
from ai_smartness.entrypoints.daemon.memory_pool import BlockedProjectError, MemoryPool, Work
from ai_smartness.entrypoints.daemon.periodic_checks import (
    DailyBackup,
    NoticeListener,
    ReadCopy,
    TranscriptImport,
    WindowPressureCheck,
)
from ai_smartness.model.errors import AisError
from ai_smartness.ports.give_way import pausing_thread
from ai_smartness.settings.paths import HomePaths

__all__ = ["BackgroundJobs"]

_LOG = logging.getLogger(__name__)

INBOX_POLL_SECONDS = 1.0  # how often the inbox is looked at: a hook that captures tells nobody
FIRST_IMPORT_SECONDS = 5.0
IMPORT_SECONDS = 60.0
"""Between two looks for new transcripts; looking at a thousand files takes 10 ms."""

FIRST_BACKUP_SECONDS = 120.0  # not at once: a daemon starts because somebody waits for something
BACKUP_SECONDS = 600.0
COPY_SECONDS = 30.0  # between two looks at what a copy of a memory on a server lacks
RENEW_SECONDS = 10.0  # between two looks whether a brief is out of date, which take a few queries
MAX_YIELD_SECONDS = 0.5  # before each step: the inbox is drained however many requests there are
WARMING_PROMPT = "where do we keep the settings of the deployment?"  # any that needs the memory
RETRY_SECONDS = 30.0
"""After a failure: an embedding server that is out of reach is not asked every second."""


class _Interrupted(Exception):  # noqa: N818 - no error: another job comes first
    """Leave a job that can go on later."""


@dataclass(slots=True)
class _PeriodicJob:
    """A job that is done again so many seconds after it has ended; the first time at once."""

    name: str
    job: Callable[[], None]
    seconds: float
    due_at: float = 0.0

    @property
    def is_due(self) -> bool:
        return monotonic() >= self.due_at

    def start_in(self, seconds: float) -> None:
        self.due_at = monotonic() + seconds


class BackgroundJobs:
    """The background thread of one daemon."""

    def __init__(
        self,
        folder: str,
        memories: MemoryPool,
        active_requests: ActiveRequests,
        now: Callable[[], datetime],
    ) -> None:
        self._folder = folder
        self._memories = memories
        self._active_requests = active_requests
        self._now = now
        home = os.path.dirname(folder)
        self._pressure = WindowPressureCheck(memories)
        self._inbox_drain = InboxDrain(
            folder, memories, now, self._yield_to_requests, self._note_stored
        )
        self._transcripts = TranscriptImport(home, memories, now)
        self._backup = DailyBackup(home, now)
        self._read_copy = ReadCopy(home)
        self._import = _PeriodicJob("keep up", self._import_transcripts, IMPORT_SECONDS)
        self._import.start_in(FIRST_IMPORT_SECONDS)
        backup = _PeriodicJob("backup", self._make_backup, BACKUP_SECONDS)
        backup.start_in(FIRST_BACKUP_SECONDS)
        self._renewal = _PeriodicJob("brief", self._renew_briefs, RENEW_SECONDS)
        self._renewal.start_in(RENEW_SECONDS)
        self._notices = NoticeListener(home, self._look_at_shared)
        self._copy = _PeriodicJob("copy", self._update_copy, COPY_SECONDS)
        self._periodic = (self._import, backup, self._renewal, self._copy)
        self._intent = HomePaths(str(home)).intent
        self._forget_from = 0.0
        self._changed = threading.Condition()
        self._requested = 0
        self._done = 0
        self._stopping = False
        self._due: dict[str, None] = {}
        self._warm: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)
        self._prompt_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="warm-up")
        self._update_from = 0.0
        self._troubles: dict[str, str] = {}
        self.last_error: tuple[datetime, str] | None = None
        self.last_worked = now()

    def start(self) -> None:
        """Start the thread, and one that never pauses for what a prompt may have to wait for."""
        self._prompt_thread.submit(int)
        self._thread.start()
        self._notices.start()

    def stop(self, seconds: float) -> bool:
        """End after the current step; say whether it ended in time."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        self._notices.stop()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def wake_up(self, cwd: str) -> None:
        """Look at the inbox now, and at a project that is asked about for the first time."""
        with self._changed:
            self._requested += 1
            if cwd not in self._warm:
                self._due[cwd] = None
            self._changed.notify_all()

    def wait_until_drained(self, seconds: float) -> bool:
        """Have the inbox drained; say whether that was attempted in time."""
        with self._changed:
            self._requested += 1
            ticket = self._requested
            self._changed.notify_all()
            return self._changed.wait_for(lambda: self._done >= ticket, seconds)

    @property
    def trouble(self) -> str:
        """The present failures; empty if all is well."""
        return " ".join(self._troubles.values())

    @property
    def record_counts(self) -> tuple[int, int]:
        """How many records were stored and how many were set aside."""
        return self._inbox_drain.stored, self._inbox_drain.refused

    def _run(self) -> None:
        # Not with a low priority: a thread that waits for a processor while it has the
        # interpreter makes every prompt wait with it.
        with pausing_thread(self._active_requests.give_way):
            self._work_until_stopped()

    def _work_until_stopped(self) -> None:
        while not self._stopping:
            if os.path.exists(self._intent) and monotonic() >= self._forget_from:
                self._attempt_job("forget", self._finish_forgetting)
                self._forget_from = monotonic() + RETRY_SECONDS
            served = self._drain_now()
            for periodic in self._periodic:
                if periodic.is_due:
                    self._attempt_job(periodic.name, periodic.job)
                    periodic.start_in(periodic.seconds)
            is_due = monotonic() >= self._update_from
            if is_due and not self._attempt_job("tidy", self._update_projects):
                self._update_from = monotonic() + RETRY_SECONDS
            if not inbox.has_records(self._folder):
                # After the descriptions are up to date: a condenser uses them.
                self._attempt_job("pressure", self._pressure.condense_full_windows)
            with self._changed:
                self._changed.wait_for(
                    lambda served=served: self._stopping or self._requested > served,  # type: ignore[misc]
                    INBOX_POLL_SECONDS,
                )

    def _drain_now(self) -> int:
        """Drain the inbox and wake those who wait for it; return the last request served."""
        with self._changed:
            served = self._requested
        self._attempt_job("drain", self._drain_inbox)
        with self._changed:
            self._done = served
            self._changed.notify_all()
        return served

    def _attempt_job(self, name: str, job: Callable[[], None]) -> bool:
        """Run a job; say whether it went well."""
        try:
            job()
        except _Interrupted:
            return True
        except AisError as error:
            self._note_trouble(name, str(error))
        except Exception as error:  # noqa: BLE001 - captured messages must not wait for a mistake
            if self._note_trouble(name, f"{type(error).__name__}: {error}"):
                _LOG.exception("a job broke off")
        else:
            self._troubles.pop(name, None)
            return True
        return False

    def _note_trouble(self, name: str, trouble: str) -> bool:
        """Remember a failure; log it once as long as it stays the same."""
        is_new = trouble != self._troubles.get(name)
        if is_new:
            _LOG.warning("%s is tried again later: %s", name, trouble)
        self._troubles[name] = trouble
        self.last_error = (self._now(), trouble)
        return is_new

    def _drain_inbox(self) -> None:
        if not inbox.has_records(self._folder):
            self._due.update(dict.fromkeys(self._inbox_drain.retry_waiting()))
            return
        self.last_worked = self._now()
        self._due.update(dict.fromkeys(self._inbox_drain.run()))
        self.last_worked = self._now()

    def _finish_forgetting(self) -> None:
        """Finish a deletion whose process was killed."""
        with self._memories.memory_for(os.path.dirname(self._folder), Work.DRAIN) as memory:
            finished = memory.finish_forgetting()
        if finished is not None:
            _LOG.info("finished a deletion that was interrupted: %d messages", finished.messages)

    def _note_stored(self, record: InboxRecord) -> None:
        self._pressure.note_answer(record)
        if record.mark == SESSION_END_MARK:
            # Some clients tell a hook the prompts alone: the rest of the session is in its file.
            self._import.start_in(0.0)

    def _import_transcripts(self) -> None:
        """Import what clients have written meanwhile, unless a record comes in."""
        added, waiting = self._transcripts.import_new(self._interrupt_for_inbox)
        self._due.update(dict.fromkeys(waiting))
        if added:
            self.last_worked = self._now()

    def _make_backup(self) -> None:
        """Make a backup if one is due, draining the inbox meanwhile."""
        self._backup.back_up_if_due(self._drain_between_steps)

    def _look_at_shared(self) -> None:
        """Have what teammates share copied now instead of some seconds later."""
        with self._changed:
            self._renewal.start_in(0.0)
            self._requested += 1
            self._changed.notify_all()

    def _update_copy(self) -> None:
        """Update the local copy of a memory on a server, draining the inbox meanwhile."""
        self._read_copy.update(self._warm, self._drain_between_steps)

    def _update_projects(self) -> None:
        """Describe and embed new messages, one project at a time, unless a record comes in."""
        for cwd in list(self._due):
            # To the end of the queue: if it fails, the others come first next time.
            self._due[cwd] = self._due.pop(cwd)
            # A project that cannot be used comes back with its next message.
            with suppress(BlockedProjectError):
                self._update_project(cwd)
            del self._due[cwd]
            self._copy.start_in(0.0)

    def _update_project(self, cwd: str) -> None:
        with self._memories.memory_for(cwd, Work.DRAIN) as memory:
            memory.update_shared()
            memory.tell(progress=self._interrupt_describing)
        # With a connection of its own: building an index takes minutes, and draining goes on.
        with self._memories.memory_for(cwd, Work.EMBED) as memory:
            memory.embed(progress=partial(self._warm_up_between_steps, cwd))
        self._renew_brief(cwd)
        self._warm_up_project(cwd)

    def _renew_brief(self, cwd: str) -> None:
        """Keep the brief ready for a session that begins while no daemon runs."""
        # Not the memory of prompts: reading tens of thousands of statements takes a second.
        with self._memories.memory_for(cwd, Work.EMBED) as memory:
            memory.renew_brief()

    def _renew_briefs(self) -> None:
        """Renew the briefs that another process, or a new day, has made out of date."""
        for cwd in self._warm:
            if cwd not in self._due:
                self._yield_to_requests()
                with suppress(BlockedProjectError):
                    self._copy_shared(cwd)
                    self._renew_brief(cwd)

    def _copy_shared(self, cwd: str) -> None:
        """Copy what teammates have shared, and describe it soon."""
        with self._memories.memory_for(cwd, Work.DRAIN) as memory:
            if memory.update_shared().copied:
                self._due[cwd] = None

    def _warm_up_project(self, cwd: str) -> None:
        """Load all that the next prompt will need, beside the model, which is loaded by then."""
        if cwd not in self._warm:
            self._warm.add(cwd)
            # Whoever asks now waits for the same memory, and must not be waited for.
            self._prompt_thread.submit(self._answer_warming_prompt, cwd).result()

    def _answer_warming_prompt(self, cwd: str) -> None:
        with self._memories.memory_for(cwd, Work.PROMPT) as memory:
            memory.prepared_injection(WARMING_PROMPT)

    def _warm_up_between_steps(self, cwd: str, done: int, total: int) -> None:
        """Between two steps of embedding: prompts do not wait for the minutes that it may take."""
        if done < total:
            self._warm_up_project(cwd)
        self._drain_between_steps(done, total)

    def _interrupt_describing(self, done: int, total: int) -> None:
        self.last_worked = self._now()
        self._interrupt_for_inbox(done, total)

    def _interrupt_for_inbox(self, _done: int, _total: int) -> None:
        """Between two steps that can wait: leave them if a record comes in."""
        if inbox.has_records(self._folder):
            raise _Interrupted
        self._yield_to_requests()

    def _drain_between_steps(self, _done: int, _total: int) -> None:
        """Between two steps of a long job: drain new records and wait for requests."""
        self.last_worked = self._now()
        if inbox.has_records(self._folder):
            self._drain_now()
        self._yield_to_requests()

    def _yield_to_requests(self) -> None:
        if self._stopping:
            raise _Interrupted
        self._active_requests.wait_until_idle(MAX_YIELD_SECONDS)
