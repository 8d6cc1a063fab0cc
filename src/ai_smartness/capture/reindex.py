"""Build everything that follows from the events anew.

The events are what counts; words, descriptions and bridges are made from them
in their order, and made again they are the same.
"""

from dataclasses import replace

from ai_smartness.capture.index import index
from ai_smartness.ports import Progress, ThreadStore

__all__ = ["reindex"]

READ_EVENTS = 1_000


def reindex(store: ThreadStore, project: str, progress: Progress) -> int:
    """Rebuild the project's full text, and have all of it told of again; return how many events."""
    total, done, seq = store.events.count(project), 0, 0
    with store.unit():
        store.words.clear(project)
        while events := store.events.since(project, seq, READ_EVENTS):
            index(store, events)
            seq, done = events[-1].seq, done + len(events)
            progress(done, total)
        for thread in store.threads.all(project):
            store.threads.save(replace(thread, title="", topics=(), summary="", files=()))
        store.notes.mark_told(project, 0)
    store.words.settle(project)
    return total
