"""Shorten a noun phrase for a title, and check whether it can stand alone as one.

A title has a noun and no finite verb, points at nothing outside itself, and ends with what it
names. A phrase that fails is no title, however well its words fit the thread.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile

from ai_smartness.describe.clause_parts import DEGREES, is_content_word, is_telling_word
from ai_smartness.describe.parse_message import Word
from ai_smartness.describe.request_words import (
    BREAKS,
    DETERMINERS,
    EMPTY_NOUNS,
    FAILURES,
    LINK_WORDS,
    POINTING_WORDS,
    RESULT_WORDS,
    TECHNICAL_WORDS,
    TITLE_ENDS,
    TITLE_STARTS,
    request_verb,
)

__all__ = [
    "PHRASE_WORDS",
    "cut_phrase",
    "ends_with_result",
    "head_noun",
    "is_well_formed",
    "names_action",
    "names_state",
    "phrase_length",
    "title_words",
    "without_ending",
    "without_pointing",
]

PHRASE_WORDS = 8.0
UNSPACED_LENGTH = 0.3  # of a word, for one character of a script without spaces
FUNCTION_WORD_LENGTH = 0.5
LEAST_CUT_WORDS = 3

_EMPTY_ENDINGS = frozenset(("way", "order", "case", "time", "point", "general", "particular"))
_MOMENTS = frozenset(("day", "week", "month", "year", "morning", "evening", "night"))
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

LEAST_PASSIVE_WORDS = 3
LEAST_WORDS, MOST_WORDS = 3, 8

_ARTICLES = frozenset(("the", "a", "an"))

_ADVERBS = frozenset(("out", "up", "off", "down", "away"))
_TIMES = frozenset(("when", "while"))
_NAMING = frozenset(("called", "named"))
_VALUES = frozenset(("no", "true", "false", "null", "none", "nil", "undefined", "empty", "nothing"))
_NOUNS_IN_NAMES = frozenset(("rest", "one", "question", "questions", "idea", "today", "sort"))
_STATE_WORDS = DEGREES | {*FAILURES.values()} | {"not", "no"}


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
    """Remove what cannot end a phrase: grammar, "the day before", a "to do" without its object."""
    end = len(words)
    match [word.folded for word in words[-3:]]:
        case ["the", moment, "before" | "after"] if moment in _MOMENTS:
            end -= 3
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
        if word.folded in _OWNING and after == "own":  # "seeing their own tickets"
            continue
        if word.folded == "of" and at and words[at - 1].folded in _QUANTITIES:
            continue
        is_pointing = at > 0 and (word.written in _OWNING or word.written == "The")
        is_pointing = is_pointing and after not in LINK_WORDS
        kept.append(word._replace(written="the", folded="the") if is_pointing else word)
    return kept


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
            before.folded in LINK_WORDS and word.folded in _TIMES
            for before, word in pairwise(words)
        )
        and sum(word.is_negation for word in words) <= 1
        and not _has_finite_verb(words)
        and _ends_with_name(words)
        and not _has_empty_head(words)
        and not (words[0].folded in RESULT_WORDS and len(words) > 1 and _is_link(words[1]))
    )


def head_noun(words: Sequence[Word]) -> Word:
    """Return the noun that a phrase is about: the last word before its first preposition."""
    at = next((at for at, word in enumerate(words) if at and _is_link(word)), len(words))
    return words[at - 1]


def _has_empty_head(words: Sequence[Word]) -> bool:
    """Say whether a phrase is about "something": in "the REST docs" it names something."""
    head = head_noun(words)
    if head.folded in EMPTY_NOUNS and not head.is_code:
        return True
    before = takewhile(lambda pair: pair[0] is not head, pairwise(words))
    return any(
        word.folded in EMPTY_NOUNS - _NOUNS_IN_NAMES and after.folded not in DEGREES
        for word, after in before
    )


def _is_link(word: Word) -> bool:
    return word.folded in LINK_WORDS and not word.is_code


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
        or (is_participle and (words[1].folded in LINK_WORDS or words[1].is_code))
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
    if before.written.casefold().endswith("ing"):  # "replying posted", not "… finding lost keys"
        return at == 1
    rest = words[at + 1 :]
    if rest and rest[0].folded in _ADVERBS:
        rest = rest[1:]
    return bool(rest) and rest[0].folded not in LINK_WORDS and rest[0].folded not in _TIMES


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
