"""The threads around one: those it is bridged to, and those that they are bridged to.

The heaviest bridges come first, so that the same threads are chosen every time.
"""

from collections.abc import Iterable

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.browse import Neighbourhood
from ai_smartness.ports import ThreadStore

__all__ = ["neighbourhood"]

MAX_RING_BRIDGES = 400  # of one thread that are looked at: a hub has thousands


def neighbourhood(store: ThreadStore, thread_id: str, *, most: int, rings: int) -> Neighbourhood:
    """Return a thread with at most `most` threads in all, up to `rings` bridges away."""
    centre = store.threads.get(thread_id)
    ring_of = {centre.id: 0}
    bridges: dict[str, Bridge] = {}
    outer, left_out = [centre.id], set[str]()
    for ring in range(1, rings + 1):
        near = _bridges_of(store, outer)
        ends = dict.fromkeys(end for bridge in near for end in (bridge.source, bridge.target))
        new = [end for end in ends if end not in ring_of]
        room = most - len(ring_of)
        ring_of |= dict.fromkeys(new[:room], ring)
        left_out.update(new[room:])
        bridges |= {bridge.id: bridge for bridge in near}
        outer = new[:room]
    shown = [one for one in bridges.values() if {one.source, one.target} <= ring_of.keys()]
    return Neighbourhood(
        threads=tuple(store.threads.get(id_) for id_ in ring_of),
        rings=tuple(ring_of.values()),
        bridges=tuple(sorted(shown, key=lambda bridge: (-bridge.weight, bridge.id))),
        left_out=len(left_out),
    )


def _bridges_of(store: ThreadStore, thread_ids: Iterable[str]) -> list[Bridge]:
    """Return the bridges of threads, each thread's in turn, heaviest first."""
    return [bridge for id_ in thread_ids for bridge in store.bridges.of(id_)[:MAX_RING_BRIDGES]]
