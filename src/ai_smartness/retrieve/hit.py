"""A stored message as an answer."""

from ai_smartness.model.event import Event
from ai_smartness.model.found import Hit, Why

__all__ = ["hit_of"]


def hit_of(event: Event, score: float = 1.0, why: Why | None = None, relevance: float = 1.0) -> Hit:
    """Return a message as a hit; one that was not searched for answers by being there."""
    return Hit(
        id=event.id,
        thread_id=event.thread_id,
        project=event.project,
        session=event.session,
        role=event.role,
        at=event.at,
        text=event.text,
        score=score,
        why=why or Why(),
        relevance=relevance,
        seq=event.seq,
    )
