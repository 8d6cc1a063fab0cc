"""What a stated value does to an earlier one: replaces, updates or contradicts it, or nothing.

Two values meet only when they are of one thing, and that is shown by the terms
they share. A value with no word of change beside it cannot replace another.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from ai_smartness.model.bridge import Relation
from ai_smartness.threads.bridges import BridgeRules
from ai_smartness.threads.changes import CHOICE, RULE, Stated

__all__ = ["Common", "confidence", "listed", "reason", "relation", "shortened"]

REASON_WORDS = 4
"""Named in a reason: enough to recognise the subject."""

REASON_CHARACTERS = 80
"""Quoted in a reason; a longer sentence is cut."""


@dataclass(frozen=True, slots=True)
class Common:
    """The terms that two values share, the rarest first.

    `worth` counts them in rare ones; `named` says that a rare file or
    identifier is among them, `rare_value` that the earlier value is itself rare
    in the project, and a user gave it up.
    """

    terms: tuple[str, ...]
    worth: float
    named: bool
    rare_value: bool


def relation(new: Stated, old: Stated, common: Common, rules: BridgeRules) -> Relation | None:
    """Say what the later value does to the earlier one of the same measure."""
    if new.gives_up:
        return _given_up(new, old, common)
    if new.measure == RULE or new.key == old.key:
        return _opposed(new, old, common, rules)
    return _other_value(new, old, common, rules)


def confidence(relation: Relation, common: Common, rules: BridgeRules) -> float:
    """Measure how sure that is: surer with each shared term beyond those asked for."""
    base = {
        Relation.REPLACES: rules.replaced,
        Relation.UPDATES: rules.updated,
        Relation.CONTRADICTS: rules.contradicted,
    }[relation]
    return min(rules.surest, base + rules.surer * max(0.0, common.worth - rules.shared_terms))


def reason(relation: Relation, new: Stated, old: Stated, subject: str) -> str:
    """Write the sentence that a person reads: both values, and of what they are."""
    about = f" ({subject})" if subject else ""
    before, after = shortened(old.value), shortened(new.value)
    if relation is Relation.CONTRADICTS:
        return f'"{after}" stands against "{before}"{about}'
    if not new.positive:
        return f'"{before}" was given up{about}'
    return f'"{before}" became "{after}"{about}'


def listed(words: Iterable[str]) -> str:
    """Name the first few."""
    return ", ".join(islice(words, REASON_WORDS))


def shortened(words: str) -> str:
    """Return the words on one line, cut where they are long."""
    line = " ".join(words.split())
    return line if len(line) <= REASON_CHARACTERS else line[: REASON_CHARACTERS - 1] + "…"


def _given_up(new: Stated, old: Stated, common: Common) -> Relation | None:
    """Ask that the value given up is the one that was stated, of a thing both speak of.

    A rare name says enough by itself where it gave way to another, or is
    written as a name.
    """
    is_the_one = old.key == new.gives_up and old.positive
    telling = new.positive or new.value != new.value.casefold()
    same_thing = common.worth >= 1 or (new.measure == CHOICE and common.rare_value and telling)
    if not (is_the_one and same_thing):
        return None
    return Relation.REPLACES if new.explicit else Relation.UPDATES


def _opposed(new: Stated, old: Stated, common: Common, rules: BridgeRules) -> Relation | None:
    """Find a rule or a choice against one for the same."""
    if new.positive == old.positive:
        return None
    of_one_thing = (
        common.worth >= 1 or common.rare_value
        if new.measure == CHOICE
        else common.worth >= rules.shared_terms and _covers(common, new, old, rules)
    )
    if not of_one_thing:
        return None
    return Relation.UPDATES if new.changed else Relation.CONTRADICTS


def _other_value(new: Stated, old: Stated, common: Common, rules: BridgeRules) -> Relation | None:
    if not (new.positive and old.positive) or (new.near and not new.near & old.near):
        return None
    if new.changed:
        asked = rules.shared_choice_terms if new.measure == CHOICE else rules.shared_terms
        return Relation.UPDATES if common.named or common.worth >= asked else None
    stands = common.worth >= rules.contradicting_terms and _covers(common, new, old, rules)
    return Relation.CONTRADICTS if stands and new.measure != CHOICE else None


def _covers(common: Common, new: Stated, old: Stated, rules: BridgeRules) -> bool:
    fewest = min(len(new.about), len(old.about))
    return len(common.terms) >= rules.contradicting_share * fewest
