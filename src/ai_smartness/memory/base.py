"""What every verb of `Memory` needs: the store, the clock, the models, and how a change is made.

A changing verb plans its change, then carries it out together with its journal entry in
one transaction. With `dry_run` the plan is only returned. Stages are imported inside the
methods that use them: opening a memory must not load what this call does not need.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from time import perf_counter
from types import FunctionType
from typing import TYPE_CHECKING, Self

from ai_smartness.memory.verb_turns import taking_turns
from ai_smartness.model.errors import AisError, RefusedError, StoreError

if TYPE_CHECKING:
    from ai_smartness.capture.annotate import CaptureContext
    from ai_smartness.capture.assign.assigner import ThreadAssigner
    from ai_smartness.capture.capture import Captured
    from ai_smartness.capture.describe_threads import DescriptionUpdater
    from ai_smartness.inject.inject import PromptTurn
    from ai_smartness.memory.parts import MemoryParts
    from ai_smartness.memory.reranking import TimedReranking
    from ai_smartness.model.bridge import Bridge
    from ai_smartness.model.event import Message
    from ai_smartness.model.injection import Injection, PreparedInjection
    from ai_smartness.model.journal import Actor, JournalEntry, Outcome
    from ai_smartness.model.search import Hit, SearchScope
    from ai_smartness.model.session import Session
    from ai_smartness.model.status import PendingWork
    from ai_smartness.model.thread import Thread
    from ai_smartness.ports import Embedder, Progress, ThreadStore
    from ai_smartness.search.search import SearchContext
    from ai_smartness.settings.schema import Settings
    from ai_smartness.threads.change_plan import ChangePlan

__all__ = ["MemoryBase", "VerbCall", "check_session", "ignore_progress"]

_LOG = logging.getLogger(__name__)

COLD_EVENTS = 500
"""The largest project whose past is read fast enough to describe threads during a capture."""

EMBEDDED_AT_ONCE = 512
"""The latest messages of a thread that a verb embeds itself: some seconds at most."""

JUDGED_AT_ONCE = 128
"""The messages whose statements a search finds first: a few seconds at most."""

UNTURNED_VERBS = frozenset({"condense", "pressure"})
"""Verbs that do not keep other threads waiting: they may ask a language model for a minute, and
hold nothing in memory that another thread could change."""


def ignore_progress(done: int, total: int) -> None:
    """Report progress to nobody."""


@dataclass(frozen=True, slots=True)
class VerbCall:
    """A verb as it was called, for the journal.

    `projects` are those that it may change, if it is not all that are visible.
    """

    verb: str
    arguments: Mapping[str, object]
    dry_run: bool = False
    session: str | None = None
    undoes: int | None = None
    projects: tuple[str, ...] = ()


class MemoryBase:
    """A memory seen from one project, before it has any verbs.

    Threads that share a memory take turns, verb by verb: each runs alone.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, member in list(vars(cls).items()):
            is_verb = isinstance(member, FunctionType) and not name.startswith("_")
            if is_verb and name not in UNTURNED_VERBS:
                setattr(cls, name, taking_turns(member))

    def __init__(
        self, parts: MemoryParts, project: str, settings: Settings, who: Actor | None = None
    ) -> None:
        from ai_smartness.model.journal import Actor

        self._parts = parts
        self._clock = parts.clock
        self._settings = settings
        self.project = project
        # No id of another project leads anywhere; only verbs for the whole memory use all of it.
        self._store = parts.store.limited_to(self._visible_projects())
        self.who = who or Actor()
        self._loaded_embedder: tuple[Embedder | None] | None = None

    @property
    def embedder(self) -> Embedder | None:
        """The embedding model, loaded on first use."""
        # No `cached_property`: up to Python 3.11 its lock is one for all memories, and a prompt
        # would wait until the memory of the background jobs has loaded the model.
        if self._loaded_embedder is None:
            self._loaded_embedder = (self._parts.embedder(),)
        return self._loaded_embedder[0]

    @embedder.setter
    def embedder(self, model: Embedder | None) -> None:
        self._loaded_embedder = (model,)

    def tell(self, *, progress: Progress = ignore_progress) -> int:
        """Describe and link the threads of newly captured events, and return how many events.

        Every verb that reads threads does this first. Call it yourself to see the
        progress after capturing a long history. Without a model, it also finds the statements
        among the messages, by plain rules.
        """
        return self._describe(progress)

    def _describe(self, progress: Progress, *, is_new: bool = False) -> int:
        context = self._capture_context()
        events = self._describer.describe_pending(self._store, context, progress, is_new=is_new)
        self._find_plain_statements(progress)
        return events

    def embed(self, *, progress: Progress = ignore_progress) -> int:
        """Embed the captured events that have no embedding yet, and return how many.

        Their statements are found afterwards.
        """
        embedded = self._embed_messages(progress)
        if self.embedder is not None:
            self._find_statements(self.embedder, progress)
        return embedded

    def _embed_messages(self, progress: Progress) -> int:
        from ai_smartness.capture.embed import all_models, embed

        embedded = 0
        for model in all_models(self.embedder):
            counts = [embed(self._store, model, one, progress) for one in self._visible_projects()]
            # A message counts once, for the model that may not have seen it yet.
            embedded = max(embedded, sum(counts))
        return embedded

    def _pending_work(self) -> Collection[PendingWork]:
        """Return what is still to be derived from the events of each visible project."""
        from ai_smartness.capture.embed import all_models
        from ai_smartness.statements.find import judge_name

        embedder = self._reachable_embedder()
        spaces = [model.space for model in all_models(embedder)]
        judge = judge_name(embedder) if self._parts.finds_statements else None
        return self._store.pending_work(self._visible_projects(), spaces, judge).values()

    def _embed_for_reading(self, pending: Collection[PendingWork] | None = None) -> None:
        """Embed what is pending; find its statements too unless somebody would have to wait."""
        embedder = self.embedder
        if embedder is None:
            return
        pending = self._pending_work() if pending is None else pending
        if any(work.unembedded for work in pending):
            self._embed_messages(ignore_progress)
        else:
            self._refresh_vector_indexes()
        unjudged = [work.unjudged for work in pending]
        if any(unjudged) and max(unjudged) <= JUDGED_AT_ONCE:
            self._find_statements(embedder, ignore_progress)

    def _refresh_vector_indexes(self) -> None:
        from ai_smartness.capture.embed import all_models

        index, models = self._store.vector_index, all_models(self.embedder)
        self._store.read_together(
            *(
                partial(index.refresh_index, project, model.space, ignore_progress)
                for project in self._visible_projects()
                for model in models
            )
        )

    def _embed_before_search(self, pending: Collection[PendingWork] | None = None) -> bool:
        """Embed what is pending if this memory waits for it; say whether the model works."""
        try:
            if self._parts.patient:
                self._embed_for_reading(pending)
        except StoreError as error:
            # The model is unreachable. If it is the store, the search raises again.
            _LOG.warning("searching by words alone: %s", error)
            return False
        return True

    def _find_statements(self, embedder: Embedder | None, progress: Progress) -> None:
        from ai_smartness.statements.find import find_statements

        if self._parts.finds_statements:
            for project in self._visible_projects():
                find_statements(self._store, embedder, project, progress)

    def _find_plain_statements(self, progress: Progress) -> None:
        """Find statements by plain rules if there is no model; one that is broken may come back."""
        with suppress(AisError):
            if self.embedder is None:
                self._find_statements(None, progress)

    @cached_property
    def _assign_state(self) -> ThreadAssigner:
        from ai_smartness.capture.assign import AssignWeights
        from ai_smartness.capture.assign.assigner import ThreadAssigner

        weights, space = AssignWeights(), None
        embedder = self._usable_embedder()
        if embedder is not None:
            # A served model is only known to be there once it has answered.
            with suppress(StoreError):
                weights = replace(weights, unrelated_cosine=embedder.unrelated_cosine)
                space = embedder.space
        return ThreadAssigner(self.project, weights, space, self._parts.block_events)

    @cached_property
    def _describer(self) -> DescriptionUpdater:
        from ai_smartness.capture.describe_threads import DescriptionUpdater

        return DescriptionUpdater(self.project, self._parts.block_events)

    def _capture_context(self) -> CaptureContext:
        from ai_smartness.capture.annotate import CaptureContext

        return CaptureContext(
            now=self._clock(), embedder=self._usable_embedder(), worktree=self._parts.worktree
        )

    def _capture_messages(
        self, messages: Iterable[Message], progress: Progress = ignore_progress
    ) -> Captured:
        """Store messages; describe their threads too unless somebody would have to wait for it."""
        from ai_smartness.capture.capture import LIVE_MESSAGES, capture

        captured = capture(
            self._store, self._assign_state, messages, self._capture_context(), progress
        )
        is_quick = (
            not self._describer.is_cold or self._store.events.count(self.project) <= COLD_EVENTS
        )
        if captured.stored + captured.known <= LIVE_MESSAGES and is_quick:
            self._describe_new(is_new=bool(captured.stored))
        return captured

    def _search_messages(
        self,
        query: str,
        limit: int,
        scope: SearchScope | None = None,
        *,
        words_only: bool = False,
        context: SearchContext | None = None,
        store: ThreadStore | None = None,
    ) -> list[Hit]:
        from ai_smartness.model.search import SearchScope
        from ai_smartness.search.wording import search_wordings

        scope = scope or SearchScope(project=self.project, linked=self._parts.linked)
        context, store = context or self._search_context(), store or self._cached_reads()
        if not words_only:
            try:
                return search_wordings(store, self.embedder, query, scope, limit, context)
            except StoreError as error:
                # The model is unreachable. If it is the store, the next line raises again.
                _LOG.warning("searching by words alone: %s", error)
        return search_wordings(store, None, query, scope, limit, context)

    def _cached_reads(self) -> ThreadStore:
        """Return the store for the reads of one verb, of which none is asked twice."""
        from ai_smartness.memory.cached_reads import cached_reads

        return cached_reads(self._store)

    def _search_context(
        self, session_text: str = "", reranking: TimedReranking | None = None
    ) -> SearchContext:
        from ai_smartness.search.search import SearchContext

        reorder = reranking.reordered if reranking else None
        return SearchContext(self._settings.search, self._clock(), session_text, reorder)

    def _reranking(self, until: float = math.inf) -> TimedReranking | None:
        """Return a use of the reranker until a time; nothing if there is none, or it is broken."""
        from ai_smartness.memory.reranking import TimedReranking

        try:
            reranker = self._parts.reranker() if self._parts.reranker else None
        except AisError as error:
            _LOG.warning("searching without the reranker: %s", error)
            return None
        return TimedReranking(reranker, until=until) if reranker else None

    def _visible_projects(self) -> tuple[str, ...]:
        from ai_smartness.model.search import SearchScope

        return SearchScope(project=self.project, linked=self._parts.linked).projects

    def _usable_embedder(self) -> Embedder | None:
        """Return the model, or nothing if it cannot be loaded: capture works without one."""
        try:
            return self.embedder
        except AisError:
            return None

    def _reachable_embedder(self) -> Embedder | None:
        """Return the model if it answers: a served one may be gone by now."""
        embedder = self._usable_embedder()
        with suppress(StoreError):
            return embedder if embedder is not None and embedder.space else None
        return None

    def _embed_threads(self, *thread_ids: str) -> None:
        """Embed the pending messages of threads, so that their centres cover all messages."""
        from ai_smartness.capture.embed import embed_events

        embedder = self._usable_embedder()
        if embedder is None:
            return
        for id_ in thread_ids:
            thread = self._store.threads.get(id_)
            events = self._store.events.of_thread(thread.id)
            try:
                embed_events(self._store, embedder, thread.project, events[-EMBEDDED_AT_ONCE:])
            except StoreError as error:
                # The model is unreachable: the verb goes on, and embedding is made up for later.
                _LOG.warning("%s is not embedded: %s", thread.id, error)

    def _embed_pending(self) -> None:
        """Describe and embed new messages, unless a background job embeds them."""
        self._describe_new()
        if self._parts.patient and self._reachable_embedder() is not None:
            try:
                self._embed_for_reading()
            except StoreError as error:
                _LOG.warning("using what was embedded before: %s", error)

    def _describe_pending(self, pending: Collection[PendingWork]) -> None:
        """Describe newly captured threads if there are any, and find plain statements."""
        # Its own project is the first; without a model, the plain rules find statements.
        is_unjudged = self._reachable_embedder() is None and any(one.unjudged for one in pending)
        if is_unjudged or next(iter(pending)).is_undescribed:
            self._describe_new()

    def _describe_new(self, *, is_new: bool = False) -> None:
        """Describe newly captured threads; if the store refuses, use the last descriptions."""
        try:
            self._describe(ignore_progress, is_new=is_new)
        except StoreError as error:
            _LOG.warning("threads are as they were last described: %s", error)

    def _decayed_thread(self, thread: Thread) -> Thread:
        from ai_smartness.threads.decay import decayed_thread

        return decayed_thread(thread, self._clock(), self._settings.decay.half_life_days)

    def _faded_bridge(self, bridge: Bridge) -> Bridge:
        from dataclasses import replace

        from ai_smartness.threads.link import faded_bridge_weight

        days = self._settings.decay.half_life_days
        return replace(bridge, weight=faded_bridge_weight(bridge, self._clock(), days))

    def _stored_session(self, session: str | None, store: ThreadStore | None = None) -> Session:
        """Return a session as it is stored, or a new one."""
        from ai_smartness.model.session import Session

        threads = (store or self._store).threads
        stored = threads.find_session(self.project, session) if session else None
        return stored or Session(id=session or "", project=self.project, client=self.who.client)

    def _next_turn(self, session: str | None) -> PromptTurn:
        """Return the session's next turn, still without a prompt."""
        from ai_smartness.inject.block import current_beat

        turn, minutes = self._coming_turn(self._store, session), self._settings.inject.beat_minutes
        return replace(turn, beat=current_beat(self._store, turn.session, turn.now, minutes))

    def _coming_turn(self, store: ThreadStore, session: str | None) -> PromptTurn:
        """Return the session's next turn, without a prompt and a beat."""
        from ai_smartness.inject.inject import PromptTurn

        stored = self._stored_session(session, store)
        return PromptTurn(
            projects=self._visible_projects(),
            session=replace(stored, turn=stored.turn + 1),
            now=self._clock(),
            half_life_days=self._settings.decay.half_life_days,
        )

    def settle_injection(self, prepared: PreparedInjection, *, is_shown: bool = True) -> Injection:
        """Record that the agent has seen a prepared injection, or that it came too late."""
        from ai_smartness.inject.dedupe import record_injection

        if prepared.session.id:
            record_injection(self._store, prepared, is_shown=is_shown)
        return prepared.injection

    def _prepared_injection(
        self, injection: Injection, turn: PromptTurn, started: float
    ) -> PreparedInjection:
        """Return an injection with its duration, for the session's next turn."""
        from ai_smartness.model.injection import PreparedInjection

        session = replace(turn.session, beat=turn.beat.number)
        injection = replace(injection, took=perf_counter() - started)
        return PreparedInjection(
            injection=injection, session=session, at=turn.now, prompt=turn.prompt
        )

    def _seen_from(self, project: str) -> Self:
        """Return the same memory seen from another project."""
        if project == self.project:
            return self
        parts = replace(self._parts, embedder=lambda: self.embedder, worktree=None, linked=())
        return type(self)(parts, project, self._settings, self.who)

    def _run_verb(self, call: VerbCall, make_plan: Callable[[], ChangePlan]) -> Outcome:
        """Describe newly captured threads, then plan and apply a change."""
        self._describe_new()
        return self._apply_plan(call, make_plan)

    def _apply_plan(self, call: VerbCall, make_plan: Callable[[], ChangePlan]) -> Outcome:
        """Plan a change and carry it out, unless it is a dry run."""
        from ai_smartness.threads.change_plan import carry_out

        if call.dry_run:
            return self._verb_outcome(call, make_plan(), None)
        with self._store.unit(*(call.projects or self._visible_projects())):
            # Planned under the lock: its premises cannot change before it is carried out.
            plan = make_plan()
            number = None
            if plan.change:
                number = carry_out(self._store, self._journal_entry(call, plan)).seq
            return self._verb_outcome(call, plan, number)

    def _journal_entry(self, call: VerbCall, plan: ChangePlan) -> JournalEntry:
        from ai_smartness.model.journal import JournalEntry
        from ai_smartness.redact import redacted_fields

        return JournalEntry(
            project=plan.project,
            at=self._clock(),
            who=self.who,
            verb=call.verb,
            arguments=redacted_fields(dict(call.arguments)),
            said=plan.sentence,
            change=plan.change,
            session=call.session,
            undoes=call.undoes,
        )

    def _verb_outcome(self, call: VerbCall, plan: ChangePlan, number: int | None) -> Outcome:
        from ai_smartness.model.journal import Outcome

        edits = {edit.id: edit.after for edit in plan.change.threads}
        threads = (
            edits[id_] if id_ in edits else self._store.threads.get(id_)
            for id_ in plan.thread_ids
            if id_ in edits or self._store.threads.has(id_)
        )
        return Outcome(
            verb=call.verb,
            said=plan.sentence,
            number=number,
            threads=tuple(self._decayed_thread(thread) for thread in threads if thread is not None),
            change=plan.change,
        )


def check_session(session: object) -> None:
    """Refuse what cannot be a session's name: no message would ever carry it."""
    from ai_smartness.capture.clean import sanitized_text
    from ai_smartness.capture.validate import LONGEST_ID_CHARACTERS

    if session is None:
        return
    name = session if isinstance(session, str) else None
    if name is None or len(name) > LONGEST_ID_CHARACTERS or name != sanitized_text(name):
        msg = f"{str(session)[:40]!r} cannot be a session's name. Give the one of its messages."
        raise RefusedError(msg)
