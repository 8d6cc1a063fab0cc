"""Build everything that follows from the events anew.

The events are what counts; words, descriptions and bridges are made from them
in their order, and made again they are the same.
"""

from ai_smartness.capture.almanac import Almanac
from ai_smartness.capture.description import redescribed
from ai_smartness.capture.index import index
from ai_smartness.capture.note import unnoted
from ai_smartness.model.event import Event
from ai_smartness.model.note import Note
from ai_smartness.ports import Progress, ThreadStore

__all__ = ["reindex"]

READ_EVENTS = 1_000


def reindex(store: ThreadStore, project: str, block: int, progress: Progress) -> int:
    """Rebuild the project's full text, descriptions and bridges; return how many events."""
    total = store.events.count(project)
    almanac, done, seq = Almanac({}), 0, 0
    with store.unit():
        store.words.clear(project)
        while events := store.events.since(project, seq, READ_EVENTS):
            index(store, events)
            for event, note in _with_notes(store, events):
                _retell(store, almanac, event, note)
                done += 1
                if done % block == 0:
                    almanac = _next_block(store, event, almanac, done, block)
            seq = events[-1].seq
            progress(done, total)
    store.words.settle(project)
    return total


def _retell(store: ThreadStore, almanac: Almanac, event: Event, note: Note) -> None:
    for due in almanac.take(event, note):
        store.threads.save(redescribed(store, almanac, store.threads.get(due)))


def _next_block(store: ThreadStore, last: Event, former: Almanac, done: int, block: int) -> Almanac:
    """Clear the older block away, as the desk does when it is full."""
    almanac = former.next_block()
    seq = store.events.nth(last.project, done - block) if done > block else 0
    for event, note in _with_notes(store, store.events.since(last.project, seq, block)):
        almanac.take(event, note)
    return almanac


def _with_notes(store: ThreadStore, events: list[Event]) -> list[tuple[Event, Note]]:
    notes = store.notes.of(event.seq for event in events)
    return [(event, notes.get(event.seq) or unnoted(event)) for event in events]
