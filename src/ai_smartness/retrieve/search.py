"""Find the messages that answer a query.

Two searches over the same events, by words and by meaning, put together; an
event found by both stands above one found by either.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from operator import index
from typing import SupportsIndex

from ai_smartness.capture.clean import harmless
from ai_smartness.capture.embed import model_asked
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import as_utc
from ai_smartness.model.found import Hit, Match, Nearby, Scope, Why
from ai_smartness.model.subwords import subwords
from ai_smartness.ports import Embedder, ThreadStore
from ai_smartness.retrieve.fuse import Weights, fused
from ai_smartness.retrieve.hit import hit_of
from ai_smartness.retrieve.newest import newest_first
from ai_smartness.retrieve.relevance import Meaning, is_foreign, relevance, word_shares
from ai_smartness.retrieve.second_look import seen_again
from ai_smartness.retrieve.terms import terms

__all__ = ["Asked", "search"]

JUDGED = 60
"""Hits, the first, of which it is said how well they answer at all; nobody looks further."""

LARGEST_LIMIT = 1_000_000
"""More than anybody reads; the searches reserve room for as many as are asked for."""


@dataclass(frozen=True, slots=True)
class Asked:
    """By which weights a question is answered, when it was asked, and after what was said."""

    weights: Weights
    at: datetime
    said: str = ""


def search(
    store: ThreadStore,
    embedder: Embedder | None,
    query: str,
    scope: Scope,
    limit: int,
    asked: Asked,
) -> list[Hit]:
    """Return the messages that answer the query best, best first."""
    query, scope, limit = harmless(_text("query", query)), _checked(scope), _checked_limit(limit)
    if not query.strip():
        return []
    weights, now = asked.weights, asked.at
    wide = max(limit, weights.candidates)
    words = store.words.match(scope, terms(query), wide)
    seqs = [match.seq for match in words]
    meaning = _by_meaning(store, embedder, query, scope, wide, seqs)
    found = fused(words, meaning, weights)
    standing = store.events.standing(match.seq for match in found)
    again = seen_again(found, standing, scope.before or now)
    ranked = newest_first(query, again, standing, partial(_texts, store))[:limit]
    why = _reasons(words, meaning, embedder)
    events = store.events.by_seq(match.seq for match in ranked)
    judged = _judged(store, (query, asked.said), scope, ranked, why, nearness(meaning, embedder))
    return [
        hit_of(events[match.seq], match.score, *judged.get(match.seq, (why[match.seq], 0.0)))
        for match in ranked
    ]


def _texts(store: ThreadStore, seqs: Sequence[int]) -> dict[int, str]:
    return {seq: event.text for seq, event in store.events.by_seq(seqs).items()}


def nearness(meaning: Nearby, embedder: Embedder | None) -> dict[int, Meaning]:
    """Measure of each event how near it is by meaning, and how much nearer than a typical one."""
    if embedder is None:
        return {}
    typical = meaning.typical or 0.0
    return {
        match.seq: Meaning(
            embedder.similarity(match.score),
            min(1.0, max(0.0, (match.score - typical) / embedder.spread)),
        )
        for match in meaning.matches
    }


def _judged(
    store: ThreadStore,
    asked: tuple[str, str],
    scope: Scope,
    ranked: Sequence[Match],
    why: Mapping[int, Why],
    near: Mapping[int, Meaning],
) -> dict[int, tuple[Why, float]]:
    """Say of the first hits how well each answers at all, and by how many of the words."""
    query, said = asked
    seqs = [match.seq for match in ranked[:JUDGED]]
    wanted = " ".join([query, subwords(query)])
    foreign = is_foreign(query)
    shares = word_shares(store.words.compared(scope, wanted, said, seqs))
    return {
        seq: (
            replace(why[seq], words_share=share),
            relevance(near.get(seq), share, foreign=foreign),
        )
        for seq, share in shares.items()
    }


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
    with model_asked():
        vector = embedder.query(query)
    return store.vectors.nearest(scope, embedder.space, vector, wide, also)


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


def _checked(scope: Scope) -> Scope:
    """Return the scope with its moment in UTC, or refuse what no message can be compared with."""
    if scope.session is not None:
        _check_session(_text("session", scope.session))
    return scope if scope.before is None else replace(scope, before=_moment(scope.before))


def _check_session(session: str) -> None:
    try:
        session.encode()
    except UnicodeEncodeError as error:
        msg = (
            f"cannot search in the session {session!r}: it has half of a character in it, "
            "which no session's name has. Give the name as it was captured."
        )
        raise RefusedError(msg) from error


def _moment(before: object) -> datetime:
    if not isinstance(before, datetime):
        msg = (
            f"a search's before must be a datetime, not {type(before).__name__}. "
            "`datetime.fromisoformat` reads one from text."
        )
        raise RefusedError(msg)
    try:
        return as_utc(before)
    except (OverflowError, ValueError) as error:
        msg = (
            f"cannot search for what was before {before}: in UTC it is not within the years 1 to "
            "9999. Leave it out to search all there is."
        )
        raise RefusedError(msg) from error


def _checked_limit(limit: object) -> int:
    whole = limit if isinstance(limit, SupportsIndex) else 0
    if not 1 <= index(whole) <= LARGEST_LIMIT:
        msg = (
            f"cannot search for {limit!r} messages: the limit must be a whole number "
            f"from 1 to {LARGEST_LIMIT:,}."
        )
        raise RefusedError(msg)
    return index(whole)


def _text(what: str, value: object) -> str:
    if not isinstance(value, str):
        msg = f"a search's {what} must be text, not {type(value).__name__}."
        raise RefusedError(msg)
    return value
