"""Features of two statements: whether the later one is about the same thing, and changes it.

Standard library only. The order of the features is part of a fit.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from math import fsum

from ai_smartness.model.statement import Speaker, Statement, StatementKind
from ai_smartness.statements.change_words import (
    ADDITION,
    CHANGE,
    DOUBT,
    NEGATION,
    PROVISIONAL,
    REASON,
    REPETITION,
    SUGGESTION,
    TEMPORARY,
    TRIAL,
    UNDONE,
    WISH,
    given_up_words,
    kept_words,
)
from ai_smartness.statements.sentences import is_question, own_words
from ai_smartness.statements.typed_values import (
    assigned_values,
    is_unit,
    typed_values,
    unitless_name,
)
from ai_smartness.text.keywords import extract_keywords
from ai_smartness.text.number_words import NUMBER_WORDS

__all__ = [
    "ComparedStatement",
    "ComparedText",
    "PairSurroundings",
    "announces_change",
    "changes_nothing",
    "compared_statement",
    "drops_named_thing",
    "has_changed_value",
    "has_other_object",
    "has_other_owner",
    "has_other_setting",
    "keeps_all_words",
    "leaves_other_facts",
    "names_given_up",
    "pair_features",
    "subject_stems",
    "told_subject",
    "word_stem",
]

NEAR_COSINES = (0.75, 0.85)  # where the cosine of two sentences on one subject lies
MOST_SHARED_WORDS = 3
SHORTEST_STEMMED = 5  # shorter words have no ending to cut off
FIRST_RANKS = 3  # the earlier statements that are most similar to the later one
FEW_STEMS = 4  # a statement of so few keywords says one thing
LONG_CHARACTERS = 150  # a statement as long as this says several
SEVERAL_FACTS = 2  # clauses of a list of facts that a change of another one leaves as they are
KNOWN_WORDS = 20_000  # whose stems are found once: a project uses the same words again
TINY = 1e-6  # keeps a statement without keywords from dividing by nothing

_ENDING = re.compile(r"(?:ies|ing|ed|es|s|e|ion|ions|er|ers|ly|ment)$")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,:]\d+)*\s?(?:%|[a-zA-Zµ]{1,8}\b)?")
_AMOUNT = re.compile(
    rf"(?<![\w.])(\d+(?:[.,:]\d+)*|\b(?:{'|'.join(NUMBER_WORDS)})\b)"
    r"[\s-]?(?:calendar |working |business )?(%|[^\W\d_]+(?:/[a-z]+)?)?",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:no longer|not|never)\s+([^\W_][\w.+#-]*)", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W_][\w.+#/-]*[^\W_]|[^\W_]")
_CODE_SIGN = re.compile(r"[a-z][A-Z]|_|\d|[./]")
_POSSESSIVE = re.compile(r"['’]s\b")
_QUOTED = re.compile(r"`([^`]+)`")
_SPACE = re.compile(r"\s")
_PLACE = re.compile(
    r"\b(?:staging|stage|prod|production|dev|development|test|testing|ci|local|linux|mac|macos"
    r"|windows|ios|android|web|desktop|mobile|frontend|backend|client|server|debug|release)\b"
)


_CLAUSE_END = re.compile(r"[,;()]|\.\s|\s[-–—]\s|\b(?:and|or|und|oder|et|ou|y|o)\b", re.IGNORECASE)
_OWNER = re.compile(r"\b(?:of|for|by|from) (?:the|our|my|your) ([\w-]+) ([\w-]+)")
_DIGITS = re.compile(r"\d+(?:[.:]\d+)*")
_ANY_CHANGE = re.compile(
    r"\b(?:every|each|any|all|before|after|no|such)\s+(?:[\w-]+\s+){0,2}changes?\b", re.IGNORECASE
)
_ANY_SUBJECT = frozenset(
    {"said", "say", "says", "tell", "told", "want", "wants", "need", "needs", "please", "make"}
    | {"made", "set", "use", "used", "new", "old", "chang", "people", "back", *NUMBER_WORDS}
)
"""Words that two sentences may share by chance."""


@lru_cache(KNOWN_WORDS)
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
    def amounts(self) -> dict[str, frozenset[str]]:
        """The numbers in it, also those that are words, by the unit or noun behind them."""
        by_unit: dict[str, set[str]] = {}
        for number, unit in _AMOUNT.findall(self.text.casefold()):
            by_unit.setdefault(unit.rstrip("s"), set()).add(NUMBER_WORDS.get(number, number))
        return {unit: frozenset(numbers) for unit, numbers in by_unit.items()}

    @cached_property
    def all_values(self) -> frozenset[str]:
        """The numbers, times and dates in it, of any sort."""
        return frozenset[str]().union(*typed_values(self.text).values())

    @cached_property
    def counted(self) -> frozenset[str]:
        """The stems of the units and nouns behind its numbers."""
        return frozenset(map(word_stem, typed_values(self.text)))

    @property
    def settings(self) -> Mapping[str, str]:
        """What it says that names of code are set to."""
        return assigned_values(self.text)

    @cached_property
    def given_up(self) -> frozenset[str]:
        """The stems of the words that it gives up."""
        return frozenset(map(word_stem, given_up_words(self.text)))

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
        words = _POSSESSIVE.sub("", self.text)
        tokens = [word_stem(token) for token in _TOKEN.findall(words)]
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
    def is_provisional(self) -> bool:
        """Whether it is said to hold for now."""
        return PROVISIONAL.search(self.text) is not None

    @cached_property
    def is_negative(self) -> bool:
        """Whether it denies something."""
        return NEGATION.search(self.text) is not None


@dataclass(frozen=True, slots=True)
class PairSurroundings:
    """How two statements stand out among the others of their project.

    The deviations say by how many standard deviations the cosine is above that of the later
    statement, or of the earlier one, with the other statements. `rank` is the place of the earlier
    among those similar to the later. `rarity` of a word is 1 if no other statement has it.
    `context` is what was said right before the later statement, and around it. The foreign two
    compare a statement in another language with the English ones, by the model for languages.
    `others_share` is the most words that the later one shares with any other one of a person.
    """

    cosine: float
    newer_deviation: float
    older_deviation: float
    rank: int
    rarity: Callable[[str], float]
    context: ComparedText
    is_same_session: bool
    foreign_deviation: float = 0.0
    is_foreign_nearest: bool = False
    others_share: int = 0


def compared_statement(statement: Statement) -> ComparedStatement:
    """Return what is compared of a statement."""
    return ComparedStatement(
        statement.text, statement.speaker, statement.kind, statement.confidence
    )


def pair_features(
    older: ComparedStatement, newer: ComparedStatement, around: PairSurroundings
) -> list[float]:
    """Return the features of a statement and a later one."""
    features = (
        *_similarity(older, newer, around.cosine),
        *_change(older, newer),
        *_speakers_and_kinds(older, newer),
        *_standing_out(older, newer, around),
        *_shared_context(older, newer, around),
        *_forms(older, newer),
    )
    return [float(feature) for feature in features]


def changes_nothing(newer: ComparedStatement) -> bool:
    """Say whether a sentence leaves what was said before as it is.

    A question, a suggestion, an exception for today and a trial that was undone do.
    """
    text = own_words(newer.text)
    is_idea = is_question(text) or SUGGESTION.search(text) is not None
    return is_idea or newer.is_undone_trial or TEMPORARY.search(text) is not None


def announces_change(newer: ComparedText) -> bool:
    """Say whether a sentence says that something changes, and not only speaks of changes.

    "Who signs off every price change" changes no price.
    """
    return CHANGE.search(_ANY_CHANGE.sub(" ", newer.text)) is not None


def names_given_up(older: ComparedStatement, newer: ComparedStatement) -> bool:
    """Say whether the later sentence gives up something that the earlier one names."""
    return bool(newer.given_up & older.stems)


def drops_named_thing(older: ComparedStatement, newer: ComparedStatement) -> bool:
    """Say whether a thing is given up that the earlier names, and not only denied ("no longer")."""
    denied = map(word_stem, _DENIED.findall(newer.text))
    return not (newer.given_up - frozenset(denied)).isdisjoint(older.stems)


def has_other_owner(older: ComparedText, newer: ComparedText) -> bool:
    """Say whether both speak of what belongs to two of a kind: the payments and the search team."""
    owned, now_owned = (
        {kind: owner for owner, kind in _OWNER.findall(one.text.casefold())}
        for one in (older, newer)
    )
    return any(owned[kind] != now_owned[kind] for kind in owned.keys() & now_owned.keys())


def leaves_other_facts(older: ComparedText, newer: ComparedText) -> bool:
    """Say whether the earlier statement tells facts that the later one does not speak of.

    "The board is on ttyACM1 and the broker at 10.20.0.5" has two, and a new broker changes one.
    "Forget the type hints, keep pytest" says itself which of two is kept.
    """
    kept = ComparedText(kept_words(newer.text)).stems - newer.given_up
    if newer.given_up & older.stems and kept & older.stems:
        return True
    clauses = list(map(ComparedText, _CLAUSE_END.split(older.text)))
    changed = max(clauses, key=lambda clause: len(clause.stems & newer.stems))
    others = [clause for clause in clauses if clause is not changed]
    if sum(_is_untouched(clause, newer) for clause in others) >= SEVERAL_FACTS:
        return True
    known = _told_values(changed) | _told_values(newer)
    untouched = (clause for clause in others if not clause.stems & newer.stems)
    if any(_told_values(clause) - known for clause in untouched):
        return True
    digits, new_digits = (set(_DIGITS.findall(one.text)) for one in (older, newer))
    return bool(digits & new_digits) and not digits <= new_digits


def _is_untouched(clause: ComparedText, newer: ComparedText) -> bool:
    """Say whether a clause tells something of its own, and the later statement nothing of it."""
    is_reason = REASON.match(clause.text.strip()) is not None
    return bool(clause.stems) and not is_reason and not clause.stems & newer.stems


def _told_values(text: ComparedText) -> set[str]:
    """Return the numbers and the names in a text."""
    return {*_DIGITS.findall(text.text), *text.names}


def keeps_all_words(older: ComparedStatement, newer: ComparedStatement) -> bool:
    """Say whether the later sentence has all of the earlier one in it: it adds, or repeats."""
    is_other = newer.is_change or older.is_negative != newer.is_negative
    kept = frozenset(newer.amounts.values())
    return older.stems <= newer.stems and kept >= frozenset(older.amounts.values()) and not is_other


def has_changed_value(older: ComparedStatement, newer: ComparedStatement) -> bool:
    """Say whether both have numbers, and none in common."""
    return bool(older.numbers and newer.numbers and not older.numbers & newer.numbers)


def told_subject(older: ComparedText, newer: ComparedText) -> frozenset[str]:
    """Return the words that both have, without units, what is counted, and everyday words."""
    shared = (older.stems & newer.stems) - older.counted - newer.counted - _ANY_SUBJECT
    return frozenset(stem for stem in shared if not is_unit(stem))


def has_other_setting(older: ComparedText, newer: ComparedText) -> bool:
    """Say whether both set the same name of code, and to different values or in another unit."""
    return any(
        (name, value) != (other, other_value) and unitless_name(name) == unitless_name(other)
        for name, value in older.settings.items()
        for other, other_value in newer.settings.items()
    )


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


def subject_stems(older: ComparedStatement, newer: ComparedStatement) -> frozenset[str]:
    """Return the words that both have, without the units of their numbers."""
    units = {word_stem(unit) for one in (older, newer) for unit in one.amounts if unit}
    return (older.stems & newer.stems) - units


def _has_changed_amount(older: ComparedStatement, newer: ComparedStatement) -> bool:
    """Say whether both have amounts of one unit, and none in common."""
    units = (older.amounts.keys() & newer.amounts.keys()) - {""}
    return bool(units) and not any(older.amounts[unit] & newer.amounts[unit] for unit in units)


def _similarity(
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


def _change(older: ComparedStatement, newer: ComparedStatement) -> Iterator[float | bool]:
    shared = older.stems & newer.stems
    yield from newer.cues
    yield newer.is_undone_trial
    yield is_question(newer.text)
    yield names_given_up(older, newer)
    yield names_given_up(older, newer) and len(shared) > 1
    yield has_changed_value(older, newer)
    yield has_changed_value(older, newer) and bool(shared)
    yield bool(older.numbers & newer.numbers)
    yield bool(older.numbers) != bool(newer.numbers)
    yield _has_changed_amount(older, newer)
    yield _has_changed_amount(older, newer) and bool(shared)
    yield bool(older.names & newer.names)
    yield bool(older.names - newer.names and newer.names - older.names)
    yield has_other_object(older, newer)
    yield older.is_negative != newer.is_negative
    yield older.is_provisional


def _speakers_and_kinds(
    older: ComparedStatement, newer: ComparedStatement
) -> Iterator[float | bool]:
    for one in (older, newer):
        yield one.speaker is Speaker.USER
        yield one.speaker is Speaker.TOOL
        yield from one.kind_shares
    yield older.kind is newer.kind
    yield older.speaker is newer.speaker


def _standing_out(
    older: ComparedStatement, newer: ComparedStatement, around: PairSurroundings
) -> Iterator[float | bool]:
    rarities = [around.rarity(stem) for stem in older.stems & newer.stems]
    shared = fsum(rarities)
    yield around.newer_deviation
    yield around.older_deviation
    yield 1 / (1 + around.rank)
    yield around.rank == 0
    yield around.rank < FIRST_RANKS
    yield shared
    yield from (shared / _summed_rarity(one, around) for one in (older, newer))
    yield max(rarities, default=0.0)
    yield newer.is_change * around.newer_deviation
    yield newer.is_change * shared
    yield around.is_same_session


def _shared_context(
    older: ComparedStatement, newer: ComparedStatement, around: PairSurroundings
) -> Iterator[float | bool]:
    """Yield what the earlier statement shares only with what was said around the later one."""
    rarities = [around.rarity(stem) for stem in (older.stems & around.context.stems) - newer.stems]
    yield fsum(rarities) / _summed_rarity(older, around)
    yield bool(rarities)
    yield max(rarities, default=0.0)
    yield bool(older.stems & around.context.given_up)
    yield bool((older.stems - newer.stems) & around.context.given_up)


def _forms(older: ComparedStatement, newer: ComparedStatement) -> Iterator[float | bool]:
    yield from (len(one.stems) <= FEW_STEMS for one in (older, newer))
    yield len(newer.text) > LONG_CHARACTERS


def _summed_rarity(one: ComparedStatement, around: PairSurroundings) -> float:
    return fsum(map(around.rarity, one.stems)) + TINY
