"""Find the messages that answer a query: keyword search and search by meaning, fused.

Scores are compared with the best of their own search: BM25 as a share of the best, a
cosine by how far it stands out from a typical one. A rank alone says less, since the best
match may be far ahead or one of many.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
from operator import index
from threading import Barrier
from typing import TYPE_CHECKING, NamedTuple, SupportsIndex, TypeAlias

from ai_smartness.capture.clean import sanitized_text
from ai_smartness.capture.embed import model_errors, reading_model
from ai_smartness.model.errors import RefusedError
from ai_smartness.model.event import Event, as_utc
from ai_smartness.model.search import Hit, HitReason, NearestEvents, SearchMatch, SearchScope
from ai_smartness.ports import Embedder, ThreadStore
from ai_smartness.search.rank import hit_from_event
from ai_smartness.search.relevance import MeaningScore, is_non_latin, message_relevance, word_shares
from ai_smartness.search.rerank import (
    SUPERSEDING_HITS,
    newest_first,
    reranked_matches,
    seqs_to_compare,
)
from ai_smartness.search.sentence_cosines import (
    EmbeddedQuestion,
    sentence_vectors,
    with_sentence_cosines,
)
from ai_smartness.settings.schema import SearchSettings
from ai_smartness.text.keywords import search_subwords, shortened_addresses, web_addresses
from ai_smartness.text.search_terms import search_terms

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Reorder", "SearchContext", "fused_matches", "search", "start_embedding_threads"]

RELEVANCE_HITS = 60  # the first hits, whose relevance is measured; nobody looks further
EMBEDDING_THREADS = 2  # more than two searches at once would only wait for the processor
MAX_LIMIT = 1_000_000
"""More than anybody reads. The indexes reserve room for as many as are asked for."""

BOTH_SHARES = (1.5, 0.75)
"""How much the model that reads a question and the first model count if both search: more than one
alone, for the words of other languages are inflected, and match less."""

NO_EVENTS = NearestEvents([])

MIN_COSINE_SPREAD = 0.02
"""If the best cosine is closer to a typical one than this, no message stands out."""


Reorder: TypeAlias = Callable[
    [str, Sequence[SearchMatch], Callable[[Sequence[int]], Mapping[int, str]]], list[SearchMatch]
]
"""Reorders the matches of a query; takes a function that loads their texts."""


@dataclass(frozen=True, slots=True)
class SearchContext:
    """The weights of a search, its time, the text the session has just seen, and a reranker."""

    weights: SearchSettings
    now: datetime
    session_text: str = ""
    reorder: Reorder | None = None


def search(
    store: ThreadStore,
    embedder: Embedder | None,
    query: str,
    scope: SearchScope,
    limit: int,
    context: SearchContext,
) -> list[Hit]:
    """Return the messages that answer the query best, best first."""
    query = sanitized_text(_checked_text("query", query))
    scope, limit = _checked_scope(scope), _checked_limit(limit)
    if not query.strip():
        return []

    found = _found_matches(store, embedder, query, scope, max(limit, context.weights.candidates))
    positions, sentences = store.read_together(
        partial(store.events.positions_by_seq, found.seqs),
        partial(sentence_vectors, store, found.meaning, query, found.question),
    )
    meaning = with_sentence_cosines(found.meaning, positions, sentences, found.question)
    fused = fused_matches(found.words, meaning, context.weights, found.also)
    matches = reranked_matches(fused, positions, scope.before or context.now)
    if context.reorder is not None:
        matches = context.reorder(query, matches, store.events.texts_by_seq)
    # Read before the last change of their order, which can only move these.
    seqs = [match.seq for match in matches[: max(limit, SUPERSEDING_HITS)]]
    texts, events, shared = store.read_together(
        partial(store.events.texts_by_seq, seqs_to_compare(matches, positions)),
        partial(store.events.by_seq, seqs),
        partial(_shared_words, store, query, scope, context.session_text, seqs[:RELEVANCE_HITS]),
    )
    matches = newest_first(query, matches, positions, texts)[:limit]
    shares = _shares_of_words(query, shared, events)
    reasons = _match_reasons([], found.also, embedder, shares, events) | _match_reasons(
        found.words, meaning, found.reader, shares, events
    )
    scores, non_latin = _meaning_scores(meaning, found.reader, shares), is_non_latin(query)

    def hit(match: SearchMatch) -> Hit:
        event, reason, share = events[match.seq], reasons[match.seq], shares.get(match.seq)
        if share is None:
            return hit_from_event(event, match.score, reason, 0.0)
        relevance = message_relevance(scores.get(match.seq), share, non_latin=non_latin)
        return hit_from_event(event, match.score, reason, relevance)

    return [hit(match) for match in matches]


class _FoundMatches(NamedTuple):
    """What the two indexes return: by words, and by meaning, and what the first model adds."""

    words: list[SearchMatch]
    question: "EmbeddedQuestion | None" = None
    meaning: NearestEvents = NO_EVENTS
    also: NearestEvents = NO_EVENTS

    @property
    def seqs(self) -> set[int]:
        """Return the events of all of them."""
        return {match.seq for match in (*self.words, *self.meaning.matches, *self.also.matches)}

    @property
    def reader(self) -> Embedder | None:
        """Return the model that read the question."""
        return self.question[0] if self.question else None


def _found_matches(
    store: ThreadStore, embedder: Embedder | None, query: str, scope: SearchScope, limit: int
) -> _FoundMatches:
    """Search by words and by meaning; a question in another language may need both models."""
    words, question = _words_and_vector(store, embedder, query, scope, limit)
    if embedder is None or question is None:
        return _FoundMatches(words)
    (reader, vector), seqs = question, [match.seq for match in words]
    half_read = _half_read_question(embedder, reader, query)
    vectors = [(reader.space, vector), *([half_read] if half_read else [])]
    meaning, *also = store.read_together(
        *(partial(store.vector_index.nearest, scope, *one, limit, seqs) for one in vectors)
    )
    return _FoundMatches(words, question, meaning, also[0] if also else NO_EVENTS)


def _shared_words(
    store: ThreadStore, query: str, scope: SearchScope, session_text: str, seqs: Sequence[int]
) -> list[Mapping[int, float]]:
    """Return each message's share of the query's words; if it names addresses, also without."""

    def shares(question: str) -> Mapping[int, float]:
        wanted = " ".join([question, search_subwords(question)])
        return word_shares(store.word_index.compare_words(scope, wanted, session_text, seqs))

    questions = [query, shortened_addresses(query)] if web_addresses(query) else [query]
    return store.read_together(*(partial(shares, question) for question in questions))


def _shares_of_words(
    query: str, shared: Sequence[Mapping[int, float]], events: Mapping[int, Event]
) -> Mapping[int, float]:
    """Return each message's share of the query's words.

    An address counts by its last part, and as a whole for a message that has the same one.
    """
    whole, told = shared[0], shared[-1]
    addresses = web_addresses(query)
    same = {seq for seq in told if addresses and addresses & web_addresses(events[seq].text)}
    return {seq: whole[seq] if seq in same else share for seq, share in told.items()}


def _words_and_vector(
    store: ThreadStore, embedder: Embedder | None, query: str, scope: SearchScope, limit: int
) -> "tuple[list[SearchMatch], EmbeddedQuestion | None]":
    """Search by words, and meanwhile embed the query with the model that reads it."""
    if embedder is None:
        return store.word_index.match(scope, search_terms(query), limit), None
    pending = _embedding_threads().submit(_embedded_question, embedder, query)
    words = store.word_index.match(scope, search_terms(query), limit)
    return words, pending.result()


def start_embedding_threads() -> None:
    """Start the threads that embed: they have the priority of the thread that starts them."""
    threads, all_running = _embedding_threads(), Barrier(EMBEDDING_THREADS + 1)
    for _ in range(EMBEDDING_THREADS):
        threads.submit(all_running.wait)
    all_running.wait()


@cache
def _embedding_threads() -> "ThreadPoolExecutor":
    """Return the threads that embed beside a search; starting one takes as long as some queries."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(max_workers=EMBEDDING_THREADS, thread_name_prefix="embed")


def _embedded_question(embedder: Embedder, query: str) -> "EmbeddedQuestion":
    told = shortened_addresses(query)
    with model_errors():
        reader = reading_model(embedder, told)
        return reader, reader.query(told)


def _half_read_question(
    first: Embedder, reader: Embedder, query: str
) -> "tuple[str, NDArray[np.float32]] | None":
    """Return the first model's vector of a question that it half reads, with its space.

    The first model knows many words of other languages in the Latin script, and none in others.
    """
    if reader is first or is_non_latin(query):
        return None
    with model_errors():
        return first.space, first.query(shortened_addresses(query))


def fused_matches(
    words: Sequence[SearchMatch],
    meaning: NearestEvents,
    weights: SearchSettings,
    also: NearestEvents = NO_EVENTS,
) -> list[SearchMatch]:
    """Return each event of the searches once, best first, with a score of at most 1.

    `also` are the events that the first model finds if the other one reads the question.
    """
    scores: dict[int, float] = {}
    best = max((match.score for match in words), default=0.0) or 1.0
    for match in words:
        scores[match.seq] = weights.words_weight * match.score / best
    shares = BOTH_SHARES if also.matches else (1.0, 0.0)
    for nearest, share in zip((meaning, also), shares, strict=True):
        for match in nearest.matches:
            standout = share * weights.meaning_weight * _cosine_standout(match, nearest)
            scores[match.seq] = scores.get(match.seq, 0.0) + standout
    most = (weights.words_weight + weights.meaning_weight * sum(shares)) or 1.0
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    # Sums of three shares may come out a little above 1.
    return [SearchMatch(seq, min(1.0, score / most)) for seq, score in ranked]


def _cosine_standout(match: SearchMatch, nearest: NearestEvents) -> float:
    """Measure how far a cosine stands out: 0 is typical, 1 is the best."""
    top = nearest.matches[0].score
    typical = top if nearest.typical is None else nearest.typical
    return min(1.0, max(0.0, match.score - typical) / max(top - typical, MIN_COSINE_SPREAD))


def _meaning_scores(
    meaning: NearestEvents, embedder: Embedder | None, wanted: Collection[int]
) -> dict[int, MeaningScore]:
    if embedder is None:
        return {}
    typical = meaning.typical or 0.0
    return {
        match.seq: MeaningScore(
            embedder.similarity(match.score),
            min(1.0, max(0.0, (match.score - typical) / embedder.cosine_range)),
        )
        for match in meaning.matches
        if match.seq in wanted
    }


def _match_reasons(
    words: Sequence[SearchMatch],
    meaning: NearestEvents,
    embedder: Embedder | None,
    shares: Mapping[int, float],
    wanted: Collection[int],
) -> dict[int, HitReason]:
    """Return why each of the events that are wanted was found."""
    by_words = {match.seq: (place, match.score) for place, match in enumerate(words, 1)}
    by_meaning = {match.seq: (place, match.score) for place, match in enumerate(meaning.matches, 1)}
    reasons: dict[int, HitReason] = {}
    for seq in (by_words.keys() | by_meaning.keys()) & set(wanted):
        words_rank, words_score = by_words.get(seq, (None, None))
        meaning_rank, cosine = by_meaning.get(seq, (None, None))
        reasons[seq] = HitReason(
            words_rank=words_rank,
            words_score=words_score,
            meaning_rank=meaning_rank,
            similarity=embedder.similarity(cosine) if embedder and cosine is not None else None,
            words_share=shares.get(seq),
        )
    return reasons


def _checked_scope(scope: SearchScope) -> SearchScope:
    """Return the scope with its time in UTC; refuse a session or time that no message can have."""
    if scope.session is not None:
        session = _checked_text("session", scope.session)
        try:
            session.encode()
        except UnicodeEncodeError as error:
            msg = (
                f"cannot search in the session {session!r}: it has half of a character in it, "
                "which no session's name has. Give the name as it was captured."
            )
            raise RefusedError(msg) from error
    return scope if scope.before is None else replace(scope, before=_utc_before(scope.before))


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
