"""Features of two statements: whether the later one is about the same thing, and changes it.

Standard library only. The order of the features is part of a fit.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from ai_smartness.model.statement import Speaker, Statement, StatementKind
from ai_smartness.statements.change_words import (
    ADDITION,
    CHANGE,
    DOUBT,
    NEGATION,
    REASON,
    REPETITION,
    SUGGESTION,
    TEMPORARY,
    TRIAL,
    UNDONE,
    WISH,
    given_up_words,
)
from ai_smartness.statements.sentences import is_question
from ai_smartness.text.keywords import extract_keywords

__all__ = [
    "ComparedStatement",
    "ComparedText",
    "changes_nothing",
    "compared_statement",
    "has_changed_value",
    "has_other_object",
    "names_given_up",
    "pair_features",
    "word_stem",
]

NEAR_COSINES = (0.75, 0.85)  # where the cosine of two sentences on one subject lies
MOST_SHARED_WORDS = 3
SHORTEST_STEMMED = 5  # shorter words have no ending to cut off

_ENDING = re.compile(r"(?:ies|ing|ed|es|s|e|ion|ions|er|ers|ly|ment)$")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,:]\d+)*\s?(?:%|[a-zA-Zµ]{1,8}\b)?")
_TOKEN = re.compile(r"[^\W_][\w.+#/-]*[^\W_]|[^\W_]")
_CODE_SIGN = re.compile(r"[a-z][A-Z]|_|\d|[./]")
_QUOTED = re.compile(r"`([^`]+)`")
_SPACE = re.compile(r"\s")
_PLACE = re.compile(
    r"\b(?:staging|stage|prod|production|dev|development|test|testing|ci|local|linux|mac|macos"
    r"|windows|ios|android|web|desktop|mobile|frontend|backend|client|server|debug|release)\b"
)


def word_stem(word: str) -> str:
    """Return a folded word without its commonest English endings."""
    folded = word.casefold()
    return _ENDING.sub("", folded) if len(folded) >= SHORTEST_STEMMED else folded


@dataclass(frozen=True)
class ComparedText:
    """What is compared of a text; it is read once."""

    text: str

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its keywords."""
        return frozenset(map(word_stem, extract_keywords(self.text)))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers in it, with their units."""
        return frozenset(_SPACE.sub("", one.casefold()) for one in _NUMBER.findall(self.text))

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in it: capitals inside the sentence, code, and what stands in backticks."""
        tokens = _TOKEN.findall(self.text)
        marked = (
            token
            for place, token in enumerate(tokens)
            if (place and token[0].isupper()) or _CODE_SIGN.search(token)
        )
        return frozenset(map(str.casefold, (*marked, *_QUOTED.findall(self.text))))


@dataclass(frozen=True)
class ComparedStatement(ComparedText):
    """What is compared of a statement."""

    speaker: Speaker
    kind: StatementKind
    confidence: float

    @property
    def kind_shares(self) -> list[float]:
        """Its confidence in the place of its kind, and the rest in the last place."""
        shares = [self.confidence * (self.kind is kind) for kind in StatementKind]
        return [*shares, 1 - self.confidence]

    @cached_property
    def modifiers(self) -> dict[str, frozenset[str]]:
        """For each of its keywords the word right before it: "printer" for the timeout."""
        tokens = [word_stem(token.removesuffix("'s")) for token in _TOKEN.findall(self.text)]
        before: dict[str, set[str]] = {}
        for first, second in pairwise(tokens):
            if first in self.stems and second in self.stems:
                before.setdefault(second, set()).add(first)
        return {word: frozenset(words) for word, words in before.items()}

    @cached_property
    def places(self) -> frozenset[str]:
        """The environments and platforms that it names."""
        return frozenset(_PLACE.findall(self.text.casefold()))

    @cached_property
    def given_up(self) -> frozenset[str]:
        """The stems of the words that it gives up."""
        return frozenset(map(word_stem, given_up_words(self.text)))

    @cached_property
    def cues(self) -> tuple[bool, ...]:
        """What its words say about earlier statements."""
        patterns = (ADDITION, DOUBT, REPETITION, TEMPORARY, TRIAL, UNDONE, WISH, REASON)
        return tuple(pattern.search(self.text) is not None for pattern in patterns)

    @cached_property
    def is_undone_trial(self) -> bool:
        """Whether it says that something was tried and given up."""
        return bool(TRIAL.search(self.text) and UNDONE.search(self.text))

    @cached_property
    def is_change(self) -> bool:
        """Whether it has a word of change."""
        return CHANGE.search(self.text) is not None

    @cached_property
    def is_negative(self) -> bool:
        """Whether it denies something."""
        return NEGATION.search(self.text) is not None


def compared_statement(statement: Statement) -> ComparedStatement:
    """Return what is compared of a statement."""
    return ComparedStatement(
        statement.text, statement.speaker, statement.kind, statement.confidence
    )


def pair_features(older: ComparedStatement, newer: ComparedStatement, cosine: float) -> list[float]:
    """Return the features of a statement and a later one."""
    return [float(feature) for feature in _features(older, newer, cosine)]


def changes_nothing(newer: ComparedStatement) -> bool:
    """Say whether a sentence leaves what was said before as it is.

    A question, a suggestion, an exception for today and a trial that was undone do.
    """
    text = newer.text
    is_idea = is_question(text) or SUGGESTION.search(text) is not None
    return is_idea or newer.is_undone_trial or TEMPORARY.search(text) is not None


def names_given_up(older: ComparedStatement, newer: ComparedStatement) -> bool:
    """Say whether the later sentence gives up something that the earlier one names."""
    return bool(newer.given_up & older.stems)


def has_changed_value(older: ComparedStatement, newer: ComparedStatement) -> bool:
    """Say whether both have numbers, and none in common."""
    return bool(older.numbers and newer.numbers and not older.numbers & newer.numbers)


def has_other_object(older: ComparedStatement, newer: ComparedStatement) -> bool:
    """Say whether the two seem to speak of different things of one sort.

    Staging and production, the printer's timeout and the terminal's.
    """
    if older.places and newer.places and not older.places & newer.places:
        return True
    return any(
        not words & newer.modifiers[shared]
        and not (words & newer.stems)
        and not newer.modifiers[shared] & older.stems
        for shared, words in older.modifiers.items()
        if shared in newer.modifiers
    )


def _features(
    older: ComparedStatement, newer: ComparedStatement, cosine: float
) -> Iterator[float | bool]:
    shared = older.stems & newer.stems
    counts = max(1, len(older.stems)), max(1, len(newer.stems))
    yield cosine
    yield from (max(0.0, cosine - near) for near in NEAR_COSINES)
    yield from (len(shared) / count for count in (*counts, min(counts)))
    yield min(len(shared), MOST_SHARED_WORDS)
    yield not shared
    yield newer.is_change
    yield newer.is_change and bool(shared)
    yield newer.is_change * cosine
    yield from newer.cues
    yield newer.is_undone_trial
    yield is_question(newer.text)
    yield names_given_up(older, newer)
    yield names_given_up(older, newer) and len(shared) > 1
    yield has_changed_value(older, newer)
    yield has_changed_value(older, newer) and bool(shared)
    yield bool(older.numbers & newer.numbers)
    yield bool(older.numbers) != bool(newer.numbers)
    yield bool(older.names & newer.names)
    yield bool(older.names - newer.names and newer.names - older.names)
    yield has_other_object(older, newer)
    yield older.is_negative != newer.is_negative
    yield newer.speaker is Speaker.USER
    yield newer.speaker is Speaker.TOOL
    yield from older.kind_shares
    yield from newer.kind_shares
