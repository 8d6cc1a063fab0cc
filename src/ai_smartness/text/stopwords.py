"""Know how common words are before a project has said anything.

A prior, not a stop list: it weighs as much as twenty threads, and the project's own words
outvote it. A share is the share of conversations that contain the word. The word lists stand in
`stopwords.txt`, by section.
"""

from pathlib import Path

__all__ = [
    "ENGLISH_GRAMMAR",
    "EVERYDAY_SHARE",
    "GRAMMAR_SHARE",
    "OTHER_GRAMMAR",
    "SMALL_TALK_SHARE",
    "STOPWORDS",
    "begins_statement",
    "conversation_share",
    "is_negation",
    "read_word_lists",
]

GRAMMAR_SHARE = 0.8
SMALL_TALK_SHARE = 0.35
EVERYDAY_SHARE = 0.12

UNKNOWN_SHARE = 0.02
UNKNOWN_SHORT_SHARE = 0.06
"""Unlisted words of one to three Latin letters are more often grammar than subject."""

SHORT_CHARACTERS = 3


def conversation_share(word: str) -> float:
    """Estimate the share of conversations that contain a folded word."""
    known = _SHARES.get(word)
    if known is not None:
        return known
    if "\u3041" <= word <= "\u309f":  # Japanese writes its grammar in hiragana
        return GRAMMAR_SHARE
    short = len(word) <= SHORT_CHARACTERS and word.isascii() and word.isalpha()
    return UNKNOWN_SHORT_SHARE if short else UNKNOWN_SHARE


def begins_statement(word: str) -> bool:
    """Say whether a folded word begins a new statement, in any listed language."""
    return word in _STATEMENT_STARTS


def is_negation(word: str) -> bool:
    """Say whether a folded word reverses the meaning of what follows."""
    return word in _NEGATIONS


def read_word_lists(file: Path) -> dict[str, list[str]]:
    """Read lists of words: `[name]` begins one, and `#` a comment."""
    lists: dict[str, list[str]] = {}
    words: list[str] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            words = lists.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            words += line.split()
    return lists


_LISTS = read_word_lists(Path(__file__).with_suffix(".txt"))
_STATEMENT_STARTS = frozenset(_LISTS["statement starts"])
_NEGATIONS = frozenset(_LISTS["negations"])

STOPWORDS = frozenset(_LISTS["no keywords"])
"""Words that are never keywords: the first threads of a project have too few neighbours for
counting to show that "would" says nothing."""

_ALL_OTHER_GRAMMAR = frozenset(_LISTS["grammar of other languages"] + _LISTS["telling grammar"])

ENGLISH_GRAMMAR = frozenset(_LISTS["grammar"]) - _ALL_OTHER_GRAMMAR
"""Words that hold English sentences together, and those of no other listed language."""

OTHER_GRAMMAR = _ALL_OTHER_GRAMMAR - frozenset(_LISTS["grammar"] + _LISTS["like English"])
"""Words that hold sentences in other languages together, and are no English words."""

# The later list counts: a word in several lists is as common as in the most common one.
_SHARES = {
    **dict.fromkeys(_LISTS["everyday"], EVERYDAY_SHARE),
    **dict.fromkeys(_LISTS["small talk"], SMALL_TALK_SHARE),
    **dict.fromkeys(_LISTS["grammar of other languages"], GRAMMAR_SHARE),
    **dict.fromkeys(_LISTS["grammar"], GRAMMAR_SHARE),
}
