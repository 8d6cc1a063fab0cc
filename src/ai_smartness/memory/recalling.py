"""The verb that answers with threads."""

from dataclasses import replace
from functools import partial

from ai_smartness.memory.tidying import Deed, Tidying
from ai_smartness.model.recalled import Recalled, RecalledThread
from ai_smartness.model.thread import Status
from ai_smartness.retrieve.recall import (
    RecallRules,
    names_a_thread,
    recalled_by_id,
    recalled_by_words,
)
from ai_smartness.retrieve.render import log_line, page
from ai_smartness.threads.life import reactivate_all

__all__ = ["Recalling"]

CANDIDATES = 60
"""Messages found for a recall: enough for the threads that are shown."""

REACTIVATED_ABOVE = 0.5
"""A suspended thread that answers better than this is in use again."""


class Recalling(Tidying):
    """A question is answered with threads."""

    def recall(self, query: str, limit: int = 5) -> Recalled:
        """Return the threads that answer, with their messages and bridges, the best first.

        The id of a thread, or the start of one, gives that thread. A suspended
        thread that answers well is active again.
        """
        self._told()
        found = self._recalled(query, limit)
        back = [each.thread.id for each in found.threads if _comes_back(each)]
        if back:
            found = self._brought_back(found, back)
        found = replace(found, text=page(found))
        if self._parts.recall_log is not None:
            self._parts.recall_log(log_line(found))
        return found

    def _recalled(self, query: str, limit: int) -> Recalled:
        rules = RecallRules(
            floor=self._rules.recall_floor,
            now=self._clock.now(),
            half_life_days=self._rules.half_life_days,
        )
        worktree = self._parts.worktree
        if names_a_thread(query):
            return recalled_by_id(self._store, query, rules, worktree)
        hits = self.search(query, max(CANDIDATES, limit))
        return recalled_by_words(self._store, self.project, (query, hits), limit, rules, worktree)

    def _brought_back(self, found: Recalled, ids: list[str]) -> Recalled:
        now, days = self._clock.now(), self._rules.half_life_days
        deed = Deed(verb="recall", arguments={"query": found.query})
        outcome = self._do(deed, partial(reactivate_all, self._store, ids, now, days))
        after = {thread.id: thread for thread in outcome.threads}
        threads = tuple(
            replace(each, thread=after.get(each.thread.id, each.thread), reactivated=True)
            if each.thread.id in after
            else each
            for each in found.threads
        )
        return replace(found, threads=threads)


def _comes_back(found: RecalledThread) -> bool:
    return found.thread.status is Status.SUSPENDED and found.relevance > REACTIVATED_ABOVE
