"""The language model: for a condenser that asks for one, and for nobody else.

What is found, shown or kept in order never goes by it. Each call is counted and written
down, and what it may cost in a day has a ceiling.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from ai_smartness.compact.condensers import Condenser
from ai_smartness.compact.metered import Metered, Occasion
from ai_smartness.memory.tidying import Tidying
from ai_smartness.ports import LanguageModel

__all__ = ["Asking"]


class Asking(Tidying):
    """Who may ask a language model, and what that took."""

    def tokens_today(self) -> int:
        """Return how many tokens language models took on this day of UTC, for all projects."""
        return self._store.spending.on(self._clock.now().date())

    @contextmanager
    def _model_for(self, condenser: Condenser, thread_id: str) -> Iterator[LanguageModel | None]:
        """Give a condenser the model that it may ask: none unless it says that it asks one."""
        asks, configured = getattr(condenser, "asks_model", False), self._parts.language_model
        model = configured() if asks and configured else None
        if model is None:
            yield None
            return
        occasion = Occasion(self.project, self.who, f"condense {thread_id}")
        metered = Metered(model, occasion, self._store, self._clock, self._rules.daily_tokens)
        with closing(metered):
            yield metered
