"""Put the matches that a cross-encoder judges best first, among the first of a search.

The scores of the search stay in their places, so that everything behind reads them as before; only
the messages change places. Matches that were not judged keep theirs.
"""

from collections.abc import Iterator, Mapping, Sequence

from ai_smartness.model.search import SearchMatch
from ai_smartness.text.display import matching_excerpt
from ai_smartness.text.keywords import subject_words

__all__ = ["RERANKED_MATCHES", "reordered_matches", "texts_to_judge"]

RERANKED_MATCHES = 20  # the first matches of a search; each costs tens of milliseconds
JUDGED_CHARACTERS = 600  # of a message, around the words of the query


def texts_to_judge(
    query: str, matches: Sequence[SearchMatch], texts: Mapping[int, str]
) -> Iterator[str]:
    """Yield the text of each match; of a long message the part with the words of the query."""
    words = subject_words(query)
    for match in matches:
        yield matching_excerpt(texts[match.seq], words, JUDGED_CHARACTERS)


def reordered_matches(matches: Sequence[SearchMatch], judged: Sequence[float]) -> list[SearchMatch]:
    """Return the first matches by their judged scores, the best first, and then the others."""
    order = sorted(range(len(judged)), key=lambda place: (-judged[place], place))
    moved = (SearchMatch(matches[old].seq, matches[new].score) for new, old in enumerate(order))
    return [*moved, *matches[len(judged) :]]
