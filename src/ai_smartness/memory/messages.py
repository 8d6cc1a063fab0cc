"""The verbs that capture messages, search them, and read threads as they stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ai_smartness.memory.base import MemoryBase, ignore_progress
from ai_smartness.model.errors import AisError

if TYPE_CHECKING:
    from ai_smartness.capture.capture import Captured
    from ai_smartness.model.annotation import Annotation
    from ai_smartness.model.bridge import Bridge
    from ai_smartness.model.event import Event, Message
    from ai_smartness.model.search import Hit
    from ai_smartness.model.status import MemoryStatus
    from ai_smartness.model.thread import Thread
    from ai_smartness.ports import Progress, ProjectCount
    from ai_smartness.threads.history import PastThread

__all__ = ["MessageVerbs"]


class MessageVerbs(MemoryBase):
    """Messages become events on threads, and are found and read again."""

    def capture(
        self,
        messages: Message | Mapping[str, Any] | Iterable[Message | Mapping[str, Any]],
        *,
        session: str | None = None,
        progress: Progress = ignore_progress,
    ) -> Captured:
        """Store messages, each on its thread; a message with a known id is left unchanged.

        A dictionary has the fields of `Message`, or is a message as the APIs of OpenAI and
        Anthropic have it. `session` is for the messages that name none. What an agent says
        or does also shows whether the memory it was shown was useful.
        """
        from ai_smartness.capture.capture import LIVE_MESSAGES
        from ai_smartness.capture.message_shapes import read_messages
        from ai_smartness.inject.usage import record_usage, unused_entries

        batch = read_messages(messages, session)
        is_live = len(batch) <= LIVE_MESSAGES
        named = {one.session for one in batch if _can_be_stored(one.session)} if is_live else set()
        sessions = sorted(filter(None, named))
        # They go along with the first read of the capture, and end before it begins to write.
        captured: Captured
        *entries, captured = self._store.read_together(
            *(partial(unused_entries, self._store, self.project, name) for name in sessions),
            partial(self._capture_messages, batch, progress),
        )
        if captured.stored:
            for name, shown in zip(sessions, entries, strict=True):
                record_usage(self._store, self.project, name, shown, self._clock())
        return captured

    def append(self, thread_id: str, event: Message) -> Event:
        """Store one message on the named thread; a message with a known id is left unchanged.

        Its text is kept whole, without secrets; only `capture` removes noise.
        """
        thread = self._store.threads.get(thread_id)
        message = replace(event, thread=thread.id, id=event.id or f"msg_{uuid4().hex[:16]}")
        self._seen_from(thread.project).capture(message)
        return self._store.events.get(thread.project, str(message.id))

    def reindex(self, *, vectors: bool = True, progress: Progress = ignore_progress) -> int:
        """Rebuild everything derived from the events, and return how many events there are.

        Without `vectors`, the next `embed` finds the statements again.
        """
        from ai_smartness.capture.embed import all_models, replace_vectors
        from ai_smartness.capture.index import reindex
        from ai_smartness.statements.find import find_statements

        events = reindex(self._store, self.project, progress)
        self.tell(progress=progress)
        if vectors and self.embedder is not None:
            for model in all_models(self.embedder):
                replace_vectors(self._store, model, self.project, progress)
            find_statements(self._store, self.embedder, self.project, progress)
        return events

    def drop_vectors(self, *, but: str | None) -> int:
        """Drop the vectors of all models but one in every project, and return how many.

        Those of the model for other languages stay with it.
        """
        from ai_smartness.capture.embed import all_models

        counts = self._store.vector_index.space_counts()
        models = all_models(self.embedder) if but else []
        used = {but, *(model.space for model in models)}
        dropped = {space: count for space, count in counts.items() if space not in used}
        with self._store.unit():
            for project in self.projects():
                for space in dropped:
                    self._store.vector_index.clear(project.project, space)
        return sum(dropped.values())

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

        `before` limits the search to what existed then, `session` to one session. Pending
        messages are embedded first; with `wait=False` they are found by keyword only, as
        everything is with `words_only` or while the model is unreachable.
        """
        from ai_smartness.model.search import SearchScope

        linked = self._parts.linked
        scope = SearchScope(project=self.project, before=before, session=session, linked=linked)
        context = self._search_context(reranking=self._reranking())
        if wait and not words_only:
            words_only = not self._embed_before_search()
        return self._search_messages(query, limit, scope, words_only=words_only, context=context)

    def message(self, message_id: str) -> Event:
        """Return a message as it is stored, with its thread."""
        return self._store.events.get(self.project, message_id)

    def thread(self, thread_id: str) -> Thread:
        """Return the thread with this id, or this unique start of an id, as it stands now."""
        self._describe_new()
        thread = self._decayed_thread(self._store.threads.get(thread_id))
        series = self.drift(thread.id)
        return replace(thread, drift=series[-1]) if series else thread

    def thread_title(self, thread_id: str) -> str:
        """Return a thread's title as it was last described; no model is asked."""
        return self._store.threads.get(thread_id).title

    def threads(self) -> list[Thread]:
        """Return the project's threads as they stand now, the most recently active first."""
        self._describe_new()
        return [self._decayed_thread(thread) for thread in self._store.threads.all(self.project)]

    def titles(self, thread_ids: Iterable[str]) -> dict[str, str]:
        """Return the titles of threads by their ids; those that are gone have none."""
        self._describe_new()
        threads = self._store.threads
        return {id_: threads.get(id_).title for id_ in set(thread_ids) if threads.has(id_)}

    def thread_at(self, thread_id: str, at: datetime) -> PastThread:
        """Return a thread with its messages and bridges as it was at a moment."""
        from ai_smartness.threads.history import past_thread

        self._describe_new()
        return past_thread(self._store, thread_id, at, self._settings.decay.half_life_days)

    def events(self, thread_id: str) -> list[Event]:
        """Return the thread's working view: its events as an agent should see them."""
        from ai_smartness.condense.working_view import working_view

        return working_view(self._store, self._store.threads.get(thread_id))

    def all_events(self, thread_id: str) -> list[Event]:
        """Return every event of the thread in order, its COMPACTION events included."""
        from ai_smartness.condense.working_view import all_events_on

        return all_events_on(self._store, self._store.threads.get(thread_id))

    def notes(self, thread_id: str, events: Sequence[Event] | None = None) -> list[Annotation]:
        """Return the annotations of a thread's messages: why they are there, what they name.

        With `events`, only those of these messages.
        """
        self._describe_new()
        read = self.all_events(thread_id) if events is None else events
        seqs = [event.seq for event in read]
        annotations = self._store.annotations.of(seqs)
        return [annotations[seq] for seq in seqs if seq in annotations]

    def bridges(self, thread_id: str | None = None) -> list[Bridge]:
        """Return the bridges of a thread or of the project with today's weights, heaviest first."""
        self._describe_new()
        stored = (
            self._store.bridges.all(self.project)
            if thread_id is None
            else self._store.bridges.of(self._store.threads.get(thread_id).id)
        )
        return sorted(
            map(self._faded_bridge, stored), key=lambda bridge: (-bridge.weight, bridge.id)
        )

    def drift(self, thread_id: str) -> list[float]:
        """Measure after each message how far the thread had moved from its subject, 0–1."""
        from ai_smartness.threads.drift import drift_series

        thread, embedder = self._store.threads.get(thread_id), self._usable_embedder()
        if embedder is None:
            return []
        seqs = [event.seq for event in self._store.events.of_thread(thread.id)]
        vectors = self._store.vector_index.event_centres(thread.project, embedder.space, seqs)
        known = [vectors[seq] for seq in seqs if seq in vectors]
        return drift_series(known, embedder.unrelated_cosine)

    def status(self) -> MemoryStatus:
        """Return the state of the memory."""
        from ai_smartness.model.status import MemoryStatus

        projects = tuple(self.projects())
        own = next((count for count in projects if count.project == self.project), None)
        space, trouble = self._embedder_space()
        injected, used = self._store.ledger.usage_counts(self.project)
        return MemoryStatus(
            project=self.project,
            threads=own.threads if own else 0,
            events=own.events if own else 0,
            projects=projects,
            space=space,
            pending=self._pending_count(space) if space else 0,
            trouble=trouble,
            spaces=self._store.vector_index.space_counts(),
            injected=injected,
            used=used,
        )

    def projects(self) -> list[ProjectCount]:
        """Return every project with its number of threads and events."""
        return self._store.project_counts()

    def check(self) -> str:
        """Describe any damage of the store; return nothing if it is intact."""
        return self._store.check()

    def _embedder_space(self) -> tuple[str | None, str]:
        """Name the model's vector space, or say why the model cannot be used."""
        try:
            return (self.embedder.space if self.embedder else None), ""
        except AisError as error:
            # The status must be readable even then, and this belongs to it.
            return None, str(error)

    def _pending_count(self, space: str) -> int:
        index = self._store.vector_index
        return sum(index.count_missing(project, space) for project in self._visible_projects())


def _can_be_stored(session: object) -> bool:
    """Say whether a session can have this name; one that cannot is refused with its message."""
    return isinstance(session, str) and session.encode(errors="ignore").decode() == session
