"""Keep what was said and done.

Capturing is idempotent by id: a message that is known already is left as it
is. When the call returns, everything it was given is on disk and findable by
its words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ai_smartness.capture.draft import drafted
from ai_smartness.capture.index import index
from ai_smartness.capture.place import opened, thread_id
from ai_smartness.model.event import Event, Message
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Progress, ThreadStore

__all__ = ["Captured", "append", "capture"]

UNIT_MESSAGES = 1_000
"""One transaction's worth: long enough to be quick, short enough that nobody waits long."""


@dataclass(frozen=True, slots=True)
class Captured:
    """What became of a call: how many were stored, how many were known, on which threads."""

    stored: int
    known: int
    threads: tuple[str, ...]


def capture(
    store: ThreadStore,
    messages: Iterable[Message],
    project: str,
    now: datetime,
    progress: Progress,
) -> Captured:
    """Store messages, each on its thread."""
    events = drafted(messages, project, now)
    stored: list[Event] = []
    for start in range(0, len(events), UNIT_MESSAGES):
        with store.unit():
            stored += _stored(store, events[start : start + UNIT_MESSAGES], project)
        progress(min(start + UNIT_MESSAGES, len(events)), len(events))
    store.words.settle(project)
    threads = dict.fromkeys(event.thread_id for event in stored)
    return Captured(len(stored), len(events) - len(stored), tuple(threads))


def append(store: ThreadStore, message: Message, thread: Thread, now: datetime) -> Event:
    """Store one message on the thread that is named."""
    (draft,) = drafted([message], thread.project, now)
    with store.unit():
        if store.events.known(thread.project, [draft.id]):
            return store.events.get(thread.project, draft.id)
        store.threads.save(grown(thread, [draft]))
        (event,) = store.events.append([replace(draft, thread_id=thread.id)])
        index(store, [event])
    return event


def _stored(store: ThreadStore, drafts: Sequence[Event], project: str) -> list[Event]:
    known = store.events.known(project, (draft.id for draft in drafts))
    fresh = {draft.id: draft for draft in reversed(drafts) if draft.id not in known}
    by_session: dict[str | None, list[Event]] = {}
    for draft in drafts:
        if fresh.get(draft.id) is draft:
            by_session.setdefault(draft.session, []).append(draft)
    placed = {session: _saved_thread(store, said).id for session, said in by_session.items()}
    events = store.events.append(
        [
            replace(draft, thread_id=placed[draft.session])
            for draft in drafts
            if fresh.get(draft.id) is draft
        ]
    )
    index(store, events)
    return events


def _saved_thread(store: ThreadStore, said: Sequence[Event]) -> Thread:
    """Return the session's thread with these events counted in, opening one if there is none."""
    first = said[0]
    current = store.threads.of_session(first.project, first.session)
    thread = (
        opened(first, _free_id(store, first)) if current is None else store.threads.get(current)
    )
    thread = grown(thread, said)
    store.threads.save(thread)
    return thread


def grown(thread: Thread, said: Sequence[Event]) -> Thread:
    """Return the thread as it is with further events on it."""
    return replace(
        thread,
        last_active=max(thread.last_active, *(event.at for event in said)),
        revision=thread.revision + len(said),
    )


def _free_id(store: ThreadStore, first: Event) -> str:
    attempt = 0
    while store.threads.has(thread_id(first, attempt)):
        attempt += 1
    return thread_id(first, attempt)
