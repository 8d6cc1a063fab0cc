"""How many requests are being answered, so that work in the background can step aside.

What the daemon does on its own: drain the inbox, then describe and embed what came in.

Also keep up with what clients write, back up, and see how full an agent's window is.

One thing at a time, on one thread of low priority that steps aside while somebody
waits for an answer. Whatever goes wrong is logged, remembered and tried again.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from time import monotonic

from ai_smartness.entrypoints.daemon import inbox
from ai_smartness.entrypoints.daemon import periodic_checks as daily_backup
from ai_smartness.entrypoints.daemon.drain import InboxDrain
from ai_smartness.entrypoints.daemon.memory_pool import MemoryPool, Work
from ai_smartness.entrypoints.daemon.periodic_checks import (
    FIRST_IMPORT_SECONDS,
    TranscriptImport,
    WindowPressureCheck,
)
from ai_smartness.entrypoints.daemon.periodic_checks import IMPORT_SECONDS as KEEP_UP_SECONDS
from ai_smartness.model.errors import AisError

__all__ = ["ActiveRequests", "BackgroundJobs"]


class ActiveRequests:
    """Counts those that somebody waits for."""

    def __init__(self) -> None:
        self._idle = threading.Condition()
        self._active_count = 0

    @contextmanager
    def track_request(self) -> Iterator[None]:
        """Count a request while inside."""
        with self._idle:
            self._active_count += 1
        try:
            yield
        finally:
            with self._idle:
                self._active_count -= 1
                self._idle.notify_all()

    def wait_until_idle(self, seconds: float) -> bool:
        """Wait until nobody waits, for so long at most."""
        with self._idle:
            return self._idle.wait_for(lambda: not self._active_count, seconds)


_LOG = logging.getLogger(__name__)

INBOX_POLL_SECONDS = 1.0
"""How often the inbox is looked at; a hook that captures tells nobody."""

MAX_YIELD_SECONDS = 0.5
"""At most, before each step: however many ask, the inbox is drained."""

RETRY_SECONDS = 30.0
"""After something went wrong: a model that is out of reach is not asked every second."""

NICENESS = 10


class _Interrupted(Exception):  # noqa: N818 - no error: somebody wants something else
    """Leave what can go on later."""


class BackgroundJobs:
    """The work of one daemon in the background."""

    def __init__(
        self,
        folder: str,
        memories: MemoryPool,
        traffic: ActiveRequests,
        now: Callable[[], datetime],
    ) -> None:
        self._folder = folder
        self._memories = memories
        self._traffic = traffic
        self._now = now
        self._pressing = WindowPressureCheck(memories)
        self._inbox_drain = InboxDrain(
            folder,
            memories,
            now,
            self._yield_to_requests,
            self._pressing.note_answer,
        )
        self._keeping_up = TranscriptImport(os.path.dirname(folder), memories, now)
        self._import_from = monotonic() + FIRST_IMPORT_SECONDS
        self._backing_up = daily_backup.DailyBackup(os.path.dirname(folder), now)
        self._back_up_from = monotonic() + daily_backup.FIRST_BACKUP_SECONDS
        self._changed = threading.Condition()
        self._requested = 0
        self._done = 0
        self._stopping = False
        self._due: dict[str, None] = {}
        self._warm: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)
        self._update_from = 0.0
        self._troubles: dict[str, str] = {}
        self.last_error: tuple[datetime, str] | None = None
        self.last_worked = now()

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, seconds: float) -> bool:
        """End after the step that is under way, if it ends in time; say whether it did."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def wake_up(self, cwd: str) -> None:
        """Look at the inbox now, and at a project that was asked about for the first time."""
        with self._changed:
            self._requested += 1
            if cwd not in self._warm:
                self._due[cwd] = None
            self._changed.notify_all()

    def wait_until_drained(self, seconds: float) -> bool:
        """Drain what waits now, and say whether that was done in time, well or not."""
        with self._changed:
            self._requested += 1
            ticket = self._requested
            self._changed.notify_all()
            return self._changed.wait_for(lambda: self._done >= ticket, seconds)

    @property
    def trouble(self) -> str:
        """What stands in the way just now; nothing if all is well."""
        return " ".join(self._troubles.values())

    @property
    def record_counts(self) -> tuple[int, int]:
        """How many records were stored and how many were set aside."""
        return self._inbox_drain.stored, self._inbox_drain.refused

    def _run(self) -> None:
        # On Linux this is the thread's own; who answers a prompt is not slowed down.
        os.nice(NICENESS)
        while not self._stopping:
            asked = self._drain_now()
            if monotonic() >= self._import_from:
                self._attempt_job("keep up", self._import_transcripts)
                self._import_from = monotonic() + KEEP_UP_SECONDS
            if monotonic() >= self._back_up_from:
                self._attempt_job("backup", self._make_backup)
                self._back_up_from = monotonic() + daily_backup.BACKUP_CHECK_SECONDS
            if monotonic() >= self._update_from and not self._attempt_job(
                "tidy",
                self._update_projects,
            ):
                self._update_from = monotonic() + RETRY_SECONDS
            if not inbox.has_records(self._folder):
                # Once all is told: a condenser goes by what is noted.
                self._attempt_job("pressure", self._pressing.condense_full_windows)
            with self._changed:
                self._changed.wait_for(
                    lambda asked=asked: self._stopping or self._requested > asked,  # type: ignore[misc]
                    INBOX_POLL_SECONDS,
                )

    def _drain_now(self) -> int:
        """Drain what waits, and tell those who wait for it; return who had asked by then."""
        with self._changed:
            asked = self._requested
        self._attempt_job("drain", self._drain_inbox)
        with self._changed:
            self._done = asked
            self._changed.notify_all()
        return asked

    def _attempt_job(self, name: str, job: Callable[[], None]) -> bool:
        """Do a job; say whether nothing went wrong with it."""
        try:
            job()
        except _Interrupted:
            return True
        except AisError as error:
            self._note_trouble(name, str(error))
        except Exception as error:  # noqa: BLE001 - what is captured must not wait for a mistake
            if self._note_trouble(name, f"{type(error).__name__}: {error}"):
                _LOG.exception("a job broke off")
        else:
            self._troubles.pop(name, None)
            return True
        return False

    def _note_trouble(self, name: str, trouble: str) -> bool:
        """Remember what went wrong; log it once as long as it stays the same."""
        is_new = trouble != self._troubles.get(name)
        if is_new:
            _LOG.warning("%s is tried again later: %s", name, trouble)
        self._troubles[name] = trouble
        self.last_error = (self._now(), trouble)
        return is_new

    def _drain_inbox(self) -> None:
        if not inbox.has_records(self._folder):
            return
        self.last_worked = self._now()
        self._due.update(dict.fromkeys(self._inbox_drain.run()))
        self.last_worked = self._now()

    def _import_transcripts(self) -> None:
        """Import what clients have written meanwhile, unless called away."""
        added, waiting = self._keeping_up.import_new(self._interrupt_import)
        self._due.update(dict.fromkeys(waiting))
        if added:
            self.last_worked = self._now()

    def _make_backup(self) -> None:
        """Back the memory up if that is due; what comes in meanwhile is drained."""
        self._backing_up.back_up_if_due(self._drain_between_steps)

    def _interrupt_import(self, _done: int, _total: int) -> None:
        """Between two steps that nobody waits for: leave them for what is captured."""
        if inbox.has_records(self._folder):
            raise _Interrupted
        self._yield_to_requests()

    def _update_projects(self) -> None:
        """Describe and embed what came in, a project at a time, unless called away."""
        for cwd in list(self._due):
            with self._memories.memory_for(cwd, Work.DRAIN) as memory:
                memory.tell(progress=self._interrupt_describing)
            # Apart from the draining, which goes on meanwhile: an index takes minutes to build.
            with self._memories.memory_for(cwd, Work.EMBED) as memory:
                memory.embed(progress=self._drain_between_steps)
            self._warm_up_project(cwd)
            del self._due[cwd]

    def _warm_up_project(self, cwd: str) -> None:
        """Read what the next prompt will need, before it comes."""
        if cwd not in self._warm:
            self._warm.add(cwd)
            with self._memories.memory_for(cwd, Work.PROMPT) as memory:
                memory.search("what the next prompt asks", 1, wait=False)

    def _interrupt_describing(self, _done: int, _total: int) -> None:
        """Between two steps that can be taken any time: leave them for what is captured."""
        self.last_worked = self._now()
        if inbox.has_records(self._folder):
            raise _Interrupted
        self._yield_to_requests()

    def _drain_between_steps(self, _done: int, _total: int) -> None:
        """Between two steps of a long work: drain what came in, and step aside."""
        self.last_worked = self._now()
        if inbox.has_records(self._folder):
            self._drain_now()
        self._yield_to_requests()

    def _yield_to_requests(self) -> None:
        if self._stopping:
            raise _Interrupted
        self._traffic.wait_until_idle(MAX_YIELD_SECONDS)
