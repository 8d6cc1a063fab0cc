"""The verbs that answer with threads: `recall` a question, `inject` memory into a turn."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ai_smartness.memory.base import MemoryBase, VerbCall, check_session
from ai_smartness.model.errors import NotFoundError, RefusedError

if TYPE_CHECKING:
    from datetime import datetime

    from ai_smartness.model.injection import Injection, PreparedInjection
    from ai_smartness.model.search import Hit, RecallResult
    from ai_smartness.model.session import LedgerPage, LineSource, Session
    from ai_smartness.model.status import PendingWork
    from ai_smartness.ports import ThreadStore

__all__ = ["RecallVerbs", "import_for_prompts"]

RECALL_CANDIDATES = 100  # messages searched for a recall, whose lines are compared
PART_CANDIDATES = 3  # the best messages of one part of a query
RECALL_THREADS = 12  # threads that an answer may quote: as many as its page has room for
REACTIVATED_ABOVE = 0.5  # a suspended thread with a higher relevance becomes active again
LONGEST_QUERY_CHARACTERS = 20_000
"""A pasted log of some pages. Every word is looked up, and megabytes would take minutes."""

PROMPT_RERANK_SECONDS = 0.3
"""How long after a prompt has come the reranker may work: less than a third of the time that the
hook waits."""

SYSTEM_SOURCE = "system"


class RecallVerbs(MemoryBase):
    """Questions and prompts are answered with threads."""

    def recall(
        self, query: str, limit: int = RECALL_THREADS, *, bring_back: bool = True
    ) -> RecallResult:
        """Return the lines that answer and their threads, the best first.

        Something is returned whenever the search finds anything; `is_weak` says that nothing
        matches well. The id of a thread, or the start of one, returns that thread. A
        suspended thread that answers well becomes active again, unless `bring_back` is
        false; it is returned as it was found.
        """
        from ai_smartness.redact import redacted_text
        from ai_smartness.views.recall import recall_log_line, recall_page

        _check_recall(query, limit)
        query = redacted_text(query)
        result = self._recalled_threads(query, limit)
        if bring_back:
            result = self._with_reactivated_threads(result)
        result = replace(result, text=recall_page(result))
        if self._parts.recall_log is not None:
            self._parts.recall_log(recall_log_line(result))
        return result

    def inject(
        self,
        text: str | Sequence[str],
        *,
        session: str | None = None,
        source: str = "user",
        budget: int | None = None,
        lasting: bool = True,
    ) -> Injection:
        """Return the memory to put in front of a turn; nothing where nothing is relevant.

        Several messages at once are one prompt. What the system says to itself
        (`source="system"`) is no prompt. With a session, entries that it can still see
        are not shown again; `lasting=False` is for an agent that does not keep in its
        history what it was shown, so that it sees nothing.
        """
        prepared = self.prepared_injection(
            text, session=session, source=source, budget=budget, lasting=lasting
        )
        return self.settle_injection(prepared)

    def prepared_injection(
        self,
        text: str | Sequence[str],
        *,
        session: str | None = None,
        source: str = "user",
        budget: int | None = None,
        lasting: bool = True,
    ) -> PreparedInjection:
        """Return what `inject` would; it counts as shown once `settle_injection` is called."""
        from ai_smartness.capture.clean import cleaned_text
        from ai_smartness.inject.inject import inject, load_session
        from ai_smartness.inject.prompt import combined_prompt
        from ai_smartness.model.injection import Injection, PreparedInjection
        from ai_smartness.model.session import Session
        from ai_smartness.search.cross_encoder import RERANKED_MATCHES

        started = perf_counter()
        prompt = cleaned_text(combined_prompt(text))
        check_session(session)
        if source == SYSTEM_SOURCE or not prompt.strip():
            nothing = Injection(took=perf_counter() - started)
            nobody = Session(id="", project=self.project)
            return PreparedInjection(injection=nothing, session=nobody, at=self._clock())

        reranking = self._reranking(until=started + PROMPT_RERANK_SECONDS)
        store = self._cached_reads()
        load_session(store, self._visible_projects(), session or "", self._clock())

        def search(query: str, limit: int, session_text: str) -> list[Hit]:
            # A part of the prompt needs its few best messages, in any order.
            whole = reranking if limit >= RERANKED_MATCHES else None
            context = self._search_context(session_text, whole)
            return self._search_messages(query, limit, context=context, store=store)

        turn = replace(
            self._coming_turn(store, session),
            prompt=prompt,
            budget=self._settings.inject.budget_tokens if budget is None else budget,
            embedder=self._reachable_embedder(),
            worktree=self._parts.worktree,
            lasting=lasting,
        )
        injection, beat = inject(store, search, turn, self._settings.inject)
        if reranking:
            injection = replace(injection, reranked=reranking.took)
        return self._prepared_injection(injection, replace(turn, beat=beat), started)

    def record_printed(
        self, session: str, lines: Mapping[str, Sequence[int]], *, prompt_id: str = ""
    ) -> None:
        """Count messages that a hook found and printed itself as shown, by thread.

        `prompt_id` is the message before which they were printed.
        """
        from ai_smartness.inject.dedupe import record_printed_lines

        turn = self._next_turn(session)
        shown_to = replace(turn.session, beat=turn.beat.number)
        prompt = self._stored_text(prompt_id)
        record_printed_lines(self._store, shown_to, lines, turn.now, prompt)

    def _stored_text(self, message_id: str) -> str:
        """Return a message's text; nothing if it was never stored, or forgotten since."""
        try:
            return self._store.events.get(self.project, message_id).text if message_id else ""
        except NotFoundError:
            return ""

    def with_memory(
        self, messages: Sequence[Mapping[str, Any]], *, session: str | None = None
    ) -> list[dict[str, Any]]:
        """Return a new list of messages with memory in front of the last prompt.

        For your own agent, in the shape of Anthropic's or OpenAI's messages. The given
        list is never changed, and its copy comes back unchanged if there is nothing to add.
        """
        from ai_smartness.inject.block import messages_with_block

        def injected_block(prompt: str) -> str:
            # The caller's history does not contain what was shown before.
            return self.inject(prompt, session=session, lasting=False).text

        return messages_with_block(messages, injected_block)

    def why(
        self, session: str | None = None, limit: int = 10, *, before: datetime | None = None
    ) -> list[LedgerPage]:
        """Return the latest turns: what was shown, what was left out, and the numbers.

        The start of a session's id is enough. `before` leaves out the turns from that time on.
        """
        whole = None if session is None else self.session_id(session)
        return self._store.ledger.latest_pages(self.project, whole, limit, before)

    def line_sources(self, seqs: Iterable[int]) -> dict[int, LineSource]:
        """Return the messages that shown lines are from, by number; those that are gone have none.

        With each come the statements in it that nobody rejected.
        """
        from ai_smartness.model.event import event_origin, event_tier
        from ai_smartness.model.session import LineSource

        visible = self._visible_projects()
        found = self._store.events.by_seq(seqs).items()
        events = {seq: event for seq, event in found if event.project in visible}
        statements = self._store.statements.of_events(events)
        return {
            seq: LineSource(
                message_id=event.id,
                tier=event_tier(event),
                origin=event_origin(event),
                statements=tuple(statements.get(seq, ())),
            )
            for seq, event in events.items()
        }

    def sessions(self, ids: Iterable[str]) -> dict[str, Session]:
        """Return sessions of the project by their ids; those that are not known have none."""
        threads = self._store.threads
        known = ((id_, threads.find_session(self.project, id_)) for id_ in set(ids))
        return {id_: session for id_, session in known if session is not None}

    def session_id(self, start: str) -> str:
        """Return the whole id of the session that begins so; `start` itself if none does."""
        return self._store.threads.session_id(self.project, start)

    def _recalled_threads(self, query: str, limit: int) -> RecallResult:
        from ai_smartness.search.recall import RecallRules, recalled_by_id, recalled_by_words
        from ai_smartness.threads.ids import names_thread

        rules = RecallRules(
            floor=self._settings.recall.floor,
            now=self._clock(),
            half_life_days=self._settings.decay.half_life_days,
        )
        worktree, pending = self._parts.worktree, self._pending_work()
        self._describe_pending(pending)
        if names_thread(self._store, query):
            return recalled_by_id(self._store, query, rules, worktree)
        store = self._cached_reads()
        hits = self._recall_hits(query, limit, store, pending)
        services = self._reachable_embedder(), worktree
        return recalled_by_words(store, self.project, (query, hits), limit, rules, services)

    def _recall_hits(
        self,
        query: str,
        limit: int = RECALL_THREADS,
        store: ThreadStore | None = None,
        pending: Collection[PendingWork] | None = None,
    ) -> list[Hit]:
        """Search for a question as a whole and part by part."""
        from ai_smartness.search.answer_lines import merged_hits
        from ai_smartness.search.query_parts import query_parts
        from ai_smartness.search.rejected_sentences import rejected_hashes
        from ai_smartness.search.statement_matches import statement_vector_reads

        context = self._search_context(reranking=self._reranking())
        candidates = max(RECALL_CANDIDATES, limit)
        store = store or self._cached_reads()
        by_words = not self._embed_before_search(pending)
        search_whole = partial(self._search_messages, words_only=by_words, context=context)
        projects, parts = self._visible_projects(), query_parts(query)
        whole, *others = store.read_together(
            partial(search_whole, query, candidates, store=store),
            *(partial(self._search_messages, part, PART_CANDIDATES, store=store) for part in parts),
            partial(rejected_hashes, store, projects),
            *statement_vector_reads(store, self._reachable_embedder(), projects),
        )
        return merged_hits(whole, others[: len(parts)])

    def _with_reactivated_threads(self, result: RecallResult) -> RecallResult:
        """Reactivate the suspended threads that answer well, and mark them in the result."""
        from ai_smartness.model.thread import Status
        from ai_smartness.threads.lifecycle import reactivate_all

        ids: dict[str, list[str]] = {}
        for match in result.threads:
            if match.thread.status is Status.SUSPENDED and match.relevance > REACTIVATED_ABOVE:
                ids.setdefault(match.thread.project, []).append(match.thread.id)
        now, days = self._clock(), self._settings.decay.half_life_days
        reactivated = set[str]()
        for project, suspended in ids.items():
            plan = partial(reactivate_all, self._store, project, suspended, now, days)
            # Newly captured threads were described before the search.
            call = VerbCall("recall", {"query": result.query}, projects=(project,))
            outcome = self._apply_plan(call, plan)
            reactivated |= {edit.id for edit in outcome.change.threads}
        threads = (
            replace(match, reactivated=match.thread.id in reactivated) for match in result.threads
        )
        return replace(result, threads=tuple(threads))


def import_for_prompts() -> None:
    """Import what the first `inject` of a memory imports.

    A prompt would otherwise wait while a background thread imports the same module.
    """
    import ai_smartness.capture.annotate
    import ai_smartness.capture.assign.assigner
    import ai_smartness.capture.index
    import ai_smartness.capture.validate
    import ai_smartness.inject.inject
    import ai_smartness.memory.cached_reads
    import ai_smartness.memory.reranking
    import ai_smartness.search.cross_encoder
    import ai_smartness.search.search  # noqa: F401


def _check_recall(query: object, limit: object) -> None:
    if not isinstance(query, str):
        msg = f"what is recalled must be text, not {type(query).__name__}."
        raise RefusedError(msg)
    if not query.strip():
        msg = "cannot recall: no question is given. Ask with the words that matter."
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
