"""Pin something: it is kept as it is, weighs more than the rest, and never fades.

A pin is a thread of its own. The same words pinned twice are one pin, which takes what
is given anew. To take a pin back is to archive it: what was said is never deleted.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from ai_smartness.describe.kinds import kind_proposals, settled_proposal
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, EventType
from ai_smartness.model.focus import folded_topic
from ai_smartness.model.journal import Change, ThreadEdit
from ai_smartness.model.thread import IMPORTANCE, Kind, Origin, Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, surviving_thread, thread_edit
from ai_smartness.threads.decay import PINNED_TAG, raised_weight
from ai_smartness.threads.ids import new_thread_id
from ai_smartness.threads.redescribe import all_topics
from ai_smartness.threads.rename import validated_line, validated_text, validated_title

__all__ = ["Pin", "pin", "pin_event", "validated_pin"]

MOST_PIN_CHARACTERS = 1_000_000
"""A book; what is longer is a file, and should be named instead."""

TOPIC_CHARACTERS = 100
MOST_TOPICS = 20

PIN_WEIGHT = 1.0
MOST_BOOST = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """What is to be pinned, and what is given with it."""

    text: str
    title: str | None = None
    topics: tuple[str, ...] = ()
    boost: float = 0.3
    kind: Kind | None = None

    @property
    def weight(self) -> float:
        """Tell what it weighs."""
        return raised_weight(PIN_WEIGHT, self.boost)


def validated_pin(text: object, title: object, topics: object, boost: object, kind: object) -> Pin:
    """Return what is to be pinned, as it is kept; refuse by name what cannot be."""
    content = validated_text("what is pinned", text, MOST_PIN_CHARACTERS)
    if not content.strip():
        msg = "cannot pin nothing: what is pinned is empty. Give at least one word."
        raise RefusedError(msg)
    return Pin(
        text=content,
        title=None
        if title is None
        else validated_title(validated_text("the title of a pin", title, None)),
        topics=_validated_topics(topics),
        boost=_validated_boost(boost),
        kind=_validated_kind(kind),
    )


def pin_event(who: str, wanted: Pin, project: str, session: str | None, at: datetime) -> Event:
    """Return the event that a pin is, on no thread yet; the same words have the same id."""
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


def pin(store: ThreadStore, said: Event, wanted: Pin) -> ChangePlan:
    """Plan a thread for a pin, or what changes of the one that has it already."""
    if store.events.known_ids(said.project, [said.id]):
        return _pinned_again(store, store.events.get(said.project, said.id), wanted)
    thread = _new_pin_thread(store, said, wanted)
    # As if it had been put away before: taken back, it is, and its words are still there.
    change = Change((ThreadEdit(replace(thread, status=Status.ARCHIVED), thread),))
    return ChangePlan(said.project, f"Pinned as {_pin_text(thread)}", change, (thread.id,))


def _new_pin_thread(store: ThreadStore, said: Event, wanted: Pin) -> Thread:
    attempt = 0
    while store.threads.has(new_thread_id(said, attempt)):
        attempt += 1
    proposed = settled_proposal(kind_proposals(wanted.text))
    kind = wanted.kind or (proposed.kind if proposed else Kind.WORK)
    return Thread(
        id=new_thread_id(said, attempt),
        project=said.project,
        title=wanted.title or "",
        title_given=wanted.title is not None,
        created_at=said.at,
        last_active=said.at,
        kind=kind,
        importance=IMPORTANCE[kind],
        topics=wanted.topics,
        topics_given=wanted.topics,
        tags=(PINNED_TAG,),
        weight=wanted.weight,
        origin=Origin.PIN,
        revision=1,
    )


def _pinned_again(store: ThreadStore, known: Event, wanted: Pin) -> ChangePlan:
    thread = surviving_thread(store, store.threads.get(known.thread_id))
    again = _updated_pin(thread, wanted)
    names = [name for name in _UPDATABLE_FIELDS if getattr(again, name) != getattr(thread, name)]
    if again == thread:
        return ChangePlan(
            thread.project, f"Already pinned as {_pin_text(thread)}", Change(), (thread.id,)
        )
    said = f"Already pinned as {_pin_text(again)}; new: {', '.join(names)}"
    return ChangePlan(thread.project, said, Change((thread_edit(thread, again),)), (thread.id,))


_UPDATABLE_FIELDS = ("title", "topics", "kind", "weight", "status", "tags")
"""What pinning again may change."""


def _updated_pin(thread: Thread, wanted: Pin) -> Thread:
    """Return a thread that is pinned once more: with what is given anew, and never lighter."""
    topics = wanted.topics or thread.topics_given
    found = [topic for topic in thread.topics if topic not in thread.topics_given]
    kind = wanted.kind or thread.kind
    return replace(
        thread,
        title=wanted.title or thread.title,
        title_given=thread.title_given or wanted.title is not None,
        topics=all_topics(topics, found) if wanted.topics else thread.topics,
        topics_given=topics,
        kind=kind,
        importance=IMPORTANCE[kind] if wanted.kind else thread.importance,
        weight=max(thread.weight, wanted.weight),
        status=Status.ACTIVE,
        tags=thread.tags if PINNED_TAG in thread.tags else (*thread.tags, PINNED_TAG),
    )


def _pin_text(thread: Thread) -> str:
    return f"{thread.id} (weight={thread.weight:.2f})"


def _validated_topics(given: object) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        msg = f"the topics of a pin must be a list of words, not {type(given).__name__}."
        raise RefusedError(msg)
    topics: dict[str, str] = {}
    for each in given:
        line = validated_line("a topic of a pin", each, TOPIC_CHARACTERS)
        topics.setdefault(folded_topic(line), line)
    if len(topics) > MOST_TOPICS:
        msg = f"a pin cannot have {len(topics)} topics. Give at most {MOST_TOPICS}."
        raise RefusedError(msg)
    return tuple(topics.values())


def _validated_boost(given: object) -> float:
    """Return a boost within 0–0.5: what is more counts as the most."""
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if not number or given != given:  # noqa: PLR0124 - the one number that is not itself
        msg = f"the weight boost of a pin must be a number from 0 to {MOST_BOOST}, not {given!r}."
        raise RefusedError(msg)
    return max(0.0, min(MOST_BOOST, float(given)))  # type: ignore[arg-type] # seen above


def _validated_kind(given: object) -> Kind | None:
    if given is None or isinstance(given, Kind):
        return given
    if isinstance(given, str) and given in set(Kind):
        return Kind(given)
    msg = f"{given!r} is no kind of thread. Give one of {', '.join(Kind)}."
    raise RefusedError(msg)
