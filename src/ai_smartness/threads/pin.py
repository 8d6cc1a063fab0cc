"""Pin a text: it is stored as it is, weighs more than other threads, and never fades.

A pin is a thread of its own. Pinning the same text again updates the pin. To remove a pin,
archive it: its text is never deleted. A pin with a kind of statement is a confirmed statement.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from math import isnan

from ai_smartness.describe.kinds import kind_proposals, settled_proposal
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.focus import folded_topic
from ai_smartness.model.journal import Change, ThreadEdit
from ai_smartness.model.statement import PIN_KINDS, StatementKind
from ai_smartness.model.thread import IMPORTANCE, Kind, Origin, Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, surviving_thread
from ai_smartness.threads.decay import PINNED_TAG, raised_weight
from ai_smartness.threads.ids import free_thread_id
from ai_smartness.threads.pin_statement import THREAD_KINDS, pin_review_edit, pinned_statement
from ai_smartness.threads.redescribe import all_topics
from ai_smartness.threads.rename import validated_line, validated_text, validated_title

__all__ = ["Pin", "pin", "pin_event", "validated_pin"]

MOST_PIN_CHARACTERS = 1_000_000  # a book; anything longer is a file, and should be named instead
TOPIC_CHARACTERS = 100
MOST_TOPICS = 20

PIN_WEIGHT = 1.0
MOST_BOOST = 0.5

_UPDATABLE_FIELDS = ("title", "topics", "kind", "weight", "status", "tags")
"""The fields that pinning again may change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A text to pin, with its options."""

    text: str
    title: str | None = None
    topics: tuple[str, ...] = ()
    boost: float = 0.3
    kind: Kind | None = None
    states: StatementKind | None = None

    @property
    def weight(self) -> float:
        """The weight of its thread."""
        return raised_weight(PIN_WEIGHT, self.boost)


def validated_pin(text: object, title: object, topics: object, boost: object, kind: object) -> Pin:
    """Return the pin to store; refuse unusable values by name."""
    content = validated_text("what is pinned", text, MOST_PIN_CHARACTERS)
    if not content.strip():
        msg = "cannot pin nothing: what is pinned is empty. Give at least one word."
        raise RefusedError(msg)
    if title is not None:
        title = validated_title(validated_text("the title of a pin", title, None))
    thread_kind, states = _validated_kinds(kind)
    return Pin(
        text=content,
        title=title,
        topics=_validated_topics(topics),
        boost=_validated_boost(boost),
        kind=thread_kind,
        states=states,
    )


def pin_event(who: str, wanted: Pin, project: str, session: str | None, at: datetime) -> Event:
    """Return the event of a pin, on no thread yet; the same text has the same id."""
    digest = hashlib.blake2s(f"pin\x1f{wanted.text.strip()}".encode(), digest_size=8)
    role = "agent" if who == "agent" else "user"
    return Event(
        id=f"msg_{digest.hexdigest()}",
        project=project,
        thread_id="",
        session=session,
        type=EventType.NOTE,
        role=role,
        text=wanted.text,
        at=at,
        source=f"{role}_pin",
    )


def pin(store: ThreadStore, event: Event, wanted: Pin) -> ChangePlan:
    """Plan the thread of a pin, or the update of the thread that has its text already."""
    if store.events.known_ids(event.project, [event.id]):
        known = store.events.get(event.project, event.id)
        thread = surviving_thread(store, store.threads.get(known.thread_id))
        return _stating_plan(store, known, wanted, _pinned_again(thread, wanted))
    thread = _new_pin_thread(store, event, wanted)
    # As if it had been archived before: an undo archives it, and its text is still there.
    change = Change((ThreadEdit(replace(thread, status=Status.ARCHIVED), thread),))
    plan = ChangePlan(event.project, f"Pinned as {_pin_text(thread)}", change, (thread.id,))
    return _stating_plan(store, event, wanted, plan)


def _stating_plan(store: ThreadStore, event: Event, wanted: Pin, plan: ChangePlan) -> ChangePlan:
    """Extend a plan so that it confirms the statement of the pin, if it has a kind of one."""
    if wanted.states is None:
        return plan
    statement = pinned_statement(event, wanted.states)
    edit = pin_review_edit(store, statement, event)
    reviews = (*plan.change.reviews, *([edit] if edit else []))
    sentence = f"{plan.sentence}; states the {wanted.states} {statement.short_id}"
    return replace(plan, sentence=sentence, change=replace(plan.change, reviews=reviews))


def _new_pin_thread(store: ThreadStore, event: Event, wanted: Pin) -> Thread:
    proposal = settled_proposal(kind_proposals(wanted.text))
    kind = wanted.kind or (proposal.kind if proposal else Kind.WORK)
    return Thread(
        id=free_thread_id(store, event),
        project=event.project,
        title=wanted.title or "",
        title_given=wanted.title is not None,
        created_at=event.at,
        last_active=event.at,
        kind=kind,
        importance=IMPORTANCE[kind],
        topics=wanted.topics,
        topics_given=wanted.topics,
        tags=(PINNED_TAG,),
        weight=wanted.weight,
        origin=Origin.PIN,
        revision=1,
    )


def _pinned_again(thread: Thread, wanted: Pin) -> ChangePlan:
    updated = _updated_pin(thread, wanted)
    sentence = f"Already pinned as {_pin_text(updated)}"
    if updated == thread:
        return ChangePlan(thread.project, sentence, Change(), (thread.id,))
    new = [name for name in _UPDATABLE_FIELDS if getattr(updated, name) != getattr(thread, name)]
    return ChangePlan.for_thread(thread, updated, f"{sentence}; new: {', '.join(new)}")


def _updated_pin(thread: Thread, wanted: Pin) -> Thread:
    """Return a thread pinned again: with the new options, and never lighter."""
    topics = wanted.topics or thread.topics_given
    from_messages = [topic for topic in thread.topics if topic not in thread.topics_given]
    kind = wanted.kind or thread.kind
    return replace(
        thread,
        title=wanted.title or thread.title,
        title_given=thread.title_given or wanted.title is not None,
        topics=all_topics(topics, from_messages) if wanted.topics else thread.topics,
        topics_given=topics,
        kind=kind,
        importance=IMPORTANCE[kind] if wanted.kind else thread.importance,
        weight=max(thread.weight, wanted.weight),
        status=Status.ACTIVE,
        tags=thread.tags if PINNED_TAG in thread.tags else (*thread.tags, PINNED_TAG),
    )


def _pin_text(thread: Thread) -> str:
    return f"{thread.id} (weight={thread.weight:.2f})"


def _validated_topics(value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        msg = f"the topics of a pin must be a list of words, not {type(value).__name__}."
        raise RefusedError(msg)
    topics: dict[str, str] = {}
    for topic in value:
        line = validated_line("a topic of a pin", topic, TOPIC_CHARACTERS)
        topics.setdefault(folded_topic(line), line)
    if len(topics) > MOST_TOPICS:
        msg = f"a pin cannot have {len(topics)} topics. Give at most {MOST_TOPICS}."
        raise RefusedError(msg)
    return tuple(topics.values())


def _validated_boost(value: object) -> float:
    """Return a boost within 0–0.5; a higher one is lowered."""
    if isinstance(value, bool) or not isinstance(value, int | float) or isnan(value):
        msg = f"the weight boost of a pin must be a number from 0 to {MOST_BOOST}, not {value!r}."
        raise RefusedError(msg)
    return max(0.0, min(MOST_BOOST, float(value)))


def _validated_kinds(value: object) -> tuple[Kind | None, StatementKind | None]:
    """Return the kind of the pin's thread, and the kind of the statement that it makes."""
    if value is None:
        return None, None
    if not isinstance(value, str) or value not in PIN_KINDS:
        msg = f"{value!r} is no kind of pin. Give one of {', '.join(PIN_KINDS)}."
        raise RefusedError(msg)
    if value in set(StatementKind):
        states = StatementKind(value)
        return THREAD_KINDS[states], states
    return Kind(value), None
