"""Split a query with several sentences or items into parts that are searched for on their own.

"which key, and which board" asks two things, and the messages that know one of them seldom know
the other.
"""

import re

from ai_smartness.search.word_rarity import content_words

__all__ = ["query_parts"]

MOST_PARTS = 4  # each part is a search of its own
LEAST_WORDS = 2  # a part with fewer words beside grammar asks for nothing by itself
LONGEST_QUERY_CHARACTERS = 1_200  # a longer query is a pasted text, and not a list of items

_PART_BREAK = re.compile(
    r"(?<=[.!?;])\s+|(?<=[。！？；])|,?\s+(?:and|und|et|y|и)\s+|,\s+|\s*\(\d\)\s*",  # noqa: RUF001 - full width
    re.IGNORECASE,
)


def query_parts(query: str) -> list[str]:
    """Return the parts of a query that ask for something; none if there are fewer than two."""
    if len(query) > LONGEST_QUERY_CHARACTERS or "\n" in query.strip():
        return []
    parts = [part.strip() for part in _PART_BREAK.split(query) if part and part.strip()]
    telling = [part for part in parts if len(content_words(part)) >= LEAST_WORDS]
    return telling[:MOST_PARTS] if len(telling) > 1 else []
