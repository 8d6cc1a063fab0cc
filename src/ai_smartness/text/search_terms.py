"""List what a message is indexed by beside its words, and what the index is asked for.

Other spellings are added to the query alone, runs of letters to both.
"""

from ai_smartness.text.keywords import MOST_QUERY_TERMS, query_terms, search_subwords
from ai_smartness.text.letter_ngrams import letter_ngrams
from ai_smartness.text.spellings import other_spellings

__all__ = ["indexed_parts", "search_terms"]


def indexed_parts(text: str) -> str:
    """Return what a text is indexed by beside its words; runs of letters stand on a second line."""
    subwords, ngrams = search_subwords(text), letter_ngrams(text)
    return f"{subwords}\n{' '.join(ngrams)}" if ngrams else subwords


def search_terms(query: str) -> list[str]:
    """Return the distinct terms of a query, then other spellings and runs of letters."""
    ngrams = letter_ngrams(query)[:MOST_QUERY_TERMS]
    return list(dict.fromkeys([*query_terms(query), *other_spellings(query), *ngrams]))
