"""Make events findable by their words.

Each event is indexed with the little that makes a short line findable: who
said it, when, and the line before.

Build everything that follows from the events anew.

The events are what counts; words, descriptions and bridges are made from them
in their order, and made again they are the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from ai_smartness.model.event import Event
from ai_smartness.model.search import IndexedWords
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.text.identifiers import search_subwords
from ai_smartness.threads.change_plan import mark_covered_events

__all__ = ["index_events", "indexed_words", "reindex", "spoken_date"]


PREVIOUS_CHARACTERS = 200

_MONTHS = "January February March April May June July August September October November December"
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"


def index_events(store: ThreadStore, events: Sequence[Event]) -> None:
    """Index stored events of one project, in the order of `seq`."""
    if not events:
        return
    before: dict[str | None, str] = {}
    words: list[IndexedWords] = []
    for event in events:
        if event.session not in before:
            previous = store.events.previous_in_session(event)
            before[event.session] = previous.text if previous else ""
        words.append(indexed_words(event, before[event.session]))
        before[event.session] = event.text
    store.word_index.add(events[0].project, words)


def indexed_words(event: Event, previous: str) -> IndexedWords:
    """Return what full text is to know of the event."""
    context = (event.role, spoken_date(event.at), previous[:PREVIOUS_CHARACTERS])
    return IndexedWords(event.seq, event.text, search_subwords(event.text), "\n".join(context))


def spoken_date(at: datetime) -> str:
    """Write a date as people ask for it, whatever the locale."""
    month, day = _MONTHS.split()[at.month - 1], _DAYS.split()[at.weekday()]
    return f"{day} {at.day} {month} {at.year}"


TRANSACTION_EVENTS = 1_000
"""One transaction's worth: a fraction of a second, while others wait for seconds at the most."""


def reindex(store: ThreadStore, project: str, progress: Progress) -> int:
    """Rebuild the project's full text, and have all of it told of again; return how many events.

    It is done bit by bit, so that nobody else waits long to write. What is
    interrupted leaves words unfound; carried out again it finds them all.
    """
    with store.unit():
        store.word_index.clear(project)
        total = store.events.count(project)
        last = store.events.seq_of_nth(project, total)
    spoken_on = _index_up_to(store, project, last, lambda done: progress(done, total))
    with store.unit():
        for thread in store.threads.all(project):
            # Nobody tells of a thread without messages, such as one that was merged away.
            if thread.id in spoken_on:
                store.threads.save(undescribed_thread(thread))
            mark_covered_events(store, thread.id)
        store.annotations.mark_described(project, 0)
    store.word_index.refresh_index(project)
    return total


def _index_up_to(
    store: ThreadStore,
    project: str,
    last: int,
    progress: Callable[[int], None],
) -> set[str]:
    """Index the events up to this one, and return the threads they are on.

    Whoever captures an event from now on indexes it at once.
    """
    seq = done = 0
    threads: set[str] = set()
    # Events never change: they are read and taken apart without a lock, and only what comes of
    # it is written under one.
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
    """Return the thread without what follows from its messages; what was given to it stays."""
    title = thread.title if thread.title_given else ""
    return replace(thread, title=title, topics=thread.topics_given, summary="", files=())
