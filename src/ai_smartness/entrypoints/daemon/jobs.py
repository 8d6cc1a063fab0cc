"""What the daemon does on its own: drain the inbox, then describe and embed what came in.

Also keep up with what clients write, back up, and see how full an agent's window is.

One thing at a time, on one thread of low priority that steps aside while somebody
waits for an answer. Whatever goes wrong is logged, remembered and tried again.
"""

import logging
import os
import threading
from collections.abc import Callable
from datetime import datetime
from time import monotonic

from ai_smartness.entrypoints.daemon import daily_backup, inbox
from ai_smartness.entrypoints.daemon.drain import Drain
from ai_smartness.entrypoints.daemon.keep_up import FIRST_LOOK_SECONDS, KeepUp
from ai_smartness.entrypoints.daemon.keep_up import LOOK_SECONDS as KEEP_UP_SECONDS
from ai_smartness.entrypoints.daemon.opened import Memories, Work
from ai_smartness.entrypoints.daemon.pressing import Pressing
from ai_smartness.entrypoints.daemon.traffic import Traffic
from ai_smartness.model.errors import AisError

__all__ = ["Jobs"]

_LOG = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
"""How often the inbox is looked at; a hook that captures tells nobody."""

STEP_ASIDE_SECONDS = 0.5
"""At most, before each step: however many ask, the inbox is drained."""

TIDY_AGAIN_SECONDS = 30.0
"""After something went wrong: a model that is out of reach is not asked every second."""

NICENESS = 10


class _Called(Exception):  # noqa: N818 - no error: somebody wants something else
    """Leave what can go on later."""


class Jobs:
    """The work of one daemon in the background."""

    def __init__(
        self, folder: str, memories: Memories, traffic: Traffic, now: Callable[[], datetime]
    ) -> None:
        self._folder = folder
        self._memories = memories
        self._traffic = traffic
        self._now = now
        self._pressing = Pressing(memories)
        self._drain = Drain(folder, memories, now, self._breathe, self._pressing.note)
        self._keeping_up = KeepUp(os.path.dirname(folder), memories, now)  # noqa: PTH120 - a name
        self._look_from = monotonic() + FIRST_LOOK_SECONDS
        self._backing_up = daily_backup.DailyBackup(os.path.dirname(folder), now)  # noqa: PTH120
        self._back_up_from = monotonic() + daily_backup.FIRST_LOOK_SECONDS
        self._changed = threading.Condition()
        self._asked = 0
        self._done = 0
        self._stopping = False
        self._due: dict[str, None] = {}
        self._warm: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)
        self._tidy_from = 0.0
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

    def wake(self, cwd: str) -> None:
        """Look at the inbox now, and at a project that was asked about for the first time."""
        with self._changed:
            self._asked += 1
            if cwd not in self._warm:
                self._due[cwd] = None
            self._changed.notify_all()

    def drained(self, seconds: float) -> bool:
        """Drain what waits now, and say whether that was done in time, well or not."""
        with self._changed:
            self._asked += 1
            ticket = self._asked
            self._changed.notify_all()
            return self._changed.wait_for(lambda: self._done >= ticket, seconds)

    @property
    def trouble(self) -> str:
        """What stands in the way just now; nothing if all is well."""
        return " ".join(self._troubles.values())

    @property
    def counts(self) -> tuple[int, int]:
        """How many records were stored and how many were set aside."""
        return self._drain.stored, self._drain.refused

    def _run(self) -> None:
        # On Linux this is the thread's own; who answers a prompt is not slowed down.
        os.nice(NICENESS)
        while not self._stopping:
            asked = self._drain_now()
            if monotonic() >= self._look_from:
                self._attempt("keep up", self._keep_up)
                self._look_from = monotonic() + KEEP_UP_SECONDS
            if monotonic() >= self._back_up_from:
                self._attempt("backup", self._back_up)
                self._back_up_from = monotonic() + daily_backup.LOOK_SECONDS
            if monotonic() >= self._tidy_from and not self._attempt("tidy", self._tidy):
                self._tidy_from = monotonic() + TIDY_AGAIN_SECONDS
            if not inbox.waiting(self._folder):
                # Once all is told: a condenser goes by what is noted.
                self._attempt("pressure", self._pressing.look)
            with self._changed:
                self._changed.wait_for(
                    lambda asked=asked: self._stopping or self._asked > asked,  # type: ignore[misc]
                    LOOK_SECONDS,
                )

    def _drain_now(self) -> int:
        """Drain what waits, and tell those who wait for it; return who had asked by then."""
        with self._changed:
            asked = self._asked
        self._attempt("drain", self._drain_inbox)
        with self._changed:
            self._done = asked
            self._changed.notify_all()
        return asked

    def _attempt(self, name: str, job: Callable[[], None]) -> bool:
        """Do a job; say whether nothing went wrong with it."""
        try:
            job()
        except _Called:
            return True
        except AisError as error:
            self._note(name, str(error))
        except Exception as error:  # noqa: BLE001 - what is captured must not wait for a mistake
            if self._note(name, f"{type(error).__name__}: {error}"):
                _LOG.exception("a job broke off")
        else:
            self._troubles.pop(name, None)
            return True
        return False

    def _note(self, name: str, trouble: str) -> bool:
        """Remember what went wrong; log it once as long as it stays the same."""
        is_new = trouble != self._troubles.get(name)
        if is_new:
            _LOG.warning("%s is tried again later: %s", name, trouble)
        self._troubles[name] = trouble
        self.last_error = (self._now(), trouble)
        return is_new

    def _drain_inbox(self) -> None:
        if not inbox.waiting(self._folder):
            return
        self.last_worked = self._now()
        self._due.update(dict.fromkeys(self._drain.run()))
        self.last_worked = self._now()

    def _keep_up(self) -> None:
        """Import what clients have written meanwhile, unless called away."""
        added, waiting = self._keeping_up.look(self._step_aside)
        self._due.update(dict.fromkeys(waiting))
        if added:
            self.last_worked = self._now()

    def _back_up(self) -> None:
        """Back the memory up if that is due; what comes in meanwhile is drained."""
        self._backing_up.look(self._go_on)

    def _step_aside(self, _done: int, _total: int) -> None:
        """Between two steps that nobody waits for: leave them for what is captured."""
        if inbox.waiting(self._folder):
            raise _Called
        self._breathe()

    def _tidy(self) -> None:
        """Describe and embed what came in, a project at a time, unless called away."""
        for cwd in list(self._due):
            with self._memories.of(cwd, Work.DRAIN) as memory:
                memory.tell(progress=self._leave)
            # Apart from the draining, which goes on meanwhile: an index takes minutes to build.
            with self._memories.of(cwd, Work.EMBED) as memory:
                memory.embed(progress=self._go_on)
            self._warm_up(cwd)
            del self._due[cwd]

    def _warm_up(self, cwd: str) -> None:
        """Read what the next prompt will need, before it comes."""
        if cwd not in self._warm:
            self._warm.add(cwd)
            with self._memories.of(cwd, Work.PROMPT) as memory:
                memory.search("what the next prompt asks", 1, wait=False)

    def _leave(self, _done: int, _total: int) -> None:
        """Between two steps that can be taken any time: leave them for what is captured."""
        self.last_worked = self._now()
        if inbox.waiting(self._folder):
            raise _Called
        self._breathe()

    def _go_on(self, _done: int, _total: int) -> None:
        """Between two steps of a long work: drain what came in, and step aside."""
        self.last_worked = self._now()
        if inbox.waiting(self._folder):
            self._drain_now()
        self._breathe()

    def _breathe(self) -> None:
        if self._stopping:
            raise _Called
        self._traffic.wait_for_quiet(STEP_ASIDE_SECONDS)
