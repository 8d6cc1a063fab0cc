"""Messages lift their threads; then small, bounded things shift the order.

A stored message as an answer.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ai_smartness.model.event import Event
from ai_smartness.model.search import Hit, HitReason
from ai_smartness.model.thread import Thread
from ai_smartness.threads.decay import WEIGHT_CEILING

__all__ = ["RankedThread", "hit_from_event", "ranked_threads"]


WEIGHT_SHARE = 0.1
"""What the heaviest thread gains over one that weighs nothing."""

RATING_SHARE = 0.2
"""What a thread loses that was never of use when it was shown."""

STALE_SHARE = 0.1
"""What a thread loses when a file it speaks of has changed since."""


@dataclass(frozen=True, slots=True)
class RankedThread:
    """A thread with its messages that matched, the best first."""

    thread: Thread
    messages: tuple[Hit, ...]
    score: float
    changed_files: tuple[str, ...]

    @property
    def relevance(self) -> float:
        """How well it answers, by the best of its messages."""
        return max((hit.relevance for hit in self.messages), default=0.0)


def ranked_threads(
    hits: Iterable[Hit],
    threads: Callable[[str], Thread],
    changed: Callable[[Thread, Sequence[Hit]], tuple[str, ...]],
) -> list[RankedThread]:
    """Return the threads of the hits, best first."""
    of_thread: dict[str, list[Hit]] = {}
    for hit in hits:
        of_thread.setdefault(hit.thread_id, []).append(hit)
    found = []
    for id_, messages in of_thread.items():
        thread = threads(id_)
        stale = changed(thread, messages)
        score = messages[0].score * rank_factor(thread, stale=bool(stale))
        found.append(RankedThread(thread, tuple(messages), score, stale))
    return sorted(found, key=lambda each: (-each.score, each.thread.id))


def rank_factor(thread: Thread, *, stale: bool) -> float:
    """Measure by how much a thread is moved up or down, a factor near 1."""
    weight = 1.0 + WEIGHT_SHARE * (thread.weight / WEIGHT_CEILING - 0.5)
    rated = 1.0 - RATING_SHARE * (1.0 - thread.relevance)
    return weight * rated * (1.0 - STALE_SHARE if stale else 1.0)


def hit_from_event(
    event: Event, score: float = 1.0, why: HitReason | None = None, relevance: float = 1.0
) -> Hit:
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
        why=why or HitReason(),
        relevance=relevance,
        seq=event.seq,
    )
