"""The relation between two stated values: replaces, updates, contradicts, or none.

Two values are compared only when they are values of one thing, which their shared keywords
show: the fewer other threads have a keyword, the more it tells. A value without a word of
change beside it never replaces another. A missing bridge is better than a wrong one.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from math import log

from ai_smartness.describe.stated_values import CHOICE, RULE, StatedValue
from ai_smartness.model.bridge import Relation

__all__ = [
    "MOST_CONFIDENCE",
    "SHARED_TERMS",
    "TERM_CONFIDENCE",
    "SharedTerms",
    "TermRarity",
    "bridge_id",
    "relation_confidence",
    "relation_reason",
    "shortened_quote",
    "value_relation",
]

# Precision goes before recall. Measured on superseded facts of LongMemEval's development part and
# on coding sessions: docs/measured-capture.md.
RARE_SHARE = 0.02  # a term is rare if at most this share of the threads has it
RARE_THREADS = 4  # and always if at most this many have it, for young projects
LEAST_RARE_WORTH = 0.5  # a term worth less is in about every seventh thread, and tells nothing
SHARED_TERMS = 2  # rare terms that two values of one thing share: one is often chance
SHARED_CHOICE_TERMS = 3  # the same for choices: two tools can serve one purpose
CONTRADICTING_TERMS = 3  # the same for two values without a word of change between them
CONTRADICTING_SHARE = 0.5  # and the share of the terms around the value that has fewer
REPLACED_CONFIDENCE = 0.85  # the old value was named and given up
UPDATED_CONFIDENCE = 0.65  # a new value of the same thing comes with a word of change
CONTRADICTED_CONFIDENCE = 0.4  # nothing says which of two values holds
TERM_CONFIDENCE = 0.05  # added for each shared rare term beyond the required ones
MOST_CONFIDENCE = 0.95
REASON_CHARACTERS = 80  # how much of a value a reason quotes
LEAST_QUOTE_CHARACTERS = 50  # a longer word, such as a path, is cut in two


@dataclass(frozen=True, slots=True)
class SharedTerms:
    """The terms that two values share, the rarest first.

    `worth` counts them in rare terms. `has_rare_name` says that a rare file or identifier
    is among them, `is_rare_value` that a user gave up a value that is rare in the project.
    """

    terms: tuple[str, ...]
    worth: float
    has_rare_name: bool
    is_rare_value: bool


def bridge_id(source: str, target: str, relation: Relation) -> str:
    """Return the id of the only bridge of this relation between two threads."""
    ends = f"{source}\0{target}\0{relation}".encode(errors="surrogatepass")
    return f"bridge_{blake2b(ends, digest_size=8).hexdigest()}"


def value_relation(new: StatedValue, old: StatedValue, shared: SharedTerms) -> Relation | None:
    """Return the relation of a later value to an earlier one of the same measure."""
    if new.gives_up:
        return _giving_up_relation(new, old, shared)
    if new.measure == RULE or new.key == old.key:
        return _opposing_relation(new, old, shared)
    return _changed_value_relation(new, old, shared)


def relation_confidence(relation: Relation, shared: SharedTerms) -> float:
    """Measure the confidence in a relation; each extra shared term adds to it."""
    base = {
        Relation.REPLACES: REPLACED_CONFIDENCE,
        Relation.UPDATES: UPDATED_CONFIDENCE,
        Relation.CONTRADICTS: CONTRADICTED_CONFIDENCE,
    }[relation]
    return min(MOST_CONFIDENCE, base + TERM_CONFIDENCE * max(0.0, shared.worth - SHARED_TERMS))


def relation_reason(relation: Relation, new: StatedValue, old: StatedValue, subject: str) -> str:
    """Write the reason that a person reads: both values, and their subject."""
    about = f" ({subject})" if subject else ""
    before, after = shortened_quote(old.value), shortened_quote(new.value)
    if relation is Relation.CONTRADICTS:
        return f'"{after}" stands against "{before}"{about}'
    if not new.positive:
        return f'"{before}" was given up{about}'
    return f'"{before}" became "{after}"{about}'


def shortened_quote(words: str) -> str:
    """Return the words on one line, cut between words if they are long."""
    line = " ".join(words.split())
    if len(line) <= REASON_CHARACTERS:
        return line
    whole = line[:REASON_CHARACTERS].rpartition(" ")[0].rstrip()
    start = whole if len(whole) >= LEAST_QUOTE_CHARACTERS else line[: REASON_CHARACTERS - 2]
    return f"{start} …"


def _giving_up_relation(new: StatedValue, old: StatedValue, shared: SharedTerms) -> Relation | None:
    """Require that the value given up is the earlier one, and that both have one subject.

    A rare name is enough by itself if another one replaced it, or if it is written as a name.
    """
    is_the_one = old.key == new.gives_up and old.positive
    is_named = new.positive or new.value != new.value.casefold()
    same_thing = shared.worth >= 1 or (new.measure == CHOICE and shared.is_rare_value and is_named)
    if not (is_the_one and same_thing):
        return None
    return Relation.REPLACES if new.explicit else Relation.UPDATES


def _opposing_relation(new: StatedValue, old: StatedValue, shared: SharedTerms) -> Relation | None:
    """Relate a rule or a choice for something to one against it."""
    if new.positive == old.positive:
        return None
    same_thing = (
        shared.worth >= 1 or shared.is_rare_value
        if new.measure == CHOICE
        else shared.worth >= SHARED_TERMS and _covers_enough(shared, new, old)
    )
    if not same_thing:
        return None
    return Relation.UPDATES if new.changed else Relation.CONTRADICTS


def _changed_value_relation(
    new: StatedValue, old: StatedValue, shared: SharedTerms
) -> Relation | None:
    if not (new.positive and old.positive) or (new.near and not new.near & old.near):
        return None
    if new.changed:
        least = SHARED_CHOICE_TERMS if new.measure == CHOICE else SHARED_TERMS
        return Relation.UPDATES if shared.has_rare_name or shared.worth >= least else None
    stands = shared.worth >= CONTRADICTING_TERMS and _covers_enough(shared, new, old)
    return Relation.CONTRADICTS if stands and new.measure != CHOICE else None


def _covers_enough(shared: SharedTerms, new: StatedValue, old: StatedValue) -> bool:
    fewest = min(len(new.about), len(old.about))
    return len(shared.terms) >= CONTRADICTING_SHARE * fewest


class TermRarity:
    """How rare a term is among the threads of a project."""

    def __init__(self) -> None:
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
        """Count terms in rare ones: a less rare one counts for a part, down to half."""
        rare = log((self.threads + 1) / self._rare_limit)
        if rare <= 0:
            return float(sum(1 for _ in terms))
        worths = (min(1.0, self._information(term) / rare) for term in terms)
        return sum(worth for worth in worths if worth >= LEAST_RARE_WORTH)

    def term_weight(self, term: str) -> float:
        """Weigh a term: one that only two threads have tells more than five common ones."""
        return self._information(term) ** 2

    def _information(self, term: str) -> float:
        return log((self.threads + 1) / max(1, self._thread_counts[term]))

    @property
    def _rare_limit(self) -> float:
        return max(RARE_THREADS, RARE_SHARE * self.threads)
