"""What every verb of `Memory` needs: the store, the clock, the model, what is kept in mind.

What a memory is put together from, and the numbers it goes by.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ai_smartness.capture.annotate import CaptureContext
from ai_smartness.capture.assign import AssignWeights
from ai_smartness.capture.assign.assigner import BLOCK_EVENTS, ThreadAssigner
from ai_smartness.capture.describe_threads import DescriptionUpdater
from ai_smartness.condense import CondenserRegistry
from ai_smartness.describe.relations import BridgeRules
from ai_smartness.model.errors import AisError, StoreError
from ai_smartness.model.journal import Actor
from ai_smartness.model.thread import Thread
from ai_smartness.ports import (
    Clock,
    Embedder,
    LanguageModel,
    Progress,
    ProjectCount,
    ThreadStore,
    Worktree,
)
from ai_smartness.ports.erasure import MemoryFiles
from ai_smartness.settings.schema import Settings
from ai_smartness.threads.decay import decayed_thread

__all__ = ["MemoryBase", "MemoryParts", "MemoryStatus", "ignore_progress"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryParts:
    """What a memory is put together from; a model is loaded when it is first needed.

    A patient memory embeds what is not embedded yet before it searches; where somebody
    else does that in the background, none waits for it. A language model is there for
    condensing alone, where it is asked for by name. What is forgotten is also taken out of
    the files beside the store, and of copies of it, which are opened one by one.
    """

    store: ThreadStore
    embedder: Callable[[], Embedder | None]
    clock: Clock
    worktree: Worktree | None = None
    recall_log: Callable[[str], None] | None = None
    patient: bool = True
    condensers: CondenserRegistry = field(default_factory=CondenserRegistry)
    read_file: Callable[[str], str | None] | None = None
    language_model: Callable[[], LanguageModel | None] | None = None
    files: MemoryFiles | None = None
    open_copy: Callable[[Path], ThreadStore] | None = None
    block_events: int = BLOCK_EVENTS


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStatus:
    """What there is, on one screen.

    `pending` counts what is in sight and not embedded yet. `trouble` says why
    the model that is set cannot be used; nothing where it can, or none is set.
    `injected` counts what was ever shown to agents unasked, `used` what of it came
    back in what they did.
    """

    project: str
    threads: int
    events: int
    projects: tuple[ProjectCount, ...]
    space: str | None
    pending: int
    trouble: str
    spaces: Mapping[str, int]
    injected: int = 0
    used: int = 0


_LOG = logging.getLogger(__name__)


def ignore_progress(done: int, total: int) -> None:
    """Tell nobody."""


class MemoryBase:
    """A memory seen from one project, before it has any verbs."""

    def __init__(
        self,
        parts: MemoryParts,
        project: str,
        settings: Settings,
        who: Actor | None = None,
    ) -> None:
        self._parts = parts
        self._store = parts.store
        self._clock = parts.clock
        self._settings = settings
        self.project = project
        self.who = who or Actor()

    @cached_property
    def embedder(self) -> Embedder | None:
        """The model that text is embedded with; loaded when it is first needed."""
        return self._parts.embedder()

    def tell(self, *, progress: Progress = ignore_progress) -> int:
        """Describe and link the threads of what was captured since, and return how many events.

        What is asked of threads does this first; it is here for those who want to
        see it go on after a long history was captured.
        """
        return self._describer.describe_pending(self._store, self._capture_context(), progress)

    @cached_property
    def _assign_state(self) -> ThreadAssigner:
        weights, space = AssignWeights(), None
        embedder = self._usable_embedder()
        if embedder is not None:
            # A model that is served is only known to be there once it has answered.
            with suppress(StoreError):
                weights = replace(weights, unrelated_cosine=embedder.unrelated_cosine)
                space = embedder.space
        return ThreadAssigner(self.project, weights, space, self._parts.block_events)

    @cached_property
    def _describer(self) -> DescriptionUpdater:
        return DescriptionUpdater(self.project, BridgeRules(), self._parts.block_events)

    def _capture_context(self) -> CaptureContext:
        return CaptureContext(
            now=self._clock.now(),
            embedder=self._usable_embedder(),
            worktree=self._parts.worktree,
        )

    def _usable_embedder(self) -> Embedder | None:
        """Return the model if it can be used: nothing that is said is lost for want of one."""
        try:
            return self.embedder
        except AisError:
            return None

    def _reachable_embedder(self) -> Embedder | None:
        """Return the model if it answers: one that is served may be gone by now."""
        embedder = self._usable_embedder()
        with suppress(StoreError):
            return embedder if embedder is not None and embedder.space else None
        return None

    def _unrelated_cosine(self) -> float:
        embedder = self._usable_embedder()
        return 0.0 if embedder is None else embedder.unrelated_cosine

    def _describe_new(self) -> None:
        """Tell what was captured since; where that cannot be written, go by what was told."""
        try:
            self.tell()
        except StoreError as trouble:
            _LOG.warning("threads are as they were last described: %s", trouble)

    def _decayed_thread(self, thread: Thread) -> Thread:
        return decayed_thread(thread, self._clock.now(), self._settings.decay.half_life_days)
