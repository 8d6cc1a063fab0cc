"""The rules by which bridges between threads are made, strengthened and fade.

A bridge leaves from the later thread. Its relation is as strong as what the
words show: a related thread without more to be said is a `sibling`, and to say
nothing is better than to say that something was replaced when it was not.

What a stated value does to an earlier one: replaces, updates or contradicts it, or nothing.

Two values meet only when they are of one thing, and that is shown by the terms
they share. A value with no word of change beside it cannot replace another.

How rare a term is among the threads of a project.

What two threads share tells the more, the fewer others have it.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import islice
from math import log

from ai_smartness.describe.statements import CHOICE, RULE, StatedValue
from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.threads import decay

__all__ = [
    "BridgeRules",
    "SharedTerms",
    "TermRarity",
    "bridge_id",
    "faded_bridge_weight",
    "listed_terms",
    "reinforced_bridge",
    "relation_confidence",
    "relation_reason",
    "shortened_quote",
    "value_relation",
]


REINFORCED_SHARE = 0.2
"""Of the way to 1, by each use: five uses lift a bridge of 0.3 to 0.77."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeRules:
    """From where on two threads have to do with each other, and how much that says."""

    most: int = 5
    """Bridges from one thread: more would be a list to read, not a way to go."""
    rare_share: float = 0.02
    """A term is rare in up to this share of the threads: a project's own words are in more."""
    rare_threads: int = 4
    """And always in up to this many: in a young project a share is less than one thread."""
    shared_terms: int = 2
    """Rare terms that two values must share to be of one thing: one alone is often chance."""
    shared_choice_terms: int = 3
    """For two choices: two tools can well serve one purpose side by side."""
    contradicting_terms: int = 3
    """For two values that both stand: without a word of change only the thing itself tells."""
    contradicting_share: float = 0.5
    """And of the terms around the value that has fewer: else the two speak of other things."""
    related_weight: float = 0.12
    """Under it two threads share words as any two of a project do."""
    extending_names: int = 2
    """Rare identifiers that going on with the same code takes; a path is enough alone."""
    telling_terms: int = 20
    """Of a thread, the most telling: more add time and common words."""
    replaced: float = 0.85
    """Confidence, when the old value was named and given up."""
    updated: float = 0.65
    """Confidence, when a value of the same thing is said to be another now."""
    contradicted: float = 0.4
    """Confidence, when two values stand and nothing says which holds."""
    needed: float = 0.6
    """Confidence, when words of dependence name what the other is about."""
    extended: float = 0.5
    """Confidence, when a later session has rare files or identifiers in common."""
    surer: float = 0.05
    """Added for each shared rare term beyond those that are asked for."""
    surest: float = 0.95
    """No bridge made by words is surer."""
    agent_share: float = 0.8
    """Of the confidence, when an agent said it: it reports, the user decides."""


def bridge_id(source: str, target: str, relation: Relation) -> str:
    """Return the id of the one bridge of this relation between two threads."""
    ends = f"{source}\0{target}\0{relation}".encode(errors="surrogatepass")
    return f"bridge_{blake2b(ends, digest_size=8).hexdigest()}"


def reinforced_bridge(bridge: Bridge, now: datetime) -> Bridge:
    """Return the bridge after it was of use: heavier, and fresh."""
    weight = bridge.weight + REINFORCED_SHARE * (1.0 - bridge.weight)
    return replace(bridge, weight=min(1.0, weight), last_used=max(bridge.last_used, now))


def faded_bridge_weight(bridge: Bridge, now: datetime, half_life_days: float) -> float:
    """Return what the bridge weighs now, after its time without use."""
    return decay.faded_weight(bridge.weight, now - bridge.last_used, timedelta(days=half_life_days))


REASON_WORDS = 4
"""Named in a reason: enough to recognise the subject."""

REASON_CHARACTERS = 80
"""Quoted in a reason; a longer sentence is cut."""


@dataclass(frozen=True, slots=True)
class SharedTerms:
    """The terms that two values share, the rarest first.

    `worth` counts them in rare ones; `named` says that a rare file or
    identifier is among them, `rare_value` that the earlier value is itself rare
    in the project, and a user gave it up.
    """

    terms: tuple[str, ...]
    worth: float
    has_rare_name: bool
    is_rare_value: bool


def value_relation(
    new: StatedValue,
    old: StatedValue,
    common: SharedTerms,
    rules: BridgeRules,
) -> Relation | None:
    """Say what the later value does to the earlier one of the same measure."""
    if new.gives_up:
        return _giving_up_relation(new, old, common)
    if new.measure == RULE or new.key == old.key:
        return _opposing_relation(new, old, common, rules)
    return _changed_value_relation(new, old, common, rules)


def relation_confidence(relation: Relation, common: SharedTerms, rules: BridgeRules) -> float:
    """Measure how sure that is: surer with each shared term beyond those asked for."""
    base = {
        Relation.REPLACES: rules.replaced,
        Relation.UPDATES: rules.updated,
        Relation.CONTRADICTS: rules.contradicted,
    }[relation]
    return min(rules.surest, base + rules.surer * max(0.0, common.worth - rules.shared_terms))


def relation_reason(relation: Relation, new: StatedValue, old: StatedValue, subject: str) -> str:
    """Write the sentence that a person reads: both values, and of what they are."""
    about = f" ({subject})" if subject else ""
    before, after = shortened_quote(old.value), shortened_quote(new.value)
    if relation is Relation.CONTRADICTS:
        return f'"{after}" stands against "{before}"{about}'
    if not new.positive:
        return f'"{before}" was given up{about}'
    return f'"{before}" became "{after}"{about}'


def listed_terms(words: Iterable[str]) -> str:
    """Name the first few."""
    return ", ".join(islice(words, REASON_WORDS))


def shortened_quote(words: str) -> str:
    """Return the words on one line, cut where they are long."""
    line = " ".join(words.split())
    return line if len(line) <= REASON_CHARACTERS else line[: REASON_CHARACTERS - 1] + "…"


def _giving_up_relation(new: StatedValue, old: StatedValue, common: SharedTerms) -> Relation | None:
    """Ask that the value given up is the one that was stated, of a thing both speak of.

    A rare name says enough by itself where it gave way to another, or is
    written as a name.
    """
    is_the_one = old.key == new.gives_up and old.positive
    telling = new.positive or new.value != new.value.casefold()
    same_thing = common.worth >= 1 or (new.measure == CHOICE and common.is_rare_value and telling)
    if not (is_the_one and same_thing):
        return None
    return Relation.REPLACES if new.explicit else Relation.UPDATES


def _opposing_relation(
    new: StatedValue,
    old: StatedValue,
    common: SharedTerms,
    rules: BridgeRules,
) -> Relation | None:
    """Find a rule or a choice against one for the same."""
    if new.positive == old.positive:
        return None
    of_one_thing = (
        common.worth >= 1 or common.is_rare_value
        if new.measure == CHOICE
        else common.worth >= rules.shared_terms and _covers_enough(common, new, old, rules)
    )
    if not of_one_thing:
        return None
    return Relation.UPDATES if new.changed else Relation.CONTRADICTS


def _changed_value_relation(
    new: StatedValue,
    old: StatedValue,
    common: SharedTerms,
    rules: BridgeRules,
) -> Relation | None:
    if not (new.positive and old.positive) or (new.near and not new.near & old.near):
        return None
    if new.changed:
        asked = rules.shared_choice_terms if new.measure == CHOICE else rules.shared_terms
        return Relation.UPDATES if common.has_rare_name or common.worth >= asked else None
    stands = common.worth >= rules.contradicting_terms and _covers_enough(common, new, old, rules)
    return Relation.CONTRADICTS if stands and new.measure != CHOICE else None


def _covers_enough(
    common: SharedTerms,
    new: StatedValue,
    old: StatedValue,
    rules: BridgeRules,
) -> bool:
    fewest = min(len(new.about), len(old.about))
    return len(common.terms) >= rules.contradicting_share * fewest


LEAST_RARE_WORTH = 0.5
"""Of a rare term: what is worth less is in about every seventh thread, and tells nothing."""


class TermRarity:
    """In how many threads each term is."""

    def __init__(self, rules: BridgeRules) -> None:
        self._rules = rules
        self._thread_counts: Counter[str] = Counter()
        self.threads = 0

    def add(self, term: str) -> None:
        """Count one more thread that has the term."""
        self._thread_counts[term] += 1

    def thread_count(self, term: str) -> int:
        """Return the number of threads that have the term."""
        return self._thread_counts[term]

    def is_rare(self, term: str) -> bool:
        """Say whether so few threads have the term that two of them have it for a reason."""
        return self._thread_counts[term] <= self._rare_limit

    def rare_worth(self, terms: Iterable[str]) -> float:
        """Count terms in rare ones: one that is less rare is worth a part, down to half."""
        rare = log((self.threads + 1) / self._rare_limit)
        if rare <= 0:
            return float(sum(1 for _ in terms))
        worths = (min(1.0, self._term_information(term) / rare) for term in terms)
        return sum(worth for worth in worths if worth >= LEAST_RARE_WORTH)

    def term_weight(self, term: str) -> float:
        """Weigh a term: one that two threads alone have says more than five of everybody's."""
        return self._term_information(term) ** 2

    def _term_information(self, term: str) -> float:
        return log((self.threads + 1) / max(1, self._thread_counts[term]))

    @property
    def _rare_limit(self) -> float:
        return max(self._rules.rare_threads, self._rules.rare_share * self.threads)
