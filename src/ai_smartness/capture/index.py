"""Index events for keyword search, and rebuild the index from the stored events.

Each event is indexed with its context, so that a short line can be found too: the speaker, the
date and the message before. Everything derived from the events can be rebuilt: the result is
the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from ai_smartness.model.event import Event
from ai_smartness.model.search import IndexedWords
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.text.search_terms import indexed_parts
from ai_smartness.threads.change_plan import mark_covered_events

__all__ = ["index_events", "indexed_words", "reindex", "spoken_date"]


PREVIOUS_CHARACTERS = 200

_MONTHS = "January February March April May June July August September October November December"
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"


def index_events(
    store: ThreadStore, events: Sequence[Event], before: dict[str | None, str] | None = None
) -> None:
    """Index stored events of one project, in the order of `seq`.

    `before` has the last text of sessions before these events, as far as it is known.
    """
    if not events:
        return
    before = dict(before or {})
    words: list[IndexedWords] = []
    for event in events:
        if event.session not in before:
            previous = store.events.previous_in_session(event)
            before[event.session] = previous.text if previous else ""
        words.append(indexed_words(event, before[event.session]))
        before[event.session] = event.text
    store.word_index.add(events[0].project, words)


def indexed_words(event: Event, previous: str) -> IndexedWords:
    """Return the words under which an event is indexed."""
    context = (event.role, spoken_date(event.at), previous[:PREVIOUS_CHARACTERS])
    return IndexedWords(event.seq, event.text, indexed_parts(event.text), "\n".join(context))


def spoken_date(at: datetime) -> str:
    """Write a date in English, as people ask for it."""
    month, day = _MONTHS.split()[at.month - 1], _DAYS.split()[at.weekday()]
    return f"{day} {at.day} {month} {at.year}"


TRANSACTION_EVENTS = 1_000
"""A transaction of this size takes a fraction of a second; others wait for seconds at most."""


def reindex(store: ThreadStore, project: str, progress: Progress) -> int:
    """Rebuild the project's word index and mark descriptions and statements as missing.

    Return the number of events.

    It works in small transactions, so that no other writer waits long. After an interruption
    some words are not found; running it again completes the index.
    """
    with store.unit(project):
        store.word_index.clear(project)
        store.statements.restart(project)
        total = store.events.count(project)
        last = store.events.seq_of_nth(project, total)
    threads_with_events = _index_up_to(store, project, last, lambda done: progress(done, total))
    with store.unit(project):
        for thread in store.threads.all(project):
            # A thread without messages, such as a merged one, gets no new description.
            if thread.id in threads_with_events:
                store.threads.save(undescribed_thread(thread))
            mark_covered_events(store, thread.id)
        store.annotations.mark_described(project, 0)
    store.word_index.refresh_index(project)
    return total


def _index_up_to(
    store: ThreadStore, project: str, last: int, progress: Callable[[int], None]
) -> set[str]:
    """Index the events up to this one, and return the ids of their threads.

    Events that are captured from now on are indexed at once.
    """
    seq = done = 0
    threads: set[str] = set()
    # Events never change, so they are read and parsed without a lock.
    while events := [
        event
        for event in store.events.after_seq(project, seq, TRANSACTION_EVENTS)
        if event.seq <= last
    ]:
        index_events(store, events)
        threads.update(event.thread_id for event in events)
        seq, done = events[-1].seq, done + len(events)
        progress(done)
    return threads


def undescribed_thread(thread: Thread) -> Thread:
    """Return the thread without its derived description; a chosen title and topics stay."""
    title = thread.title if thread.title_given else ""
    return replace(thread, title=title, topics=thread.topics_given, summary="", files=())
