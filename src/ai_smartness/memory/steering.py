"""The verbs by which an agent or its user steers what is shown: focus, pin, rate.

The verb that says what could be done.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from ai_smartness.capture.annotate import store_pin
from ai_smartness.compact.plan import STRATEGIES
from ai_smartness.inject.prompt import has_telling_words
from ai_smartness.memory.recall import check_session
from ai_smartness.memory.threads import ThreadVerbs, VerbCall
from ai_smartness.model.compaction import CompactionStrategy
from ai_smartness.model.errors import RefusedError, StoreError
from ai_smartness.model.event import as_utc, is_by_agent
from ai_smartness.model.focus import Focus
from ai_smartness.model.journal import Outcome
from ai_smartness.model.search import SearchScope
from ai_smartness.model.session import Session
from ai_smartness.model.suggestion import Suggestions
from ai_smartness.model.thread import Kind, Rating
from ai_smartness.redact import redacted_text
from ai_smartness.suggest.suggest import SuggestRequest, suggest
from ai_smartness.threads.focus import (
    affected_threads,
    foci_in_force,
    focus,
    resolved_focus,
    unfocus,
)
from ai_smartness.threads.pin import pin, pin_event, validated_pin
from ai_smartness.threads.rate import rate
from ai_smartness.threads.rename import validated_line, validated_text

__all__ = ["SteeringVerbs", "SuggestionVerbs"]


TOPIC_CHARACTERS = 200
REASON_CHARACTERS = 2_000


class SteeringVerbs(ThreadVerbs):
    """What is shown is steered."""

    def focus(
        self,
        topic: str,
        weight: float = 0.8,
        *,
        session: str | None = None,
        until: datetime | None = None,
    ) -> Outcome:
        """Put a topic or a thread in focus: what is about it is shown before the rest.

        For one session, or lasting; until a moment, or until `unfocus`. A thread that
        is named by its id is shown whatever is asked, even one that was archived:
        somebody asked for it.
        """
        check_session(session)
        wanted = Focus(
            topic=redacted_text(validated_line("the topic of a focus", topic, TOPIC_CHARACTERS)),
            weight=_checked_weight(weight),
            set_at=self._clock.now(),
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
        deed = VerbCall(verb="focus", arguments=arguments, session=wanted.session)
        plan = partial(focus, self._store, self.project, wanted, len(affected))
        return replace(
            self._run_verb(deed, plan),
            threads=tuple(self._decayed_thread(each) for each in affected),
        )

    def unfocus(self, topic: str | None = None, *, session: str | None = None) -> Outcome:
        """Take a topic or a thread out of focus, or everything.

        With a session that is what it has in focus itself and what is lasting;
        without one, what any session has.
        """
        check_session(session)
        line = None
        if topic is not None:
            line = redacted_text(validated_line("the topic of a focus", topic, TOPIC_CHARACTERS))
        deed = VerbCall(verb="unfocus", arguments={"topic": line}, session=session or None)
        plan = partial(unfocus, self._store, self.project, line, session or None)
        return self._run_verb(deed, partial(plan, now=self._clock.now()))

    def foci(self, session: str | None = None) -> list[Focus]:
        """Return what is in focus now: what is lasting, and the session's own."""
        check_session(session)
        sight = SearchScope(project=self.project).projects
        return foci_in_force(self._store, sight, session or None, self._clock.now())

    def pin(
        self,
        content: str,
        *,
        title: str | None = None,
        topics: Sequence[str] = (),
        weight_boost: float = 0.3,
        kind: Kind | None = None,
        session: str | None = None,
    ) -> Outcome:
        """Keep something as it is, on a thread of its own that weighs more and never fades.

        The same words pinned twice are one pin: it takes the title, the topics and the
        kind that are given anew, never weighs less, and is active again.
        """
        check_session(session)
        wanted = validated_pin(content, title, topics, weight_boost, kind)
        wanted = replace(
            wanted,
            text=redacted_text(wanted.text),
            title=None if wanted.title is None else redacted_text(wanted.title),
            topics=tuple(redacted_text(topic) for topic in wanted.topics),
        )
        said = pin_event(self.who.kind, wanted, self.project, session or None, self._clock.now())
        arguments = {
            "message": said.id,
            "title": wanted.title,
            "topics": list(wanted.topics),
            "weight_boost": wanted.boost,
            "kind": wanted.kind.value if wanted.kind else None,
        }
        deed = VerbCall(verb="pin", arguments=arguments, session=said.session)
        self._describe_new()
        with self._store.unit():
            done = self._run_verb(deed, partial(pin, self._store, said, wanted))
            id_ = done.threads[0].id
            store_pin(self._store, replace(said, thread_id=id_), self._capture_context())
        self._store.word_index.refresh_index(self.project)
        self._describe_new()
        self._embed_threads(id_)
        return replace(done, threads=(self._decayed_thread(self._store.threads.get(id_)),))

    def rate(self, thread_id: str, *, useful: bool, reason: str | None = None) -> Outcome:
        """Say whether a thread that was shown was of use: it is shown more or less often.

        The thread is named by its id, a start of it, or the id of one of its messages.
        """
        named = validated_line("the id of a thread", thread_id, TOPIC_CHARACTERS)
        why = None
        if reason is not None and validated_text("the reason of a rating", reason, None).strip():
            why = redacted_text(validated_line("the reason of a rating", reason, REASON_CHARACTERS))
        rating = Rating(useful=_checked_bool(useful), at=self._clock.now(), reason=why)
        arguments = {"thread": named, "useful": useful, "reason": why}
        deed = VerbCall(verb="rate", arguments=arguments)
        return self._run_verb(deed, partial(rate, self._store, self.project, named, rating))


def _checked_bool(given: object) -> bool:
    if not isinstance(given, bool):
        msg = f"whether a thread was useful must be true or false, not {given!r}."
        raise RefusedError(msg)
    return given


def _checked_weight(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        msg = f"the weight of a focus must be a number from 0 to 1, not {given!r}."
        raise RefusedError(msg)
    return float(given)


def _checked_until(given: object) -> datetime | None:
    if given is None:
        return None
    if not isinstance(given, datetime):
        msg = f"a focus ends at a moment (a datetime), not at {given!r}."
        raise RefusedError(msg)
    try:
        return as_utc(given)
    except (OverflowError, ValueError) as error:
        msg = f"a focus cannot end at {given}: in UTC it is not within the years 1 to 9999."
        raise RefusedError(msg) from error


_LOG = logging.getLogger(__name__)

CONTEXT_CANDIDATES = 60
"""Messages found for a context: enough for the topics that are named."""

RECENT_EVENTS = 50
"""Events of a session among which its latest prompt is."""


class SuggestionVerbs(ThreadVerbs):
    """What could be done is said, and left to whoever asks."""

    def suggestions(self, context: str | None = None, *, session: str | None = None) -> Suggestions:
        """Say what could be merged, split, recalled, settled or let go, and how the memory is.

        `context` is what somebody is at; without one it is what the session was last
        asked. What the session has in sight is not hinted at.
        """
        _check_context(context)
        check_session(session)
        self._describe_new()
        about = self._latest_prompt(session) if context is None else context
        self._embed_all()
        hits = self.search(about, CONTEXT_CANDIDATES, wait=False) if about.strip() else []
        asked = SuggestRequest(
            project=self.project,
            now=self._clock.now(),
            half_life_days=self._settings.decay.half_life_days,
            session=self._present_session(session),
            embedder=self._reachable_embedder(),
            floor=self._settings.recall.floor,
            depth_turns=self._settings.inject.depth_turns,
            token_budget=self._settings.inject.budget_tokens,
            allowed_threads=STRATEGIES[CompactionStrategy.NORMAL].max_active_threads,
        )
        return suggest(self._store, hits, asked)

    def _embed_all(self) -> None:
        """Embed what is not yet, unless somebody else does that: by it threads are told alike."""
        if self._parts.patient and self._reachable_embedder() is not None:
            try:
                self.embed()
            except StoreError as trouble:
                _LOG.warning("suggesting by what was embedded before: %s", trouble)

    def _latest_prompt(self, session: str | None) -> str:
        """Return what a session was last asked; nothing without one."""
        if not session:
            return ""
        latest = self._store.events.latest_of_session(self.project, session, RECENT_EVENTS)
        prompts = (event.text for event in latest if not is_by_agent(event))
        return next(filter(has_telling_words, prompts), "")

    def _present_session(self, session: str | None) -> Session | None:
        if not session:
            return None
        known = self._store.threads.find_session(self.project, session)
        return known or Session(id=session, project=self.project)


def _check_context(context: object) -> None:
    if context is not None and not isinstance(context, str):
        msg = f"what suggestions are for must be text, not {type(context).__name__}."
        raise RefusedError(msg)
