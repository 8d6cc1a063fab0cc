"""Which threads stand against each other: one takes back or replaces what another says.

Found by the words when they were captured, without a language model; here they
are the ones that somebody should settle, because both are still in use.
"""

from collections.abc import Iterable, Mapping

from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.suggestion import Conflict
from ai_smartness.model.thread import Status, Thread

__all__ = ["conflicts"]

_STRENGTH = {Relation.REPLACES: 2, Relation.UPDATES: 1, Relation.CONTRADICTS: 0}
_SAID = {
    Relation.REPLACES: "replaces what the other says",
    Relation.UPDATES: "brings up to date what the other says",
    Relation.CONTRADICTS: "says otherwise",
}


def conflicts(bridges: Iterable[Bridge], threads: Mapping[str, Thread]) -> tuple[Conflict, ...]:
    """Return what stands against each other, the latest first; of two threads the strongest."""
    found: dict[frozenset[str], Bridge] = {}
    for bridge in bridges:
        ends = frozenset((bridge.source, bridge.target))
        known = found.get(ends)
        if all(_is_in_use(threads.get(end)) for end in ends) and (
            known is None or _STRENGTH[bridge.relation] > _STRENGTH[known.relation]
        ):
            found[ends] = bridge
    listed = [_conflict(bridge, threads) for bridge in found.values()]
    return tuple(sorted(listed, key=lambda each: (each.at, each.newer, each.older), reverse=True))


def _is_in_use(thread: Thread | None) -> bool:
    return thread is not None and thread.status is Status.ACTIVE


def _conflict(bridge: Bridge, threads: Mapping[str, Thread]) -> Conflict:
    newer, older = threads[bridge.source], threads[bridge.target]
    # A contradiction says the same from either end; the later thread is the one to believe.
    if bridge.relation is Relation.CONTRADICTS and newer.created_at < older.created_at:
        newer, older = older, newer
    return Conflict(
        older=older.id,
        newer=newer.id,
        relation=bridge.relation,
        reason=bridge.reason or _SAID[bridge.relation],
        at=bridge.last_used,
    )
