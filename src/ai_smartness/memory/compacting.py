"""The verb that keeps the memory small."""

import logging
from collections.abc import Callable

from ai_smartness.compact.compact import Asked, compact, set_scene, to_compare
from ai_smartness.compact.plan import Planned
from ai_smartness.compact.strategy import STRATEGIES
from ai_smartness.memory.core import quiet
from ai_smartness.memory.tidying import Deed, Tidying
from ai_smartness.model.compaction import Compaction, Strategy
from ai_smartness.model.errors import StoreError
from ai_smartness.ports import Progress
from ai_smartness.threads.plan import Plan

__all__ = ["Compacting"]

_LOG = logging.getLogger(__name__)


class Compacting(Tidying):
    """The memory is kept small."""

    def compact(
        self,
        strategy: Strategy = Strategy.NORMAL,
        *,
        dry_run: bool = False,
        progress: Progress = quiet,
    ) -> Compaction:
        """Merge threads about one subject, and put away what is old or too much.

        It is one change, with one number to undo it by. With `dry_run` it is the same plan,
        not carried out.
        """
        deed = Deed(verb="compact", arguments={"strategy": strategy.value}, dry_run=dry_run)
        asked = Asked(
            project=self.project,
            strategy=strategy,
            space=self._space_to_compare(progress),
            now=self._clock.now(),
            half_life_days=self._rules.half_life_days,
            progress=progress,
        )
        self._told()
        # Before the lock is taken: centres that are not there yet may take seconds to work out.
        to_compare(self._store, asked, set_scene(self._store, asked))
        plans: list[Planned] = []
        outcome = self._do(deed, self._planning(asked, plans))
        return Compaction(
            strategy=strategy,
            dry_run=dry_run,
            steps=plans[-1].steps,
            weight_decay=STRATEGIES[strategy].weight_decay,
            before=plans[-1].load_before,
            after=plans[-1].load_after,
            outcome=outcome,
        )

    def _planning(self, asked: Asked, plans: list[Planned]) -> Callable[[], Plan]:
        """Return what plans, and keeps the plan beside the change that comes of it."""

        def plan() -> Plan:
            planned, change = compact(self._store, asked)
            plans.append(planned)
            return change

        return plan

    def _space_to_compare(self, progress: Progress) -> str | None:
        """Name the space in which threads are compared, all that can be embedded there being so."""
        try:
            embedder = self._at_hand()
            if embedder is None:
                return None
            if self._parts.patient:
                self.embed(progress=progress)
        except StoreError as trouble:
            _LOG.warning("threads are compared by what is embedded: %s", trouble)
            return None
        return embedder.space
