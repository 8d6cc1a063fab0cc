"""Say anew what a thread is about and what it is linked to."""

from dataclasses import replace

from ai_smartness.capture.almanac import Almanac
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore

__all__ = ["redescribed"]

MADE_BY = "similarity"


def redescribed(store: ThreadStore, almanac: Almanac, thread: Thread) -> Thread:
    """Return the thread under a new description, and renew the bridges that leave from it."""
    _renew_bridges(store, almanac, thread.id)
    found = almanac.description(thread.id)
    return replace(thread, title=found.title, topics=found.topics, summary=found.summary)


def _renew_bridges(store: ThreadStore, almanac: Almanac, thread_id: str) -> None:
    """Put the bridges found now in the place of those found before; use of them is kept."""
    before = {
        bridge.id: bridge
        for bridge in store.bridges.of(thread_id)
        if bridge.source == thread_id and bridge.made_by == MADE_BY
    }
    found = [
        replace(bridge, weight=max(bridge.weight, known.weight), last_used=known.last_used)
        if (known := before.pop(bridge.id, None)) and known.last_used > bridge.last_used
        else bridge
        for bridge in almanac.bridges(thread_id)
    ]
    store.bridges.remove(list(before))
    store.bridges.save(found)
