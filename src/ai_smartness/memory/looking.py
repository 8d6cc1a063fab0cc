"""The verbs that look: search, and read threads, messages and what there is."""

import logging
from dataclasses import replace
from datetime import datetime

from ai_smartness.compact.view import everything_on, working_view
from ai_smartness.memory.keeping import Keeping
from ai_smartness.memory.parts import Status
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.errors import AisError, StoreError
from ai_smartness.model.event import Event
from ai_smartness.model.found import Hit, Scope
from ai_smartness.model.note import Note
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ProjectCount
from ai_smartness.retrieve.search import Asked, search
from ai_smartness.threads.bridges import faded
from ai_smartness.threads.drift import drift
from ai_smartness.threads.history import Then, as_it_was

__all__ = ["Looking"]

_LOG = logging.getLogger(__name__)


class Looking(Keeping):
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
        scope = Scope(project=self.project, before=before, session=session)
        return self._found(query, limit, scope, wait=wait, words_only=words_only)

    def _found(
        self,
        query: str,
        limit: int,
        scope: Scope,
        *,
        wait: bool = False,
        words_only: bool = False,
        said: str = "",
    ) -> list[Hit]:
        asked = Asked(self._rules.weights, self._clock.now(), said)
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
        self._told()
        thread = self._now(self._store.threads.get(thread_id))
        series = self.drift(thread.id)
        return replace(thread, drift=series[-1]) if series else thread

    def threads(self) -> list[Thread]:
        """Return the project's threads as they stand now, the most recently active first."""
        self._told()
        return [self._now(thread) for thread in self._store.threads.all(self.project)]

    def thread_at(self, thread_id: str, at: datetime) -> Then:
        """Return a thread with its messages and bridges as it was at a moment."""
        self._told()
        return as_it_was(self._store, thread_id, at, self._rules.half_life_days)

    def events(self, thread_id: str) -> list[Event]:
        """Return the thread's working view: its events as an agent should see them."""
        return working_view(self._store, self._store.threads.get(thread_id))

    def all_events(self, thread_id: str) -> list[Event]:
        """Return all that was ever said on the thread, in the order it was said.

        Its compactions are among it, each a COMPACTION event.
        """
        return everything_on(self._store, self._store.threads.get(thread_id))

    def notes(self, thread_id: str) -> list[Note]:
        """Return what was worked out about a thread's messages: why it is there, what it names."""
        self._told()
        seqs = [event.seq for event in self.all_events(thread_id)]
        notes = self._store.notes.of(seqs)
        return [notes[seq] for seq in seqs if seq in notes]

    def bridges(self, thread_id: str | None = None) -> list[Bridge]:
        """Return the links of a thread or of the project as they weigh now, the heaviest first."""
        self._told()
        now, days = self._clock.now(), self._rules.half_life_days
        found = (
            self._store.bridges.all(self.project)
            if thread_id is None
            else self._store.bridges.of(self._store.threads.get(thread_id).id)
        )
        weighed = [replace(bridge, weight=faded(bridge, now, days)) for bridge in found]
        return sorted(weighed, key=lambda bridge: (-bridge.weight, bridge.id))

    def drift(self, thread_id: str) -> list[float]:
        """Say after each message how far the latest were from what the thread was about, 0–1."""
        thread, embedder = self._store.threads.get(thread_id), self._at_hand()
        if embedder is None:
            return []
        seqs = [event.seq for event in self._store.events.of_thread(thread.id)]
        vectors = self._store.vectors.of_events(thread.project, embedder.space, seqs)
        return drift([vectors[seq] for seq in seqs if seq in vectors], embedder.strangers)

    def status(self) -> Status:
        """Say what there is."""
        projects = tuple(self.projects())
        mine = next((each for each in projects if each.project == self.project), None)
        space, trouble = self._space()
        injected, used = self._store.ledger.counts(self.project)
        return Status(
            project=self.project,
            threads=mine.threads if mine else 0,
            events=mine.events if mine else 0,
            projects=projects,
            space=space,
            pending=self._pending(space) if space else 0,
            trouble=trouble,
            spaces=self._store.vectors.spaces(),
            injected=injected,
            used=used,
        )

    def projects(self) -> list[ProjectCount]:
        """Return every project there is, with how much it holds."""
        return self._store.projects()

    def check(self) -> str:
        """Say what is damaged in the store; nothing if it is whole."""
        return self._store.check()

    def _space(self) -> tuple[str | None, str]:
        """Name the model's space, or say why it cannot be used."""
        try:
            return (self.embedder.space if self.embedder else None), ""
        except AisError as error:
            # What there is must be seen even then, and this belongs to it.
            return None, str(error)

    def _pending(self, space: str) -> int:
        sight = Scope(project=self.project).projects
        return sum(self._store.vectors.pending(project, space) for project in sight)
