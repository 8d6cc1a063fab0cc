"""Build everything that follows from the events anew.

The events are what counts; words, descriptions and bridges are made from them
in their order, and made again they are the same.
"""

from collections.abc import Callable
from dataclasses import replace

from ai_smartness.capture.index import index
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.threads.covering import cover

__all__ = ["reindex"]

UNIT_EVENTS = 1_000
"""One transaction's worth: a fraction of a second, while others wait for seconds at the most."""


def reindex(store: ThreadStore, project: str, progress: Progress) -> int:
    """Rebuild the project's full text, and have all of it told of again; return how many events.

    It is done bit by bit, so that nobody else waits long to write. What is
    interrupted leaves words unfound; carried out again it finds them all.
    """
    with store.unit():
        store.words.clear(project)
        total = store.events.count(project)
        last = store.events.nth(project, total)
    spoken_on = _index_up_to(store, project, last, lambda done: progress(done, total))
    with store.unit():
        for thread in store.threads.all(project):
            # Nobody tells of a thread without messages, such as one that was merged away.
            if thread.id in spoken_on:
                store.threads.save(undescribed(thread))
            cover(store, thread.id)
        store.notes.mark_told(project, 0)
    store.words.settle(project)
    return total


def _index_up_to(
    store: ThreadStore, project: str, last: int, progress: Callable[[int], None]
) -> set[str]:
    """Index the events up to this one, and return the threads they are on.

    Whoever captures an event from now on indexes it at once.
    """
    seq = done = 0
    threads: set[str] = set()
    # Events never change: they are read and taken apart without a lock, and only what comes of
    # it is written under one.
    while events := [
        event for event in store.events.since(project, seq, UNIT_EVENTS) if event.seq <= last
    ]:
        index(store, events)
        threads.update(event.thread_id for event in events)
        seq, done = events[-1].seq, done + len(events)
        progress(done)
    return threads


def undescribed(thread: Thread) -> Thread:
    """Return the thread without what follows from its messages; what was given to it stays."""
    title = thread.title if thread.title_given else ""
    return replace(thread, title=title, topics=thread.topics_given, summary="", files=())
