"""Store what was pinned, as it is, on the thread that was made for it.

It is findable at once, and neither cleaned nor placed: who pins knows what is worth it.
"""

from ai_smartness.capture.index import index
from ai_smartness.capture.note import Present, noted
from ai_smartness.model.event import Event
from ai_smartness.model.note import Placed
from ai_smartness.ports import ThreadStore

__all__ = ["keep_pinned"]

_PLACED = Placed("pinned", 0.0, 0.0)


def keep_pinned(store: ThreadStore, pinned: Event, present: Present) -> None:
    """Store a pin that names its thread; one that is known is left as it is."""
    with store.unit():
        if store.events.known(pinned.project, [pinned.id]):
            return
        events = store.events.append([pinned])
        store.notes.add([noted(event, _PLACED, present) for event in events])
        index(store, events)
