"""The verbs that keep what was said, and make it findable."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Self
from uuid import uuid4

from ai_smartness.capture.capture import LIVE_MESSAGES, Captured, capture
from ai_smartness.capture.embed import embed
from ai_smartness.capture.reindex import reindex
from ai_smartness.memory.core import Core, quiet
from ai_smartness.model.event import Event, Message
from ai_smartness.model.found import Scope
from ai_smartness.ports import Progress

__all__ = ["Keeping"]

COLD_EVENTS = 500
"""Up to this many a project's past is read in the wink of an eye."""


class Keeping(Core):
    """What is said becomes events on threads."""

    def capture(
        self, messages: Message | Iterable[Message], *, progress: Progress = quiet
    ) -> Captured:
        """Keep messages, each on its thread; one that is known by its id is left as it is."""
        given = [messages] if isinstance(messages, Message) else messages
        captured = capture(self._store, self._desk, given, self._present(), progress)
        if captured.stored + captured.known <= LIVE_MESSAGES and self._tells_quickly():
            self._told()
        return captured

    def append(self, thread_id: str, event: Message) -> Event:
        """Keep one message on the thread that is named; one that is known is left as it is."""
        thread = self._store.threads.get(thread_id)
        named = replace(event, thread=thread.id, id=event.id or f"msg_{uuid4().hex[:16]}")
        self._seen_from(thread.project).capture(named)
        return self._store.events.get(thread.project, str(named.id))

    def embed(self, *, progress: Progress = quiet) -> int:
        """Embed what was captured and is not embedded yet, and return how many events."""
        if self.embedder is None:
            return 0
        return sum(
            embed(self._store, self.embedder, project, progress)
            for project in Scope(project=self.project).projects
        )

    def reindex(self, *, vectors: bool = True, progress: Progress = quiet) -> int:
        """Build everything that follows from the events anew, and return how many there are."""
        events = reindex(self._store, self.project, progress)
        self.tell(progress=progress)
        if vectors and self.embedder is not None:
            self._store.vectors.clear(self.project, self.embedder.space)
            embed(self._store, self.embedder, self.project, progress)
        return events

    def drop_vectors(self, *, but: str | None) -> int:
        """Drop every project's vectors of all models but one, and return how many there were."""
        dropped = {
            space: count for space, count in self._store.vectors.spaces().items() if space != but
        }
        with self._store.unit():
            for each in self._store.projects():
                for space in dropped:
                    self._store.vectors.clear(each.project, space)
        return sum(dropped.values())

    def _tells_quickly(self) -> bool:
        """Say whether nobody would wait: else it is told when somebody looks."""
        return not self._teller.is_cold or self._store.events.count(self.project) <= COLD_EVENTS

    def _seen_from(self, project: str) -> Self:
        """Return the same memory seen from another project."""
        if project == self.project:
            return self
        parts = replace(self._parts, embedder=lambda: self.embedder, worktree=None)
        return type(self)(parts, project, self._rules, self.who)
