"""Build everything that follows from the events anew.

The events are what counts; words and threads' descriptions are made from
them, and made again they are the same.
"""

from dataclasses import replace

from ai_smartness.capture.index import index
from ai_smartness.capture.place import opened
from ai_smartness.ports import Progress, ThreadStore

__all__ = ["reindex"]

BLOCK_EVENTS = 5_000


def reindex(store: ThreadStore, project: str, progress: Progress) -> int:
    """Rebuild the project's full text and its threads' descriptions; return how many events."""
    total = store.events.count(project)
    done = seq = 0
    with store.unit():
        store.words.clear(project)
        while events := store.events.since(project, seq, BLOCK_EVENTS):
            index(store, events)
            seq = events[-1].seq
            done += len(events)
            progress(done, total)
        for thread in store.threads.all(project):
            described = store.events.of_thread(thread.id)
            if described:
                fresh = opened(described[0], thread.id)
                store.threads.save(replace(thread, title=fresh.title))
    store.words.settle(project)
    return total
