"""Shorten a noun phrase to what a title has room for, and end it with what it names."""

from collections.abc import Sequence

from ai_smartness.describe.clause_parts import is_content_word, is_telling_word
from ai_smartness.describe.parse_message import Word
from ai_smartness.describe.request_words import (
    BREAKS,
    DETERMINERS,
    LINK_WORDS,
    TECHNICAL_WORDS,
    request_verb,
)

__all__ = ["PHRASE_WORDS", "cut_phrase", "phrase_length", "without_ending", "without_pointing"]

PHRASE_WORDS = 8.0
UNSPACED_LENGTH = 0.3  # of a word, for one character of a script without spaces
FUNCTION_WORD_LENGTH = 0.5
LEAST_CUT_WORDS = 3

_EMPTY_ENDINGS = frozenset(("way", "order", "case", "time", "point", "general", "particular"))
_SIDES = frozenset(("bottom", "top", "left", "upper", "lower", "to", "or", "and"))
_REFERENCES = frozenset(
    (
        "stated",
        "mentioned",
        "described",
        "discussed",
        "listed",
        "followed",
        "requested",
        "below",
        "above",
    )
)
_QUANTITIES = frozenset(("all", "any", "some", "most", "both"))
_OWNING = frozenset(("this", "that", "these", "those", "my", "our", "your", "their", "its", "the"))


def phrase_length(words: Sequence[Word]) -> float:
    """Count words; a character of a script without spaces, or an article, is less than one."""
    return sum([_word_length(word) for word in words])


def _word_length(word: Word) -> float:
    if word.is_unspaced:
        return UNSPACED_LENGTH
    is_small = word.folded in DETERMINERS or word.folded in LINK_WORDS
    return FUNCTION_WORD_LENGTH if is_small else 1.0


def cut_phrase(words: Sequence[Word]) -> list[Word]:
    """Shorten a phrase to eight words, before a preposition if there is one."""
    words = without_ending(words)
    if phrase_length(words) <= PHRASE_WORDS:
        return words
    end = len(words)
    while phrase_length(words[:end]) > PHRASE_WORDS:
        end -= 1
    cuts = [at for at in range(LEAST_CUT_WORDS, end + 1) if words[at].folded in LINK_WORDS]
    participles = [at for at in range(LEAST_CUT_WORDS, end) if _is_participle(words, at)]
    cuts = participles[:1] or cuts
    shortened = without_ending(words[: cuts[-1] if cuts else end])
    last = request_verb(shortened[-1].folded) if shortened else None
    is_open = last is not None and last.form == "ing" and len(shortened) >= LEAST_CUT_WORDS
    return shortened[:-1] if is_open else shortened


def _is_participle(words: Sequence[Word], at: int) -> bool:
    """Say whether a participle follows its noun: "keys stored for", of which only "keys" fits."""
    verb = request_verb(words[at].folded)
    is_past = verb is not None and verb.form == "ed" and not words[at].is_code
    return is_past and is_telling_word(words[at - 1]) and words[at + 1].folded in LINK_WORDS


def without_ending(words: Sequence[Word]) -> list[Word]:
    """Remove what cannot end a phrase: grammar, and a "to do" without its object."""
    end = len(words)
    while end and not words[end - 1].is_unspaced and _is_no_ending(words, end - 1):
        end -= 1
    return list(words[:end])


def _is_no_ending(words: Sequence[Word], at: int) -> bool:
    word = words[at]
    if word.folded in TECHNICAL_WORDS:
        return False
    if word.is_grammar or word.folded in LINK_WORDS or word.folded in BREAKS:
        return True
    if at < LEAST_CUT_WORDS - 1 or word.is_code:
        return False
    if word.folded.endswith("ly"):
        return not words[at - 1].folded.endswith("ed") and not is_content_word(word)
    is_role = words[at - 1].folded == "as" and not words[0].written.endswith("ing")
    return is_role or _is_tag(word, words[at - 1].folded) or _is_open_verb(words, at)


def _is_tag(word: Word, before: str) -> bool:
    """Say whether a word adds nothing at the end: "in any case", "as mentioned", ", right?"."""
    if word.folded == "right":  # but "at the bottom right"
        return before not in _SIDES and before not in DETERMINERS
    if word.folded in _EMPTY_ENDINGS:
        return before in DETERMINERS or before in LINK_WORDS
    if before == "longer" or word.folded == "longer":  # "no longer needed"
        return before == "no" or word.folded.endswith("ed")
    return word.folded in _REFERENCES


def _is_open_verb(words: Sequence[Word], at: int) -> bool:
    """Say whether a verb has lost its object: "by removing", "and not removing", "to remove"."""
    word, before = words[at], words[at - 1].folded
    verb = request_verb(word.folded)
    if verb is None or (verb.form == "ing" and verb.is_noun_too):  # "to staging"
        return False
    if before == "not":
        return words[at - 2].folded in LINK_WORDS
    is_gerund = word.written.endswith("ing") and before in LINK_WORDS and before != "and"
    return is_gerund or (before == "to" and at >= LEAST_CUT_WORDS)


def without_pointing(words: list[Word]) -> list[Word]:
    """Write "the" for "that", "our" and "all of our": a title points at nothing outside it."""
    kept: list[Word] = []
    for at, word in enumerate(words):
        after = words[at + 1].folded if at + 1 < len(words) else ""
        if word.folded in _QUANTITIES and (after == "of" or after in _OWNING):
            continue
        if word.folded == "of" and at and words[at - 1].folded in _QUANTITIES:
            continue
        is_pointing = at > 0 and (word.written in _OWNING or word.written == "The")
        is_pointing = is_pointing and after not in LINK_WORDS
        kept.append(word._replace(written="the", folded="the") if is_pointing else word)
    return kept
