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

from ai_smartness.capture.embed import model_errors
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import as_utc
from ai_smartness.model.search import Hit, HitReason, NearestEvents, SearchMatch, SearchScope
from ai_smartness.ports import Embedder, ThreadStore
from ai_smartness.search.fuse import fused_matches
from ai_smartness.search.rank import hit_from_event
from ai_smartness.search.relevance import MeaningScore, is_non_latin, message_relevance, word_shares
from ai_smartness.search.rerank import newest_first, reranked_matches
from ai_smartness.settings.schema import SearchSettings
from ai_smartness.text.identifiers import search_subwords
from ai_smartness.text.keywords import query_terms
from ai_smartness.text.sanitize import sanitized_text

__all__ = ["SearchContext", "search"]

RELEVANCE_HITS = 60
"""Hits, the first, of which it is said how well they answer at all; nobody looks further."""

MAX_LIMIT = 1_000_000
"""More than anybody reads; the searches reserve room for as many as are asked for."""


@dataclass(frozen=True, slots=True)
class SearchContext:
    """By which weights a question is answered, when it was asked, and after what was said."""

    weights: SearchSettings
    now: datetime
    session_text: str = ""


def search(
    store: ThreadStore,
    embedder: Embedder | None,
    query: str,
    scope: SearchScope,
    limit: int,
    asked: SearchContext,
) -> list[Hit]:
    """Return the messages that answer the query best, best first."""
    query, scope, limit = (
        sanitized_text(_checked_text("query", query)),
        _checked_scope(scope),
        _checked_limit(limit),
    )
    if not query.strip():
        return []
    weights, now = asked.weights, asked.now
    wide = max(limit, weights.candidates)
    words = store.word_index.match(scope, query_terms(query), wide)
    seqs = [match.seq for match in words]
    meaning = _nearest_by_meaning(store, embedder, query, scope, wide, seqs)
    found = fused_matches(words, meaning, weights)
    standing = store.events.positions_by_seq(match.seq for match in found)
    again = reranked_matches(found, standing, scope.before or now)
    ranked = newest_first(query, again, standing, partial(_event_texts, store))[:limit]
    why = _match_reasons(words, meaning, embedder)
    events = store.events.by_seq(match.seq for match in ranked)
    judged = _hit_relevance(
        store, (query, asked.session_text), scope, ranked, why, meaning_scores(meaning, embedder)
    )
    return [
        hit_from_event(
            events[match.seq], match.score, *judged.get(match.seq, (why[match.seq], 0.0))
        )
        for match in ranked
    ]


def _event_texts(store: ThreadStore, seqs: Sequence[int]) -> dict[int, str]:
    return {seq: event.text for seq, event in store.events.by_seq(seqs).items()}


def meaning_scores(meaning: NearestEvents, embedder: Embedder | None) -> dict[int, MeaningScore]:
    """Measure of each event how near it is by meaning, and how much nearer than a typical one."""
    if embedder is None:
        return {}
    typical = meaning.typical or 0.0
    return {
        match.seq: MeaningScore(
            embedder.similarity(match.score),
            min(1.0, max(0.0, (match.score - typical) / embedder.cosine_range)),
        )
        for match in meaning.matches
    }


def _hit_relevance(
    store: ThreadStore,
    asked: tuple[str, str],
    scope: SearchScope,
    ranked: Sequence[SearchMatch],
    why: Mapping[int, HitReason],
    near: Mapping[int, MeaningScore],
) -> dict[int, tuple[HitReason, float]]:
    """Say of the first hits how well each answers at all, and by how many of the words."""
    query, said = asked
    seqs = [match.seq for match in ranked[:RELEVANCE_HITS]]
    wanted = " ".join([query, search_subwords(query)])
    foreign = is_non_latin(query)
    shares = word_shares(store.word_index.compare_words(scope, wanted, said, seqs))
    return {
        seq: (
            replace(why[seq], words_share=share),
            message_relevance(near.get(seq), share, non_latin=foreign),
        )
        for seq, share in shares.items()
    }


def _nearest_by_meaning(
    store: ThreadStore,
    embedder: Embedder | None,
    query: str,
    scope: SearchScope,
    wide: int,
    also: Sequence[int],
) -> NearestEvents:
    if embedder is None:
        return NearestEvents([])
    with model_errors():
        vector = embedder.query(query)
    return store.vector_index.nearest(scope, embedder.space, vector, wide, also)


def _match_reasons(
    words: Sequence[SearchMatch], meaning: NearestEvents, embedder: Embedder | None
) -> dict[int, HitReason]:
    by_words = {match.seq: (place, match.score) for place, match in enumerate(words, 1)}
    by_meaning = {match.seq: (place, match.score) for place, match in enumerate(meaning.matches, 1)}
    reasons: dict[int, HitReason] = {}
    for seq in by_words.keys() | by_meaning.keys():
        words_rank, words_score = by_words.get(seq, (None, None))
        meaning_rank, cosine = by_meaning.get(seq, (None, None))
        similar = embedder.similarity(cosine) if embedder and cosine is not None else None
        reasons[seq] = HitReason(
            words_rank=words_rank,
            words_score=words_score,
            meaning_rank=meaning_rank,
            similarity=similar,
        )
    return reasons


def _checked_scope(scope: SearchScope) -> SearchScope:
    """Return the scope with its moment in UTC, or refuse what no message can be compared with."""
    if scope.session is not None:
        _check_session(_checked_text("session", scope.session))
    return scope if scope.before is None else replace(scope, before=_utc_before(scope.before))


def _check_session(session: str) -> None:
    try:
        session.encode()
    except UnicodeEncodeError as error:
        msg = (
            f"cannot search in the session {session!r}: it has half of a character in it, "
            "which no session's name has. Give the name as it was captured."
        )
        raise RefusedError(msg) from error


def _utc_before(before: object) -> datetime:
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
    if not 1 <= index(whole) <= MAX_LIMIT:
        msg = (
            f"cannot search for {limit!r} messages: the limit must be a whole number "
            f"from 1 to {MAX_LIMIT:,}."
        )
        raise RefusedError(msg)
    return index(whole)


def _checked_text(what: str, value: object) -> str:
    if not isinstance(value, str):
        msg = f"a search's {what} must be text, not {type(value).__name__}."
        raise RefusedError(msg)
    return value
