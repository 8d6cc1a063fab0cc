"""Read what a heading is about, without a label like `Plan:`, its verb and its details."""

import re

from ai_smartness.describe.clause_parts import is_telling_word
from ai_smartness.describe.noun_phrases import planned_object, request_object
from ai_smartness.describe.parse_message import Word
from ai_smartness.describe.phrase_ends import PHRASE_WORDS, cut_phrase, phrase_length
from ai_smartness.describe.request_words import PROCESS_NOUNS
from ai_smartness.text.stopwords import GRAMMAR_SHARE, conversation_share

__all__ = ["heading_object"]

SHORT_HEADING_WORDS = 4
LEAST_COLON_WORDS = 3  # before a colon that ends a heading

_LABEL = re.compile(r"[\w ]{2,12}:\s+")
_LINK = re.compile(r"\[([^\]\n]{1,100}+)\]\([^)\s]{0,300}+\)")
_ENDING_BRACKETS = re.compile(r" \([^()\n]{0,100}+\)$")
_BRACKETS = re.compile(r" \([^()\n]{0,100}+\)")
_HEADING_ENDS = frozenset(("-", "–", "—", "|"))
_PUNCTUATION = "`*_\"'“”.,;:!?()[]"


def heading_object(text: str) -> list[Word]:
    """Return what a heading is about."""
    label = _LABEL.match(text)
    words = _heading_words(text[label.end() :] if label else text)
    named = planned_object(words) if label else request_object(words)[0]
    return [*_without_punctuation(cut_phrase(named)), *_bracketed_words(text, len(named))]


def _bracketed_words(text: str, named_words: int) -> list[Word]:
    """Return the words in brackets that end a heading, if it says little without them."""
    brackets = _ENDING_BRACKETS.search(text)
    words = [_heading_word(piece) for piece in brackets[0].split()] if brackets else []
    fits = named_words < SHORT_HEADING_WORDS and named_words + phrase_length(words) <= PHRASE_WORDS
    return words if fits else []


def _heading_words(text: str) -> list[Word]:
    """Return the words of a heading with their punctuation, up to a colon or dash."""
    words: list[Word] = []
    for piece in _BRACKETS.sub("", _LINK.sub(r"\1", text)).split():
        if piece in _HEADING_ENDS or piece[0] == "#":
            if any(map(is_telling_word, words)):
                break
            words = []  # "Analysis: issue #12 — parcel sizes" is about the sizes
            continue
        words.append(_heading_word(piece))
        is_process = words[-1].folded in PROCESS_NOUNS
        if piece[-1] == ":" and (is_process or len(words) >= LEAST_COLON_WORDS):
            words[-1] = words[-1]._replace(written=piece[:-1])
            if not is_process:
                break
            words = []  # "Importer Update: Retries" is about the retries
    return words


def _heading_word(piece: str) -> Word:
    folded = piece.strip(_PUNCTUATION).casefold()
    share = conversation_share(folded)
    is_code = piece[0] in '`#"“'
    is_grammar = not is_code and (share >= GRAMMAR_SHARE or not folded)
    return Word(piece, folded, share, is_code=is_code, is_grammar=is_grammar)


def _without_punctuation(words: list[Word]) -> list[Word]:
    """Remove the mark that ends a heading."""
    if not words:
        return words
    return [*words[:-1], words[-1]._replace(written=words[-1].written.rstrip("?!.,;:"))]
