"""Search for a question as it is asked, and in English words if it is in another language.

What a memory says of something is seldom in two languages, so one of the two wordings finds much
more than the other: that one ranks the messages and their lines.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ai_smartness.model.search import Hit, SearchScope
from ai_smartness.ports import Embedder, ThreadStore
from ai_smartness.search.answer_lines import is_repetition, merged_hits
from ai_smartness.search.search import SearchContext, search
from ai_smartness.text.translate import english_wording, language_of

__all__ = ["answered_wording", "search_wordings"]

COMPARED_HITS = 10  # the best messages, which tell in which language the memory answers
READ_CHARACTERS = 500  # of each: enough to tell its language


def search_wordings(
    store: ThreadStore,
    embedder: Embedder | None,
    query: str,
    scope: SearchScope,
    limit: int,
    context: SearchContext,
) -> list[Hit]:
    """Return the messages that answer the query best, in whichever language, best first."""
    english = english_wording(query) if isinstance(query, str) else None
    if english is None:
        return search(store, embedder, query, scope, limit, context)
    asked, told = store.read_together(
        *(partial(search, store, embedder, one, scope, limit, context) for one in (query, english))
    )
    is_better = _best_relevance(query, told) > _best_relevance(query, asked)
    first, other = (told, asked) if is_better else (asked, told)
    # A score stays what it is in the better search.
    best = max((hit.score for hit in first), default=1.0)
    merged = merged_hits(first, [other])[:limit]
    return [replace(hit, score=hit.score * best) for hit in merged]


def answered_wording(query: str, hits: Sequence[Hit]) -> str:
    """Return the query, or its English wording if the messages found for it are in English."""
    english = english_wording(query)
    if english is None:
        return query
    in_english = in_other = 0.0
    for hit in hits[:COMPARED_HITS]:
        if is_repetition(hit, query):
            continue
        if language_of(hit.text[:READ_CHARACTERS]) is None:
            in_english += hit.relevance
        else:
            in_other += hit.relevance
    return english if in_english > in_other else query


def _best_relevance(query: str, hits: Sequence[Hit]) -> float:
    """Return the relevance of the best message; the question itself does not answer."""
    return max((hit.relevance for hit in hits if not is_repetition(hit, query)), default=0.0)
