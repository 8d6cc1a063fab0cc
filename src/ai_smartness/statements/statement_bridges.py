"""Bridges between threads whose statements supersede each other.

A bridge that somebody made or removed stays as it is.
"""

from collections.abc import Sequence

from ai_smartness.describe.relations import bridge_id, shortened_quote
from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.ports import ThreadStore
from ai_smartness.statements.in_force import Supersession

__all__ = ["FOUND_BY_STATEMENTS", "remove_statement_bridges", "save_statement_bridges"]

FOUND_BY_STATEMENTS = "statements"  # how a bridge is marked that a superseded statement made


def save_statement_bridges(store: ThreadStore, found: Sequence[Supersession]) -> None:
    """Save a bridge for each supersession across threads."""
    bridges = {
        bridge.id: bridge
        for one in found
        if one.older.thread_id != one.newer.thread_id
        for bridge in [_bridge_of(one)]
    }
    sources = {bridge.source for bridge in bridges.values()}
    known = {bridge.id for id_ in sources for bridge in store.bridges.of(id_, unwanted=True)}
    store.bridges.save([bridge for id_, bridge in bridges.items() if id_ not in known])


def remove_statement_bridges(store: ThreadStore, project: str) -> None:
    """Remove the bridges that statements made, before all are judged again."""
    made = [one.id for one in store.bridges.all(project) if one.made_by == FOUND_BY_STATEMENTS]
    store.bridges.remove(made)


def _bridge_of(found: Supersession) -> Bridge:
    source, target = found.newer.thread_id, found.older.thread_id
    before, after = shortened_quote(found.older.text), shortened_quote(found.newer.text)
    is_open = found.relation is Relation.CONTRADICTS
    reason = f'"{after}" stands against "{before}"' if is_open else f'"{before}" became "{after}"'
    return Bridge(
        id=bridge_id(source, target, found.relation),
        source=source,
        target=target,
        relation=found.relation,
        weight=round(found.chance, 3),
        reason=reason,
        confidence=round(found.chance, 3),
        made_by=FOUND_BY_STATEMENTS,
        last_used=found.newer.at,
    )
