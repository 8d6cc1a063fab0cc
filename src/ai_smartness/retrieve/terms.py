"""What a query looks for in full text.

A word is looked for as it is written; a path or an identifier as a whole and
by its parts. No language has words that are left out.
"""

import re
from itertools import chain

from ai_smartness.model.subwords import subwords

__all__ = ["terms"]

MOST_TERMS = 64
"""A longer query is a pasted text; its first words say what it is about."""

_SPACED = re.compile(r"[^\s\x00]+")
# Letters, digits, and the marks without which a word of Hebrew, Hindi or Tamil falls apart.
_WORD = re.compile(
    r"(?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff])+"
)


def terms(query: str) -> list[str]:
    """Return what any matching event holds at least one of, without repetition."""
    head = query[: MOST_TERMS * 64]
    wholes = (whole for whole in _SPACED.findall(head) if len(_WORD.findall(whole)) > 1)
    words = _WORD.findall(head)
    found = chain(words, subwords(head).split(), wholes)
    return list(dict.fromkeys(term.lower() for term in found))[:MOST_TERMS]
