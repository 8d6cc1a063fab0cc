"""What every verb of `Memory` needs: the store, the clock, the model, what is kept in mind."""

import logging
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from ai_smartness.capture.desk import Desk
from ai_smartness.capture.note import Present
from ai_smartness.capture.tell import Teller
from ai_smartness.memory.parts import Parts, Rules
from ai_smartness.model.errors import AisError, StoreError
from ai_smartness.model.journal import Actor
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Embedder, Progress
from ai_smartness.threads.decay import decayed

__all__ = ["Core", "quiet"]

_LOG = logging.getLogger(__name__)


def quiet(done: int, total: int) -> None:
    """Tell nobody."""


class Core:
    """A memory seen from one project, before it has any verbs."""

    def __init__(self, parts: Parts, project: str, rules: Rules, who: Actor | None = None) -> None:
        self._parts = parts
        self._store = parts.store
        self._clock = parts.clock
        self._rules = rules
        self.project = project
        self.who = who or Actor()

    @cached_property
    def embedder(self) -> Embedder | None:
        """The model that text is embedded with; loaded when it is first needed."""
        return self._parts.embedder()

    def tell(self, *, progress: Progress = quiet) -> int:
        """Describe and link the threads of what was captured since, and return how many events.

        What is asked of threads does this first; it is here for those who want to
        see it go on after a long history was captured.
        """
        return self._teller.tell(self._store, self._present(), progress)

    @cached_property
    def _desk(self) -> Desk:
        rules, space = self._rules.place, None
        embedder = self._at_hand()
        if embedder is not None:
            # A model that is served is only known to be there once it has answered.
            with suppress(StoreError):
                rules = replace(rules, unrelated_cosine=embedder.strangers)
                space = embedder.space
        return Desk(self.project, rules, space, self._rules.block_events)

    @cached_property
    def _teller(self) -> Teller:
        return Teller(self.project, self._rules.bridges, self._rules.block_events)

    def _present(self) -> Present:
        return Present(
            now=self._clock.now(), embedder=self._at_hand(), worktree=self._parts.worktree
        )

    def _at_hand(self) -> Embedder | None:
        """Return the model if it can be used: nothing that is said is lost for want of one."""
        try:
            return self.embedder
        except AisError:
            return None

    def _in_reach(self) -> Embedder | None:
        """Return the model if it answers: one that is served may be gone by now."""
        embedder = self._at_hand()
        with suppress(StoreError):
            return embedder if embedder is not None and embedder.space else None
        return None

    def _strangers(self) -> float:
        embedder = self._at_hand()
        return 0.0 if embedder is None else embedder.strangers

    def _told(self) -> None:
        """Tell what was captured since; where that cannot be written, go by what was told."""
        try:
            self.tell()
        except StoreError as trouble:
            _LOG.warning("threads are as they were last described: %s", trouble)

    def _now(self, thread: Thread) -> Thread:
        return decayed(thread, self._clock.now(), self._rules.half_life_days)
