"""The verbs by which an agent or its user steers what is shown: focus, pin, rate."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from ai_smartness.capture.pin import keep_pinned
from ai_smartness.memory.injecting import check_session
from ai_smartness.memory.tidying import Deed, Tidying
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import as_utc
from ai_smartness.model.focus import Focus
from ai_smartness.model.found import Scope
from ai_smartness.model.journal import Outcome
from ai_smartness.model.thread import Kind, Rating
from ai_smartness.redact import redacted
from ai_smartness.threads.focus import affected_by, foci_in_force, focus, meant, unfocus
from ai_smartness.threads.given import given_line, given_text
from ai_smartness.threads.pin import pin, pin_of, said_by
from ai_smartness.threads.rate import rate

__all__ = ["Steering"]

TOPIC_CHARACTERS = 200
REASON_CHARACTERS = 2_000


class Steering(Tidying):
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
            topic=redacted(given_line("the topic of a focus", topic, TOPIC_CHARACTERS)),
            weight=_weight(weight),
            set_at=self._clock.now(),
            session=session or None,
            until=_moment(until),
        )
        self._told()
        wanted = meant(self._store, self.project, wanted)
        # Counted before the change: nobody waits for a lock while all threads are looked at.
        affected = affected_by(self._store, self.project, wanted)
        arguments = {
            "topic": wanted.topic,
            "weight": wanted.weight,
            "until": wanted.until.isoformat() if wanted.until else None,
        }
        deed = Deed(verb="focus", arguments=arguments, session=wanted.session)
        plan = partial(focus, self._store, self.project, wanted, len(affected))
        return replace(self._do(deed, plan), threads=tuple(self._now(each) for each in affected))

    def unfocus(self, topic: str | None = None, *, session: str | None = None) -> Outcome:
        """Take a topic or a thread out of focus, or everything.

        With a session that is what it has in focus itself and what is lasting;
        without one, what any session has.
        """
        check_session(session)
        line = None
        if topic is not None:
            line = redacted(given_line("the topic of a focus", topic, TOPIC_CHARACTERS))
        deed = Deed(verb="unfocus", arguments={"topic": line}, session=session or None)
        plan = partial(unfocus, self._store, self.project, line, session or None)
        return self._do(deed, partial(plan, now=self._clock.now()))

    def foci(self, session: str | None = None) -> list[Focus]:
        """Return what is in focus now: what is lasting, and the session's own."""
        check_session(session)
        sight = Scope(project=self.project).projects
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
        wanted = pin_of(content, title, topics, weight_boost, kind)
        wanted = replace(
            wanted,
            text=redacted(wanted.text),
            title=None if wanted.title is None else redacted(wanted.title),
            topics=tuple(redacted(topic) for topic in wanted.topics),
        )
        said = said_by(self.who.kind, wanted, self.project, session or None, self._clock.now())
        arguments = {
            "message": said.id,
            "title": wanted.title,
            "topics": list(wanted.topics),
            "weight_boost": wanted.boost,
            "kind": wanted.kind.value if wanted.kind else None,
        }
        deed = Deed(verb="pin", arguments=arguments, session=said.session)
        self._told()
        with self._store.unit():
            done = self._do(deed, partial(pin, self._store, said, wanted))
            id_ = done.threads[0].id
            keep_pinned(self._store, replace(said, thread_id=id_), self._present())
        self._store.words.settle(self.project)
        self._told()
        self._embed(id_)
        return replace(done, threads=(self._now(self._store.threads.get(id_)),))

    def rate(self, thread_id: str, *, useful: bool, reason: str | None = None) -> Outcome:
        """Say whether a thread that was shown was of use: it is shown more or less often.

        The thread is named by its id, a start of it, or the id of one of its messages.
        """
        named = given_line("the id of a thread", thread_id, TOPIC_CHARACTERS)
        why = None
        if reason is not None and given_text("the reason of a rating", reason, None).strip():
            why = redacted(given_line("the reason of a rating", reason, REASON_CHARACTERS))
        rating = Rating(useful=_yes_or_no(useful), at=self._clock.now(), reason=why)
        arguments = {"thread": named, "useful": useful, "reason": why}
        deed = Deed(verb="rate", arguments=arguments)
        return self._do(deed, partial(rate, self._store, self.project, named, rating))


def _yes_or_no(given: object) -> bool:
    if not isinstance(given, bool):
        msg = f"whether a thread was useful must be true or false, not {given!r}."
        raise RefusedError(msg)
    return given


def _weight(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        msg = f"the weight of a focus must be a number from 0 to 1, not {given!r}."
        raise RefusedError(msg)
    return float(given)


def _moment(given: object) -> datetime | None:
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
