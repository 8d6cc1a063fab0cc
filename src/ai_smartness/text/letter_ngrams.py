"""Cut the words of inflected languages into runs of letters, so that one form finds another.

The index knows the endings of English words only. In a text that is clearly not English, every
word is also indexed and searched by its runs of four letters: "Rechnung" then finds "Rechnungen"
and "Monatsrechnung". An English text has none.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from ai_smartness.text.keywords import READ_MESSAGE_CHARACTERS, search_subwords
from ai_smartness.text.stopwords import ENGLISH_GRAMMAR, OTHER_GRAMMAR

__all__ = ["MARK", "MOST_NGRAMS", "is_inflected_text", "letter_ngrams"]

NGRAM_LETTERS = 4

MARK = "\ue000"
"""Ends every run, so that no word equals one; the index takes it for a letter."""

MOST_NGRAMS = 1_024  # distinct ones of a text
LEAST_SIGNS = 2  # words that show another language; one may be a name or a quotation
LEAST_SIGN_SHARE = 0.15  # of all words

_LETTERS = re.compile(r"[^\W\d_]+")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_AROUND = ".,;:!?¿¡()[]{}\"'«»„“”‘’‚…–—*<>"
_INSIDE = re.compile(r"[-'’]")
_FIRST_OTHER_ALPHABET = "\u0370"  # Greek; Latin letters with accents stand before it


def letter_ngrams(text: str) -> list[str]:
    """Return the distinct runs of four letters of a text's words, each ending in the mark.

    Those of words in another alphabet than the Latin one, and of all words if the text is not
    English. Identifiers, paths, code, acronyms and grammar are left out.
    """
    head = text[:READ_MESSAGE_CHARACTERS]
    is_inflected = is_inflected_text(head)
    if head.isascii() and not is_inflected:
        return []
    words = _plain_words(unicodedata.normalize("NFC", _CODE.sub(" ", head)))
    runs = (
        word[start : start + NGRAM_LETTERS] + MARK
        for word in words
        if is_inflected or word[0] >= _FIRST_OTHER_ALPHABET
        for start in range(len(word) - NGRAM_LETTERS + 1)
    )
    return list(islice(dict.fromkeys(runs), MOST_NGRAMS))


def is_inflected_text(text: str) -> bool:
    """Say whether a text in the Latin script is clearly not English, by its grammar and accents."""
    words = _LETTERS.findall(text[:READ_MESSAGE_CHARACTERS])
    signs = sum(map(_shows_other_language, words))
    if signs < LEAST_SIGNS or signs < LEAST_SIGN_SHARE * len(words):
        return False
    return signs > sum(word.lower() in ENGLISH_GRAMMAR for word in words)


def _shows_other_language(word: str) -> bool:
    """Say whether a word is foreign grammar, or has an accent and is no name."""
    if word.isascii():
        return len(word) > 1 and word.lower() in OTHER_GRAMMAR
    is_accented = word[0].islower() and max(word) < _FIRST_OTHER_ALPHABET
    return is_accented or word.lower() in OTHER_GRAMMAR


def _plain_words(text: str) -> Iterator[str]:
    """Yield the words of sentences in lower case, without grammar."""
    for token in text.split():
        for part in _INSIDE.split(token.strip(_AROUND)):
            folded = part.lower()
            is_word = part.isalpha() and part[1:].islower() and folded not in OTHER_GRAMMAR
            if is_word and (part.isascii() or not search_subwords("a" + folded)):
                yield folded
