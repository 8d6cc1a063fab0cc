"""The verbs of pages: lists and overviews that stay short, however long the memory is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ai_smartness.memory.base import MemoryBase
from ai_smartness.model.browse import ThreadFilter, ThreadList, ThreadPosition
from ai_smartness.model.thread import Thread

if TYPE_CHECKING:
    from ai_smartness.model.browse import Neighbourhood, ThreadActivity
    from ai_smartness.model.event import Event

__all__ = ["BrowseVerbs"]

LISTED_THREADS = 20
BLOCK_THREADS = 500
MAX_READ_THREADS = 1_000
"""For one page: with a rare status the page is shorter, and the next one goes on from there."""

LISTED_MESSAGES = 50
MAX_NEIGHBOURS = 60
NEIGHBOUR_RINGS = 2


class BrowseVerbs(MemoryBase):
    """Threads and messages are listed page by page."""

    def list_threads(
        self,
        chosen: ThreadFilter | None = None,
        limit: int = LISTED_THREADS,
        after: ThreadPosition | None = None,
    ) -> ThreadList:
        """Return a page of the project's threads as they stand now, most recently active first.

        `after` is the `next` of the page before. A page with a filter may be shorter than
        `limit`; the list ends where `next` is None.
        """
        self._describe_new()
        chosen = chosen or ThreadFilter()
        listed, read = list[Thread](), 0
        block = BLOCK_THREADS if chosen.status else limit + 1
        while len(listed) <= limit and read < MAX_READ_THREADS:
            threads = self._store.threads.page(self.project, chosen, block, after)
            present = map(self._decayed_thread, threads)
            listed += [one for one in present if chosen.status in (None, one.status)]
            if len(threads) < block:
                after = None
                break
            read += len(threads)
            after = ThreadPosition(threads[-1].last_active, threads[-1].id)
        if len(listed) > limit:
            last = listed[limit - 1]
            after = ThreadPosition(last.last_active, last.id)
        return ThreadList(tuple(listed[:limit]), after)

    def message_counts(self, thread_ids: Sequence[str]) -> dict[str, int]:
        """Return how many messages each of these threads has."""
        return self._store.events.counts_by_thread(thread_ids)

    def latest_messages(
        self, thread_id: str, limit: int = LISTED_MESSAGES, *, before: int | None = None
    ) -> list[Event]:
        """Return a thread's latest messages, or the latest before a `seq`, in their order."""
        return self._store.events.latest_of_thread(
            self._store.threads.get(thread_id).id, limit, before
        )

    def moments(self, thread_id: str) -> list[datetime]:
        """Return the times at which a thread got a message or was changed, in order."""
        thread = self._store.threads.get(thread_id)
        changes = {entry.at for entry in self._store.journal.entries_touching(thread.id)}
        return sorted(changes.union(self._store.events.times_of_thread(thread.id)))

    def begun_at(self) -> datetime | None:
        """Return when the project's first thread began; None without threads."""
        return self._store.threads.begun_at(self.project)

    def activity(
        self, thread_ids: Sequence[str], since: datetime, until: datetime, steps: int
    ) -> list[ThreadActivity]:
        """Count the messages of threads by session and step, in equal steps of a time."""
        step = max((until - since) / steps, timedelta(microseconds=1))
        return self._store.events.activity(thread_ids, since, step, steps)

    def clients(self) -> list[str]:
        """Return the clients that used the memory in this project."""
        return self._store.threads.clients(self.project)

    def session_clients(self, sessions: Iterable[str]) -> dict[str, str]:
        """Return the client of each of these sessions that has a known one."""
        return self._store.threads.session_clients(self.project, sessions)

    def neighbourhood(self, thread_id: str, *, most: int = MAX_NEIGHBOURS) -> Neighbourhood:
        """Return a thread with those that it is bridged to, and those that they are bridged to."""
        from ai_smartness.threads.neighbourhood import neighbourhood

        self._describe_new()
        near = neighbourhood(self._store, thread_id, most=most, rings=NEIGHBOUR_RINGS)
        return replace(
            near,
            threads=tuple(map(self._decayed_thread, near.threads)),
            bridges=tuple(map(self._faded_bridge, near.bridges)),
        )
