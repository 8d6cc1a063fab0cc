"""Weigh words by how rare they are among the matches of a search, in any language."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from ai_smartness.text.keywords import search_subwords
from ai_smartness.text.stopwords import GRAMMAR_SHARE, conversation_share

__all__ = ["WordRarity", "content_words", "stemmed_set", "stemmed_words"]

RARITY_CHARACTERS = 500  # of each match, among which the rarity of a word is counted
KNOWN_TEXTS = 5_000  # whose words are found once: a search compares the same lines again
KNOWN_CHARACTERS = 8_000  # of such a text
STEM_CHARACTERS = 5  # letters of a word that are compared: its ending is grammar

_WORD = re.compile(r"[^\W_]+")
_DIGIT = re.compile(r"\d")


class WordRarity:
    """The weight of each word by its rarity among the matches."""

    def __init__(self, texts: Iterable[str]) -> None:
        counted = [frozenset(stemmed_words(text[:RARITY_CHARACTERS])) for text in texts]
        self._text_count = len(counted)
        self._counts = Counter(word for words in counted for word in words)
        self._weights: dict[str, float] = {}

    def total_weight(self, words: Iterable[str]) -> float:
        """Return the sum of the words' weights."""
        return sum(self._word_weight(word) for word in words)

    def _word_weight(self, word: str) -> float:
        if word not in self._weights:
            count = self._counts[word]
            self._weights[word] = math.log(1 + (self._text_count - count + 0.5) / (count + 0.5))
        return self._weights[word]


def stemmed_words(text: str) -> list[str]:
    """Return the words of a text without endings; pairs of letters for unspaced scripts."""
    words = _WORD.findall(text.lower())
    if text.isascii():
        return [_word_stem(word) for word in words]
    return [
        part
        for word in words
        for part in (search_subwords(word).split() if not word.isascii() else ())
        or (_word_stem(word),)
    ]


def stemmed_set(text: str) -> frozenset[str]:
    """Return the distinct words of a text without endings."""
    is_short = len(text) <= KNOWN_CHARACTERS
    return _known_stemmed_set(text) if is_short else frozenset(stemmed_words(text))


@lru_cache(KNOWN_TEXTS)
def _known_stemmed_set(text: str) -> frozenset[str]:
    return frozenset(stemmed_words(text))


def content_words(text: str) -> frozenset[str]:
    """Return the distinct words of a text that are not grammar, without endings."""
    words = _WORD.findall(text.casefold())
    return stemmed_set(" ".join(w for w in words if conversation_share(w) < GRAMMAR_SHARE))


def _word_stem(word: str) -> str:
    has_digit = not word.isalpha() and _DIGIT.search(word)
    return word if has_digit else word[:STEM_CHARACTERS]
