"""Which words of a question may name its subject, in any language."""

import re

from ai_smartness.model.subwords import subwords

__all__ = ["telling_words"]

TELLING_CHARACTERS = 4
"""A shorter word in the Latin script is mostly grammar: "why", "the", "for"."""

ACRONYM_CHARACTERS = 3
"""In capitals a word so short is a name: "JWT", "API". Of two letters there are "OK" and "NO"."""

_WORD = re.compile(r"[^\W_]+")


def telling_words(question: str) -> list[str]:
    """Return the distinct words that may name a subject, as they are written."""
    found = dict.fromkeys(word for word in _WORD.findall(question) if _is_telling(word))
    return list(found)


def _is_telling(word: str) -> bool:
    plain = word.isascii()
    if plain and any(character.isdigit() for character in word):
        return True
    if plain and word.isupper() and len(word) >= ACRONYM_CHARACTERS:
        return True
    return len(word) >= TELLING_CHARACTERS if plain else len(word) > 1 or bool(subwords(word))
