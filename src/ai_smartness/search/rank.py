"""Rank threads by their best message, and shift the order a little by weight, rating and freshness.

A thread counts as stale if files that it names have changed since.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ai_smartness.model.annotation import Mention, MentionKind
from ai_smartness.model.event import Event, event_origin, event_tier
from ai_smartness.model.search import Hit, HitReason
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Worktree
from ai_smartness.threads.decay import WEIGHT_CEILING

__all__ = [
    "RankedThread",
    "changed_files_since",
    "hit_from_event",
    "rank_factor",
    "ranked_threads",
]

WEIGHT_SHARE = 0.1  # gain of the heaviest thread over one without weight
RATING_SHARE = 0.2  # loss of a thread that was never useful when it was shown
STALE_SHARE = 0.1  # loss of a stale thread
MAX_FILES = 16  # the latest named files of a thread: each has to be read


@dataclass(frozen=True, slots=True)
class RankedThread:
    """A thread with its matching messages, the best first."""

    thread: Thread
    messages: tuple[Hit, ...]
    score: float
    changed_files: tuple[str, ...]

    @property
    def relevance(self) -> float:
        """The relevance of the best message."""
        return max((hit.relevance for hit in self.messages), default=0.0)


def ranked_threads(
    hits: Iterable[Hit],
    get_thread: Callable[[str], Thread],
    changed_files: Callable[[Thread, Sequence[Hit]], tuple[str, ...]],
) -> list[RankedThread]:
    """Return the threads of the hits, best first."""
    by_thread: dict[str, list[Hit]] = {}
    for hit in hits:
        by_thread.setdefault(hit.thread_id, []).append(hit)
    ranked = []
    for id_, messages in by_thread.items():
        thread = get_thread(id_)
        files = changed_files(thread, messages)
        score = messages[0].score * rank_factor(thread, stale=bool(files))
        ranked.append(RankedThread(thread, tuple(messages), score, files))
    return sorted(ranked, key=lambda thread: (-thread.score, thread.thread.id))


def rank_factor(thread: Thread, *, stale: bool) -> float:
    """Return the factor near 1 by which a thread's score is shifted."""
    weight = 1.0 + WEIGHT_SHARE * (thread.weight / WEIGHT_CEILING - 0.5)
    rating = 1.0 - RATING_SHARE * (1.0 - thread.relevance)
    return weight * rating * (1.0 - STALE_SHARE if stale else 1.0)


def changed_files_since(
    mentions: Mapping[int, Iterable[Mention]], worktree: Worktree | None
) -> tuple[str, ...]:
    """Name the files that differ from what they were when messages last named them.

    `mentions` is what messages name, by `seq`.
    """
    if worktree is None:
        return ()
    digests: dict[str, str] = {}
    for seq in sorted(mentions):
        for mention in mentions[seq]:
            if mention.named is MentionKind.PATH and mention.digest:
                digests.pop(mention.name, None)
                digests[mention.name] = mention.digest
    latest = list(digests.items())[-MAX_FILES:]
    return tuple(name for name, digest in latest if worktree.file_digest(name) != digest)


def hit_from_event(
    event: Event, score: float = 1.0, why: HitReason | None = None, relevance: float = 1.0
) -> Hit:
    """Return a message as a hit; one that was not searched for is fully relevant."""
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
        tier=event_tier(event),
        origin=event_origin(event),
    )
