"""Say anew what threads are about, and why they are linked, once messages of theirs are gone."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ai_smartness.capture.filing import shrunk
from ai_smartness.forgetting.traces import Traces
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.event import Event
from ai_smartness.model.forgetting import FORGOTTEN
from ai_smartness.model.thread import Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.history import said_on
from ai_smartness.threads.outline import Outliner

__all__ = ["Retelling", "bridge_kept"]

_QUOTED = re.compile(r'"([^"]+)"')


class Retelling:
    """Describes the threads of one project by what they have left."""

    def __init__(self, store: ThreadStore, project: str, traces: Traces) -> None:
        self._store = store
        self._traces = traces
        self._outliner = Outliner(store, project)

    def retold(self, thread: Thread) -> Thread:
        """Return a thread as the messages left describe it; what was given stays if it is clean."""
        bare = self._undescribed(thread)
        events = said_on(self._store, thread.id)
        if not events:
            return replace(bare, title=bare.title or FORGOTTEN)
        described = self._outliner.outlined(shrunk(bare, events), events)
        return self._outliner.with_files_of(described, events)

    def _undescribed(self, thread: Thread) -> Thread:
        given = thread.title_given and not self._traces.are_in(thread.title)
        topics = tuple(each for each in thread.topics_given if not self._traces.are_in(each))
        ratings = tuple(
            replace(each, reason=None) if self._traces.are_in(each.reason) else each
            for each in thread.ratings
        )
        return replace(
            thread,
            title=thread.title if given else "",
            title_given=given,
            summary="",
            topics=topics,
            topics_given=topics,
            tags=tuple(each for each in thread.tags if not self._traces.are_in(each)),
            files=(),
            ratings=ratings,
        )


def bridge_kept(
    bridge: Bridge, traces: Traces, touched: Collection[str], said: Mapping[str, Sequence[Event]]
) -> Bridge | None:
    """Return what becomes of a bridge: as it is, without its reason, or gone with its ground.

    `said` holds what is left on its two ends, if one of them has lost messages.
    """
    clean = not traces.are_in(bridge.reason)
    if bridge.made_by != "similarity":
        return bridge if clean else replace(bridge, reason="")
    if not clean:
        return None
    if not {bridge.source, bridge.target} & set(touched):
        return bridge
    texts = [
        " ".join(event.text.split())
        for end in (bridge.source, bridge.target)
        for event in said[end]
    ]
    quoted = (each.rstrip("…") for each in _QUOTED.findall(bridge.reason))
    return bridge if all(any(each in text for text in texts) for each in quoted) else None
