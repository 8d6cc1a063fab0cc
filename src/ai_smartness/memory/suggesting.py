"""The verb that says what could be done."""

import logging

from ai_smartness.compact.strategy import STRATEGIES
from ai_smartness.inject.prompt import says_something
from ai_smartness.memory.injecting import check_session
from ai_smartness.memory.tidying import Tidying
from ai_smartness.model.compaction import Strategy
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.event import by_agent
from ai_smartness.model.session import Session
from ai_smartness.model.suggestion import Suggestions
from ai_smartness.suggest.suggest import Asked, suggest

__all__ = ["Suggesting"]

_LOG = logging.getLogger(__name__)

CANDIDATES = 60
"""Messages found for a context: enough for the topics that are named."""

LOOKED_BACK = 50
"""Events of a session among which its latest prompt is."""


class Suggesting(Tidying):
    """What could be done is said, and left to whoever asks."""

    def suggestions(self, context: str | None = None, *, session: str | None = None) -> Suggestions:
        """Say what could be merged, split, recalled, settled or let go, and how the memory is.

        `context` is what somebody is at; without one it is what the session was last
        asked. What the session has in sight is not hinted at.
        """
        _check(context)
        check_session(session)
        self._told()
        about = self._latest_prompt(session) if context is None else context
        self._embed_all()
        hits = self.search(about, CANDIDATES, wait=False) if about.strip() else []
        asked = Asked(
            project=self.project,
            now=self._clock.now(),
            half_life_days=self._rules.half_life_days,
            session=self._present_session(session),
            embedder=self._in_reach(),
            floor=self._rules.recall_floor,
            depth_turns=self._rules.inject.depth_turns,
            token_budget=self._rules.inject.budget_tokens,
            allowed_threads=STRATEGIES[Strategy.NORMAL].max_active_threads,
        )
        return suggest(self._store, hits, asked)

    def _embed_all(self) -> None:
        """Embed what is not yet, unless somebody else does that: by it threads are told alike."""
        if self._parts.patient and self._in_reach() is not None:
            try:
                self.embed()
            except StoreError as trouble:
                _LOG.warning("suggesting by what was embedded before: %s", trouble)

    def _latest_prompt(self, session: str | None) -> str:
        """Return what a session was last asked; nothing without one."""
        if not session:
            return ""
        latest = self._store.events.of_session(self.project, session, LOOKED_BACK)
        prompts = (event.text for event in latest if not by_agent(event))
        return next(filter(says_something, prompts), "")

    def _present_session(self, session: str | None) -> Session | None:
        if not session:
            return None
        known = self._store.threads.session(self.project, session)
        return known or Session(id=session, project=self.project)


def _check(context: object) -> None:
    if context is not None and not isinstance(context, str):
        msg = f"what suggestions are for must be text, not {type(context).__name__}."
        raise RefusedError(msg)
