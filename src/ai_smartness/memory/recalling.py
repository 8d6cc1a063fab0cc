"""The verb that answers with threads."""

from dataclasses import replace
from functools import partial

from ai_smartness.memory.tidying import Deed, Tidying
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.recalled import Recalled, RecalledThread
from ai_smartness.model.thread import Status
from ai_smartness.redact import redacted
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

LONGEST_QUERY_CHARACTERS = 20_000
"""A pasted log of some pages; each of its words is looked up, and megabytes would take minutes."""


class Recalling(Tidying):
    """A question is answered with threads."""

    def recall(self, query: str, limit: int = 5, *, bring_back: bool = True) -> Recalled:
        """Return the threads that answer, with their messages and bridges, the best first.

        The id of a thread, or the start of one, gives that thread. A suspended
        thread that answers well is active again, unless it is not to be brought
        back; it is shown as it was found.
        """
        _check(query, limit)
        query = redacted(query)
        self._told()
        found = self._recalled(query, limit)
        if bring_back:
            back = [each.thread for each in found.threads if _comes_back(each)]
            done = set[str]()
            for project in dict.fromkeys(thread.project for thread in back):
                ids = [thread.id for thread in back if thread.project == project]
                done |= self._brought_back(query, project, ids)
            found = replace(found, threads=tuple(_with_fate(each, done) for each in found.threads))
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

    def _brought_back(self, query: str, project: str, ids: list[str]) -> set[str]:
        now, days = self._clock.now(), self._rules.half_life_days
        deed = Deed(verb="recall", arguments={"query": query})
        done = self._do(deed, partial(reactivate_all, self._store, project, ids, now, days))
        return {edit.id for edit in done.change.threads}


def _with_fate(found: RecalledThread, brought_back: set[str]) -> RecalledThread:
    return replace(found, reactivated=found.thread.id in brought_back)


def _check(query: object, limit: object) -> None:
    if not isinstance(query, str):
        msg = f"what is recalled must be text, not {type(query).__name__}."
        raise RefusedError(msg)
    if len(query) > LONGEST_QUERY_CHARACTERS:
        msg = (
            f"cannot recall with {len(query):,} characters: a question has "
            f"{LONGEST_QUERY_CHARACTERS:,} at most. Ask with the words that matter."
        )
        raise RefusedError(msg)
    if not isinstance(limit, int) or limit < 1:
        msg = f"cannot recall {limit!r} threads: the limit must be a whole number from 1 on."
        raise RefusedError(msg)


def _comes_back(found: RecalledThread) -> bool:
    return found.thread.status is Status.SUSPENDED and found.relevance > REACTIVATED_ABOVE
