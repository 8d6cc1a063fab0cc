"""Find the messages that answer a query.

Two searches over the same events, by words and by meaning, put together; an
event found by both stands above one found by either.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event
from ai_smartness.model.found import Hit, Match, Nearby, Scope, Why
from ai_smartness.ports import Embedder, ThreadStore
from ai_smartness.retrieve.fuse import Weights, fused
from ai_smartness.retrieve.second_look import seen_again
from ai_smartness.retrieve.terms import terms

__all__ = ["Asked", "search"]


@dataclass(frozen=True, slots=True)
class Asked:
    """By which weights a question is answered, and when it was asked."""

    weights: Weights
    at: datetime


def search(
    store: ThreadStore,
    embedder: Embedder | None,
    query: str,
    scope: Scope,
    limit: int,
    asked: Asked,
) -> list[Hit]:
    """Return the messages that answer the query best, best first."""
    if limit < 1:
        msg = f"cannot search for {limit} messages: the limit must be 1 or more."
        raise RefusedError(msg)
    if not query.strip():
        return []
    weights, now = asked.weights, asked.at
    wide = max(limit, weights.candidates)
    words = store.words.match(scope, terms(query), wide)
    seqs = [match.seq for match in words]
    meaning = _by_meaning(store, embedder, query, scope, wide, seqs)
    found = fused(words, meaning, weights)
    standing = store.events.standing(match.seq for match in found)
    ranked = seen_again(found, standing, scope.before or now)[:limit]
    why = _reasons(words, meaning, embedder)
    events = store.events.by_seq(match.seq for match in ranked)
    return [_hit(events[match.seq], match.score, why[match.seq]) for match in ranked]


def _by_meaning(
    store: ThreadStore,
    embedder: Embedder | None,
    query: str,
    scope: Scope,
    wide: int,
    also: Sequence[int],
) -> Nearby:
    if embedder is None:
        return Nearby([])
    return store.vectors.nearest(scope, embedder.space, embedder.query(query), wide, also)


def _reasons(words: Sequence[Match], meaning: Nearby, embedder: Embedder | None) -> dict[int, Why]:
    by_words = {match.seq: (place, match.score) for place, match in enumerate(words, 1)}
    by_meaning = {match.seq: (place, match.score) for place, match in enumerate(meaning.matches, 1)}
    reasons: dict[int, Why] = {}
    for seq in by_words.keys() | by_meaning.keys():
        words_rank, words_score = by_words.get(seq, (None, None))
        meaning_rank, cosine = by_meaning.get(seq, (None, None))
        similar = embedder.similarity(cosine) if embedder and cosine is not None else None
        reasons[seq] = Why(
            words_rank=words_rank,
            words_score=words_score,
            meaning_rank=meaning_rank,
            similarity=similar,
        )
    return reasons


def _hit(event: Event, score: float, why: Why) -> Hit:
    return Hit(
        id=event.id,
        thread_id=event.thread_id,
        project=event.project,
        session=event.session,
        role=event.role,
        at=event.at,
        text=event.text,
        score=score,
        why=why,
    )
