"""Check whether a phrase can stand alone as a title.

A title has a noun and no finite verb, points at nothing outside itself, and ends with what it
names. A phrase that fails is no title, however well its words fit the thread.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from ai_smartness.describe.clause_parts import DEGREES, is_content_word, is_telling_word
from ai_smartness.describe.parse_message import Word
from ai_smartness.describe.request_words import (
    DETERMINERS,
    EMPTY_NOUNS,
    FAILURES,
    LIGHT_ADJECTIVES,
    LIGHT_NOUNS,
    LINK_WORDS,
    POINTING_WORDS,
    PROCESS_NOUNS,
    RESULT_WORDS,
    TITLE_ENDS,
    TITLE_STARTS,
    request_verb,
)

__all__ = [
    "ends_with_result",
    "is_well_formed",
    "names_action",
    "names_process",
    "names_state",
    "title_words",
]

LEAST_PASSIVE_WORDS = 3
LEAST_WORDS, MOST_WORDS = 3, 8

_ARTICLES = frozenset(("the", "a", "an"))

_ADVERBS = frozenset(("out", "up", "off", "down", "away"))
_NAMING = frozenset(("called", "named"))
_VALUES = frozenset(("no", "true", "false", "null", "none", "nil", "undefined", "empty", "nothing"))
_STATE_WORDS = DEGREES | {*FAILURES.values()} | {"not", "no"}


def is_well_formed(words: Sequence[Word]) -> bool:
    """Say whether a phrase can be a title."""
    if not words or words[0].is_unspaced:
        return bool(words)
    return (
        any(map(_is_noun, words))
        and not any(word.written in POINTING_WORDS for word in words[1:])
        and words[0].folded not in POINTING_WORDS
        and not _begins_with_verb(words)
        and not any(
            len(word.folded) == 1 and word.folded.islower() and not word.is_code
            for word in words
            if word.folded != "a"
        )
        and not any(
            before.folded in LINK_WORDS and word.folded in ("when", "while")
            for before, word in pairwise(words)
        )
        and sum(word.is_negation for word in words) <= 1
        and not _has_finite_verb(words)
        and _ends_with_name(words)
    )


def title_words(words: Iterable[Word]) -> tuple[Word, ...]:
    """Return a phrase as a title has it: at most eight words, the articles left out if need be."""
    kept = tuple(words)
    if any(word.is_unspaced for word in kept):
        return kept
    if len(kept) > MOST_WORDS:
        kept = tuple(word for word in kept if word.folded not in _ARTICLES)
    if len(kept) > MOST_WORDS:
        cuts = [at for at in range(LEAST_WORDS, MOST_WORDS + 1) if kept[at].folded in LINK_WORDS]
        kept = kept[: cuts[-1]] if cuts else kept[:MOST_WORDS]
    return kept


def names_action(words: Sequence[Word]) -> bool:
    """Say whether a phrase begins with a verb that became a noun: "renaming the table"."""
    return words[0].written.endswith("ing") and not words[0].folded.endswith("ing")


def names_process(words: Sequence[Word]) -> bool:
    """Say whether a phrase only names how work is done: "a branch off the latest main"."""
    at = int(names_action(words))
    while at < len(words) and (
        words[at].folded in DETERMINERS or words[at].folded in LIGHT_ADJECTIVES
    ):
        at += 1
    names = [word for word in words[at:] if is_telling_word(word)]
    if all(word.folded in PROCESS_NOUNS for word in names):
        return True
    is_process = words[at].folded in PROCESS_NOUNS - LIGHT_NOUNS
    return is_process and words[at + 1].folded in LINK_WORDS | {"off"}


def names_state(words: Sequence[Word]) -> bool:
    """Say whether a title tells what is wrong ("footer too small"), not only a thing."""
    return any(word.folded in _STATE_WORDS or word.is_negation for word in words)


def ends_with_result(words: Sequence[Word]) -> bool:
    """Say whether a phrase tells how something ended: "six replies posted", "build clean"."""
    if words[-1].folded in RESULT_WORDS:
        return True
    verb = request_verb(words[-1].folded)
    is_past = verb is not None and verb.form == "ed"
    return len(words) > 1 and not words[-1].is_code and (is_past or words[-1].folded.endswith("ed"))


def _is_noun(word: Word) -> bool:
    if not is_telling_word(word) or word.folded in EMPTY_NOUNS:
        return False
    verb = request_verb(word.folded)
    return word.is_code or verb is None or verb.is_noun_too


def _begins_with_verb(words: Sequence[Word]) -> bool:
    """Say whether a phrase begins with a verb in another form than "renaming"."""
    is_participle = words[0].folded.endswith("ed") and not words[0].is_code and len(words) > 1
    is_light = names_action(words) and len(words) > 1 and words[1].folded in LINK_WORDS
    light = request_verb(words[0].folded) if is_light else None
    if light is not None and light.is_dropped:  # "trying with both"
        return True
    is_open = words[0].folded == "different" and words[1:] and words[1].folded in LINK_WORDS
    if (
        is_open
        or words[0].folded in TITLE_STARTS
        or (is_participle and words[1].folded in LINK_WORDS)
    ):
        return True
    verb = request_verb(words[0].folded)
    if verb is None or verb.is_noun_too or words[0].is_code or words[0].written.endswith("ing"):
        return False
    # The base form at the head is a noun: "the refresh token". A request has lost it.
    return verb.form == "s"


def _has_finite_verb(words: Sequence[Word]) -> bool:
    return any(_is_finite(words, at) for at in range(1, len(words)) if not words[at].is_code)


def _is_finite(words: Sequence[Word], at: int) -> bool:
    """Say whether a word is the verb of a sentence: "returned undefined", "makes it"."""
    verb = request_verb(words[at].folded)
    before = words[at - 1]
    if verb is None and at + 1 < len(words) and words[at + 1].is_code:  # "workflow lints docs/"
        return words[at].folded.endswith("s") and is_telling_word(before) and not before.is_code
    if verb is None or verb.form in ("", "ing", "foreign") or not is_content_word(before):
        return False
    if (
        words[at].folded in _NAMING
        or words[at].written.endswith("ing")
        or before.folded in LINK_WORDS
    ):
        return False
    after = words[at + 1] if at + 1 < len(words) else None
    if verb.form == "s":
        has_value = before.is_code or (after is not None and after.folded in _VALUES | DETERMINERS)
        return not verb.is_noun_too or (after is not None and has_value)
    if at == 1 and before.written.casefold().endswith("ing"):  # "replying posted"
        return True
    rest = words[at + 1 :]
    if rest and rest[0].folded in _ADVERBS:
        rest = rest[1:]
    return bool(rest) and rest[0].folded not in LINK_WORDS


def _ends_with_name(words: Sequence[Word]) -> bool:
    last = words[-1]
    if last.is_code:
        return True
    if last.folded in EMPTY_NOUNS or last.folded in TITLE_ENDS:
        return False
    verb = request_verb(last.folded)
    if len(words) > 1 and words[-2].folded == "to" and verb is not None and not verb.is_noun_too:
        return any(word.folded in DEGREES for word in words)
    is_open_gerund = verb is not None and verb.form == "ing" and not verb.is_noun_too
    return not is_open_gerund or len(words) < LEAST_PASSIVE_WORDS
