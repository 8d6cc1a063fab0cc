"""Weigh words by how rare they are among the matches of a search, in any language."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain

from ai_smartness.text.keywords import search_subwords
from ai_smartness.text.stopwords import GRAMMAR_SHARE, conversation_share
from ai_smartness.text.words import ascii_words

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
        counted = [stemmed_set(text[:RARITY_CHARACTERS]) for text in texts]
        self._text_count = len(counted)
        self._counts = Counter(chain.from_iterable(counted))
        self._weights: dict[str, float] = {}

    def total_weight(self, words: Iterable[str]) -> float:
        """Return the sum of the words' weights."""
        known = self._weights
        return sum([known[word] if word in known else self._word_weight(word) for word in words])

    def _word_weight(self, word: str) -> float:
        count = self._counts[word]
        weight = math.log(1 + (self._text_count - count + 0.5) / (count + 0.5))
        self._weights[word] = weight
        return weight


def stemmed_words(text: str) -> list[str]:
    """Return the words of a text without endings; pairs of letters for unspaced scripts."""
    if text.isascii():
        return [
            word[:STEM_CHARACTERS] if len(word) > STEM_CHARACTERS and word.isalpha() else word
            for word in ascii_words(text)
        ]
    stems: list[str] = []
    for word in _WORD.findall(text.lower()):
        if word.isascii():
            stems.append(word[:STEM_CHARACTERS] if word.isalpha() else word)
        else:
            stems.extend(search_subwords(word).split() or (_word_stem(word),))
    return stems


def stemmed_set(text: str) -> frozenset[str]:
    """Return the distinct words of a text without endings."""
    is_short = len(text) <= KNOWN_CHARACTERS
    return _known_stemmed_set(text) if is_short else frozenset(stemmed_words(text))


@lru_cache(KNOWN_TEXTS)
def _known_stemmed_set(text: str) -> frozenset[str]:
    return frozenset(stemmed_words(text))


def content_words(text: str) -> frozenset[str]:
    """Return the distinct words of a text that are not grammar, without endings."""
    is_short = len(text) <= KNOWN_CHARACTERS
    return _known_content_words(text) if is_short else _content_words(text)


def _content_words(text: str) -> frozenset[str]:
    words = _WORD.findall(text.casefold())
    return stemmed_set(" ".join(w for w in words if conversation_share(w) < GRAMMAR_SHARE))


_known_content_words = lru_cache(KNOWN_TEXTS)(_content_words)


def _word_stem(word: str) -> str:
    has_digit = not word.isalpha() and _DIGIT.search(word)
    return word if has_digit else word[:STEM_CHARACTERS]
