"""The verbs that keep what was said, and make it findable.

The verbs that look: search, and read threads, messages and what there is.
"""

import logging
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Self
from uuid import uuid4

from ai_smartness.capture.capture import LIVE_MESSAGES, Captured, capture
from ai_smartness.capture.embed import embed
from ai_smartness.capture.index import reindex
from ai_smartness.condense.working_view import all_events_on, working_view
from ai_smartness.memory.base import MemoryBase, MemoryStatus, ignore_progress
from ai_smartness.model.annotation import Annotation
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.errors import AisError, StoreError
from ai_smartness.model.event import Event, Message
from ai_smartness.model.search import Hit, SearchScope
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Progress, ProjectCount
from ai_smartness.search.search import SearchContext, search
from ai_smartness.threads.drift import drift_series
from ai_smartness.threads.history import PastThread, past_thread
from ai_smartness.threads.links import faded_bridge_weight

__all__ = ["CaptureVerbs", "ReadVerbs"]


COLD_EVENTS = 500
"""Up to this many a project's past is read in the wink of an eye."""


class CaptureVerbs(MemoryBase):
    """What is said becomes events on threads."""

    def capture(
        self,
        messages: Message | Iterable[Message],
        *,
        progress: Progress = ignore_progress,
    ) -> Captured:
        """Keep messages, each on its thread; one that is known by its id is left as it is."""
        given = [messages] if isinstance(messages, Message) else messages
        captured = capture(
            self._store,
            self._assign_state,
            given,
            self._capture_context(),
            progress,
        )
        if captured.stored + captured.known <= LIVE_MESSAGES and self._describes_quickly():
            self._describe_new()
        return captured

    def append(self, thread_id: str, event: Message) -> Event:
        """Keep one message on the thread that is named; one that is known is left as it is."""
        thread = self._store.threads.get(thread_id)
        named = replace(event, thread=thread.id, id=event.id or f"msg_{uuid4().hex[:16]}")
        self._seen_from(thread.project).capture(named)
        return self._store.events.get(thread.project, str(named.id))

    def embed(self, *, progress: Progress = ignore_progress) -> int:
        """Embed what was captured and is not embedded yet, and return how many events."""
        if self.embedder is None:
            return 0
        return sum(
            embed(self._store, self.embedder, project, progress)
            for project in SearchScope(project=self.project).projects
        )

    def reindex(self, *, vectors: bool = True, progress: Progress = ignore_progress) -> int:
        """Build everything that follows from the events anew, and return how many there are."""
        events = reindex(self._store, self.project, progress)
        self.tell(progress=progress)
        if vectors and self.embedder is not None:
            self._store.vector_index.clear(self.project, self.embedder.space)
            embed(self._store, self.embedder, self.project, progress)
        return events

    def drop_vectors(self, *, but: str | None) -> int:
        """Drop every project's vectors of all models but one, and return how many there were."""
        dropped = {
            space: count
            for space, count in self._store.vector_index.space_counts().items()
            if space != but
        }
        with self._store.unit():
            for each in self._store.project_counts():
                for space in dropped:
                    self._store.vector_index.clear(each.project, space)
        return sum(dropped.values())

    def _describes_quickly(self) -> bool:
        """Say whether nobody would wait: else it is told when somebody looks."""
        return not self._describer.is_cold or self._store.events.count(self.project) <= COLD_EVENTS

    def _seen_from(self, project: str) -> Self:
        """Return the same memory seen from another project."""
        if project == self.project:
            return self
        parts = replace(self._parts, embedder=lambda: self.embedder, worktree=None)
        return type(self)(parts, project, self._settings, self.who)


_LOG = logging.getLogger(__name__)


class ReadVerbs(CaptureVerbs):
    """What is kept is found and read."""

    def search(
        self,
        query: str,
        limit: int = 10,
        before: datetime | None = None,
        session: str | None = None,
        *,
        wait: bool = True,
        words_only: bool = False,
    ) -> list[Hit]:
        """Return the messages that answer the query best, best first.

        `before` limits it to what existed then, `session` to one session. What
        was captured and not embedded yet is embedded first; with `wait=False`
        it is found by its words alone, as everything is with `words_only` or
        while the model is out of reach.
        """
        scope = SearchScope(project=self.project, before=before, session=session)
        return self._search_messages(query, limit, scope, wait=wait, words_only=words_only)

    def _search_messages(
        self,
        query: str,
        limit: int,
        scope: SearchScope,
        *,
        wait: bool = False,
        words_only: bool = False,
        said: str = "",
    ) -> list[Hit]:
        asked = SearchContext(self._settings.search, self._clock.now(), said)
        if not words_only:
            try:
                if wait and self._parts.patient:
                    self.embed()
                return search(self._store, self.embedder, query, scope, limit, asked)
            except StoreError as trouble:
                # The model is out of reach; if it is the store, the next line says so.
                _LOG.warning("searching by words alone: %s", trouble)
        return search(self._store, None, query, scope, limit, asked)

    def message(self, message_id: str) -> Event:
        """Return the message as it is stored, with the thread it is on."""
        return self._store.events.get(self.project, message_id)

    def thread(self, thread_id: str) -> Thread:
        """Return the thread with this id, or this unique start of an id, as it stands now."""
        self._describe_new()
        thread = self._decayed_thread(self._store.threads.get(thread_id))
        series = self.drift(thread.id)
        return replace(thread, drift=series[-1]) if series else thread

    def threads(self) -> list[Thread]:
        """Return the project's threads as they stand now, the most recently active first."""
        self._describe_new()
        return [self._decayed_thread(thread) for thread in self._store.threads.all(self.project)]

    def thread_at(self, thread_id: str, at: datetime) -> PastThread:
        """Return a thread with its messages and bridges as it was at a moment."""
        self._describe_new()
        return past_thread(self._store, thread_id, at, self._settings.decay.half_life_days)

    def events(self, thread_id: str) -> list[Event]:
        """Return the thread's working view: its events as an agent should see them."""
        return working_view(self._store, self._store.threads.get(thread_id))

    def all_events(self, thread_id: str) -> list[Event]:
        """Return all that was ever said on the thread, in the order it was said.

        Its compactions are among it, each a COMPACTION event.
        """
        return all_events_on(self._store, self._store.threads.get(thread_id))

    def notes(self, thread_id: str) -> list[Annotation]:
        """Return what was worked out about a thread's messages: why it is there, what it names."""
        self._describe_new()
        seqs = [event.seq for event in self.all_events(thread_id)]
        notes = self._store.annotations.of(seqs)
        return [notes[seq] for seq in seqs if seq in notes]

    def bridges(self, thread_id: str | None = None) -> list[Bridge]:
        """Return the links of a thread or of the project as they weigh now, the heaviest first."""
        self._describe_new()
        now, days = self._clock.now(), self._settings.decay.half_life_days
        found = (
            self._store.bridges.all(self.project)
            if thread_id is None
            else self._store.bridges.of(self._store.threads.get(thread_id).id)
        )
        weighed = [
            replace(bridge, weight=faded_bridge_weight(bridge, now, days)) for bridge in found
        ]
        return sorted(weighed, key=lambda bridge: (-bridge.weight, bridge.id))

    def drift(self, thread_id: str) -> list[float]:
        """Say after each message how far the latest were from what the thread was about, 0–1."""
        thread, embedder = self._store.threads.get(thread_id), self._usable_embedder()
        if embedder is None:
            return []
        seqs = [event.seq for event in self._store.events.of_thread(thread.id)]
        vectors = self._store.vector_index.event_centres(thread.project, embedder.space, seqs)
        return drift_series(
            [vectors[seq] for seq in seqs if seq in vectors],
            embedder.unrelated_cosine,
        )

    def status(self) -> MemoryStatus:
        """Say what there is."""
        projects = tuple(self.projects())
        mine = next((each for each in projects if each.project == self.project), None)
        space, trouble = self._embedder_space()
        injected, used = self._store.ledger.usage_counts(self.project)
        return MemoryStatus(
            project=self.project,
            threads=mine.threads if mine else 0,
            events=mine.events if mine else 0,
            projects=projects,
            space=space,
            pending=self._pending_count(space) if space else 0,
            trouble=trouble,
            spaces=self._store.vector_index.space_counts(),
            injected=injected,
            used=used,
        )

    def projects(self) -> list[ProjectCount]:
        """Return every project there is, with how much it holds."""
        return self._store.project_counts()

    def check(self) -> str:
        """Say what is damaged in the store; nothing if it is whole."""
        return self._store.check()

    def _embedder_space(self) -> tuple[str | None, str]:
        """Name the model's space, or say why it cannot be used."""
        try:
            return (self.embedder.space if self.embedder else None), ""
        except AisError as error:
            # What there is must be seen even then, and this belongs to it.
            return None, str(error)

    def _pending_count(self, space: str) -> int:
        sight = SearchScope(project=self.project).projects
        return sum(self._store.vector_index.count_missing(project, space) for project in sight)
