"""The verbs that steer what agents are shown: focus, pin and rate, and the suggestions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from ai_smartness.memory.base import MemoryBase, VerbCall, check_session
from ai_smartness.model.errors import RefusedError
from ai_smartness.redact import redacted_text

if TYPE_CHECKING:
    from ai_smartness.model.focus import Focus
    from ai_smartness.model.journal import Outcome
    from ai_smartness.model.statement import StatementKind
    from ai_smartness.model.suggestion import Suggestions
    from ai_smartness.model.thread import Kind

__all__ = ["SteeringVerbs"]

TOPIC_CHARACTERS = 200
REASON_CHARACTERS = 2_000
CONTEXT_CANDIDATES = 60  # messages searched for a context: enough for the topics that are named
RECENT_EVENTS = 50  # events of a session among which its latest prompt is


class SteeringVerbs(MemoryBase):
    """Agents and users steer what is shown."""

    def focus(
        self,
        topic: str,
        weight: float = 0.8,
        *,
        session: str | None = None,
        until: datetime | None = None,
    ) -> Outcome:
        """Put a topic or a thread in focus: whatever is about it is shown first.

        The focus belongs to one session, or to all, and lasts until a moment or until
        `unfocus`. A thread in focus by its id is shown whatever the prompt is, even an
        archived one: somebody asked for it.
        """
        from ai_smartness.model.focus import Focus
        from ai_smartness.threads.focus import affected_threads, focus, resolved_focus

        check_session(session)
        wanted = Focus(
            topic=_topic_line(topic),
            weight=_checked_weight(weight),
            set_at=self._clock(),
            session=session or None,
            until=_checked_until(until),
        )
        self._describe_new()
        wanted = resolved_focus(self._store, self.project, wanted)
        # Counted before the change: nobody waits for a lock while all threads are looked at.
        affected = affected_threads(self._store, self.project, wanted)
        arguments = {
            "topic": wanted.topic,
            "weight": wanted.weight,
            "until": wanted.until.isoformat() if wanted.until else None,
        }
        plan = partial(focus, self._store, self.project, wanted, len(affected))
        outcome = self._run_verb(VerbCall("focus", arguments, session=wanted.session), plan)
        return replace(outcome, threads=tuple(map(self._decayed_thread, affected)))

    def unfocus(self, topic: str | None = None, *, session: str | None = None) -> Outcome:
        """Remove a topic or a thread from focus, or everything.

        With a session, that covers its own foci and the lasting ones; without one, the
        foci of every session.
        """
        from ai_smartness.threads.focus import unfocus

        check_session(session)
        line = None if topic is None else _topic_line(topic)
        call = VerbCall("unfocus", {"topic": line}, session=session or None)
        plan = partial(unfocus, self._store, self.project, line, session or None)
        return self._run_verb(call, partial(plan, now=self._clock()))

    def foci(self, session: str | None = None) -> list[Focus]:
        """Return the foci in force: the lasting ones, and the session's own."""
        from ai_smartness.threads.focus import foci_in_force

        check_session(session)
        projects = self._visible_projects()
        return foci_in_force(self._store, projects, session or None, self._clock())

    def pin(
        self,
        content: str,
        *,
        title: str | None = None,
        topics: Sequence[str] = (),
        weight_boost: float = 0.3,
        kind: Kind | StatementKind | str | None = None,
        session: str | None = None,
    ) -> Outcome:
        """Keep a text word for word, on a thread of its own that weighs more and never fades.

        With a kind of statement, such as a rule or a decision, it is a confirmed statement.

        Pinning the same text again updates that pin: it takes the new title, topics and
        kind, never loses weight, and becomes active again.
        """
        from ai_smartness.capture.annotate import store_pin
        from ai_smartness.threads.pin import pin, pin_event, validated_pin
        from ai_smartness.threads.pin_statement import pinned_statement

        check_session(session)
        wanted = validated_pin(content, title, topics, weight_boost, kind)
        wanted = replace(
            wanted,
            text=redacted_text(wanted.text),
            title=None if wanted.title is None else redacted_text(wanted.title),
            topics=tuple(redacted_text(topic) for topic in wanted.topics),
        )
        event = pin_event(self.who.kind, wanted, self.project, session or None, self._clock())
        pinned_kind = wanted.states or wanted.kind
        arguments = {
            "message": event.id,
            "title": wanted.title,
            "topics": list(wanted.topics),
            "weight_boost": wanted.boost,
            "kind": pinned_kind.value if pinned_kind else None,
        }
        call = VerbCall("pin", arguments, session=event.session)
        self._describe_new()
        with self._store.unit(*self._visible_projects()):
            outcome = self._run_verb(call, partial(pin, self._store, event, wanted))
            id_ = outcome.threads[0].id
            store_pin(self._store, replace(event, thread_id=id_), self._capture_context())
            if wanted.states:
                stored = self._store.events.get(self.project, event.id)
                self._store.statements.add(self.project, [pinned_statement(stored, wanted.states)])
        self._store.word_index.refresh_index(self.project)
        self._describe_new()
        self._embed_threads(id_)
        return replace(outcome, threads=(self._decayed_thread(self._store.threads.get(id_)),))

    def rate(self, thread_id: str, *, useful: bool, reason: str | None = None) -> Outcome:
        """Rate a thread that was shown: it is shown more or less often from now on.

        Name the thread by its id, the start of its id, or the id of one of its messages.
        """
        from ai_smartness.model.thread import Rating
        from ai_smartness.threads.rate import rate
        from ai_smartness.threads.rename import validated_line, validated_text

        name = validated_line("the id of a thread", thread_id, TOPIC_CHARACTERS)
        why = None
        if reason is not None and validated_text("the reason of a rating", reason, None).strip():
            why = redacted_text(validated_line("the reason of a rating", reason, REASON_CHARACTERS))
        rating = Rating(useful=_checked_bool(useful), at=self._clock(), reason=why)
        call = VerbCall("rate", {"thread": name, "useful": useful, "reason": why})
        return self._run_verb(call, partial(rate, self._store, self.project, name, rating))

    def suggestions(self, context: str | None = None, *, session: str | None = None) -> Suggestions:
        """Suggest what to merge, split, recall, settle or let go, and report the memory's health.

        `context` is the subject at hand; without one it is the session's latest prompt.
        Threads that the session can still see are left out.
        """
        from ai_smartness.compact.plan import STRATEGIES
        from ai_smartness.model.compaction import CompactionStrategy
        from ai_smartness.suggest.suggest import SuggestRequest, suggest

        _check_context(context)
        check_session(session)
        self._describe_new()
        query = self._latest_prompt(session) if context is None else context
        self._embed_pending()
        hits = self._search_messages(query, CONTEXT_CANDIDATES) if query.strip() else []
        limits = STRATEGIES[CompactionStrategy.NORMAL]
        request = SuggestRequest(
            project=self.project,
            now=self._clock(),
            half_life_days=self._settings.decay.half_life_days,
            session=self._stored_session(session) if session else None,
            embedder=self._reachable_embedder(),
            worktree=self._parts.worktree,
            floor=self._settings.recall.floor,
            depth_turns=self._settings.inject.depth_turns,
            token_budget=self._settings.inject.budget_tokens,
            allowed_threads=limits.max_active_threads,
            merge_threshold=limits.merge_threshold,
        )
        return suggest(self._store, hits, request)

    def _latest_prompt(self, session: str | None) -> str:
        """Return the session's latest prompt that says something; nothing without a session."""
        from ai_smartness.inject.prompt import has_telling_words
        from ai_smartness.model.event import is_by_agent

        if not session:
            return ""
        latest = self._store.events.latest_of_session(self.project, session, RECENT_EVENTS)
        prompts = (event.text for event in latest if not is_by_agent(event))
        return next(filter(has_telling_words, prompts), "")


def _topic_line(topic: str) -> str:
    from ai_smartness.threads.rename import validated_line

    return redacted_text(validated_line("the topic of a focus", topic, TOPIC_CHARACTERS))


def _check_context(context: object) -> None:
    if context is not None and not isinstance(context, str):
        msg = f"what suggestions are for must be text, not {type(context).__name__}."
        raise RefusedError(msg)


def _checked_bool(value: object) -> bool:
    if not isinstance(value, bool):
        msg = f"whether a thread was useful must be true or false, not {value!r}."
        raise RefusedError(msg)
    return value


def _checked_weight(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = f"the weight of a focus must be a number from 0 to 1, not {value!r}."
        raise RefusedError(msg)
    return float(value)


def _checked_until(value: object) -> datetime | None:
    from ai_smartness.model.event import as_utc

    if value is None:
        return None
    if not isinstance(value, datetime):
        msg = f"a focus ends at a moment (a datetime), not at {value!r}."
        raise RefusedError(msg)
    try:
        return as_utc(value)
    except (OverflowError, ValueError) as error:
        msg = f"a focus cannot end at {value}: in UTC it is not within the years 1 to 9999."
        raise RefusedError(msg) from error
