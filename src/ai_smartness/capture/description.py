"""Say anew what a thread is about and what it is linked to."""

from dataclasses import replace

from ai_smartness.capture.almanac import Almanac
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.outline import all_topics

__all__ = ["redescribed"]

MADE_BY = "similarity"


def redescribed(store: ThreadStore, almanac: Almanac, thread: Thread) -> Thread:
    """Return the thread under a new description, and renew the bridges that leave from it.

    A title that somebody gave it stays, and so do topics.
    """
    _renew_bridges(store, almanac, thread.id)
    found = almanac.description(thread.id)
    title = thread.title if thread.title_given else found.title
    topics = all_topics(thread.topics_given, found.topics)
    return replace(thread, title=title, topics=topics, summary=found.summary)


def _renew_bridges(store: ThreadStore, almanac: Almanac, thread_id: str) -> None:
    """Put the bridges found now in the place of those found before; use of them is kept.

    One that somebody made stays as it is, one that was taken away stays away.
    """
    known = store.bridges.of(thread_id, unwanted=True)
    made = {bridge.id for bridge in known if bridge.unwanted or bridge.made_by != MADE_BY}
    before = {
        bridge.id: bridge
        for bridge in known
        if bridge.source == thread_id and bridge.id not in made
    }
    found = [
        replace(bridge, weight=max(bridge.weight, used.weight), last_used=used.last_used)
        if (used := before.pop(bridge.id, None)) and used.last_used > bridge.last_used
        else bridge
        for bridge in almanac.bridges(thread_id)
        if bridge.id not in made
    ]
    store.bridges.remove(list(before))
    store.bridges.save(found)
