"""Where the threads of a project meet: what bridging knows, fed message by message.

Words only, so it is always there and the same messages in the same order give
the same bridges. Finding the related of one thread costs about a millisecond
however many there are.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from heapq import nlargest
from math import log

from ai_smartness.describe.relations import (
    BridgeRules,
    SharedTerms,
    TermRarity,
    bridge_id,
    listed_terms,
    relation_confidence,
    relation_reason,
    shortened_quote,
    value_relation,
)
from ai_smartness.describe.statements import StatedValue, stated_needs, stated_values
from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.text.keywords import extract_keywords, name_keyword

__all__ = ["BridgeFinder", "FinderMessage"]

MOST_POSTINGS = 64
"""Threads remembered for a term, the latest: one that is in more tells little."""

MOST_REMEMBERED_VALUES = 32
"""Stated values remembered for a measure and a term, the latest."""

LOOKED_UP_TERMS = 8
"""Terms around a value by which earlier ones are looked up, the rarest."""

MOST_TERMS = 2000
"""Of a thread; what it says after so many different words is not new to it."""

TAKEN_UP_TIMES = 2
"""Times a thread says a term that it is about; what it says once it mentions."""

NAME_WEIGHT = 2.0
"""A shared file or identifier tells as much as two shared words."""

_RELATION_STRENGTH = {
    Relation.REPLACES: 5,
    Relation.UPDATES: 4,
    Relation.CONTRADICTS: 3,
    Relation.DEPENDS: 2,
    Relation.EXTENDS: 1,
    Relation.SIBLING: 0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FinderMessage:
    """One message of a thread; `names` are the files, identifiers and addresses in it."""

    seq: int
    event_id: str
    text: str
    by_agent: bool
    session: str | None
    at: datetime
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _PlacedValue:
    """A stated value, and where."""

    value: StatedValue
    thread: int
    by_agent: bool


@dataclass(frozen=True, slots=True)
class _Finding:
    """What was found to lie between a thread and an earlier one."""

    relation: Relation
    confidence: float
    reason: str

    @property
    def strength(self) -> tuple[int, float]:
        return _RELATION_STRENGTH[self.relation], self.confidence


@dataclass(slots=True)
class _KnownThread:
    """What is known of one thread."""

    id: str
    latest: datetime
    term_counts: Counter[str] = field(default_factory=Counter)
    user_terms: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)
    findings: dict[int, _Finding] = field(default_factory=dict)


class BridgeFinder:
    """What bridging knows of a project."""

    def __init__(self, rules: BridgeRules | None = None) -> None:
        self._rules = rules or BridgeRules()
        self._threads: list[_KnownThread] = []
        self._numbers: dict[str, int] = {}
        # Agents use every word there is: whether users mean one thing is told by their own.
        self._rarity = TermRarity(self._rules)
        self._users_rarity = TermRarity(self._rules)
        self._written_terms: dict[str, str] = {}
        self._postings: dict[str, deque[int]] = {}
        self._values: defaultdict[tuple[str, str], deque[_PlacedValue]] = defaultdict(_value_queue)

    def add(self, thread_id: str, statement: FinderMessage) -> None:
        """Take in the next message of a thread; messages come in the order they were said."""
        number = self._thread_number(thread_id, statement.at)
        known = self._threads[number]
        known.latest = max(known.latest, statement.at)
        names = {name_keyword(name) for name in statement.names}
        for name in sorted(statement.names):
            self._written_terms.setdefault(name_keyword(name), name)
        self._find_needed(number, statement)
        self._learn_terms(
            number,
            extract_keywords(statement.text, names),
            by_agent=statement.by_agent,
        )
        known.names |= names
        if statement.session is not None:
            known.sessions.add(statement.session)
        for value in stated_values(statement.text, names):
            said = _PlacedValue(value, number, statement.by_agent)
            self._find_changed(said)
            self._remember_value(said)

    def bridges_of(self, thread_id: str) -> tuple[Bridge, ...]:
        """Return the bridges from a thread to earlier ones, the strongest first."""
        number = self._numbers.get(thread_id)
        if number is None:
            return ()
        known = self._threads[number]
        weights, shared = self._related_threads(number)
        found = {**self._untyped_findings(number, weights, shared), **known.findings}
        bridges = [
            self._bridge_to(known, self._threads[target], finding, weights.get(target, 0.0))
            for target, finding in found.items()
        ]
        bridges.sort(key=lambda each: (-each.weight, -each.confidence, each.id))
        return tuple(bridges[: self._rules.most])

    def _thread_number(self, thread_id: str, at: datetime) -> int:
        number = self._numbers.setdefault(thread_id, len(self._threads))
        if number == len(self._threads):
            self._threads.append(_KnownThread(thread_id, at))
            self._rarity.threads += 1
            self._users_rarity.threads += 1
        return number

    def _learn_terms(self, number: int, words: Iterable[str], *, by_agent: bool) -> None:
        said = Counter(words)
        known = self._threads[number]
        for term, count in said.items():
            if term not in known.term_counts:
                if len(known.term_counts) >= MOST_TERMS:
                    continue
                self._rarity.add(term)
                self._postings.setdefault(term, deque(maxlen=MOST_POSTINGS)).append(number)
            known.term_counts[term] += count
        if not by_agent:
            for term in (said.keys() & known.term_counts.keys()) - known.user_terms:
                self._users_rarity.add(term)
                known.user_terms.add(term)

    # What two threads have in common.

    def _related_threads(self, number: int) -> tuple[dict[int, float], dict[int, list[str]]]:
        """Return how much of what a thread is about each earlier one is about too, 0–1."""
        own = self._top_terms(number)
        whole = sum(weight for _, weight in own)
        sums: defaultdict[int, float] = defaultdict(float)
        shared: defaultdict[int, list[str]] = defaultdict(list)
        for term, weight in own:
            for other in self._postings[term]:
                if other < number:
                    counts = self._threads[other].term_counts
                    # A long thread has every word once: only what it repeats counts in full.
                    often = counts[term] / (counts[term] + 0.5 + len(counts) / 500)
                    sums[other] += weight * often
                    shared[other].append(term)
        return {other: min(1.0, total / whole) for other, total in sums.items()}, shared

    def _top_terms(self, number: int) -> list[tuple[str, float]]:
        known = self._threads[number]
        weighed = (
            (
                term,
                self._rarity.term_weight(term)
                * (1 + log(count))
                * (NAME_WEIGHT if term in known.names else 1.0),
            )
            for term, count in known.term_counts.items()
            if self._rarity.thread_count(term) > 1
        )
        return nlargest(self._rules.telling_terms, weighed, key=lambda each: (each[1], each[0]))

    def _untyped_findings(
        self,
        number: int,
        weights: dict[int, float],
        shared: dict[int, list[str]],
    ) -> dict[int, _Finding]:
        """Return the nearest threads with what they share; more than are shown, for the cut."""
        near = nlargest(self._rules.most * 2, weights.items(), key=lambda each: (each[1], -each[0]))
        return {
            other: finding
            for other, weight in near
            if weight >= self._rules.related_weight
            if (finding := self._related_finding(number, other, shared[other], weight))
        }

    def _related_finding(
        self,
        number: int,
        other: int,
        shared: list[str],
        weight: float,
    ) -> _Finding | None:
        mine, theirs = self._threads[number], self._threads[other]
        rare = [term for term in shared if self._rarity.is_rare(term)]
        names = [term for term in rare if term in mine.names and term in theirs.names]
        goes_on = len(names) >= self._rules.extending_names or any("/" in name for name in names)
        if goes_on and mine.sessions and not mine.sessions & theirs.sessions:
            sure = min(self._rules.surest, self._rules.extended + self._rules.surer * len(names))
            because = f"goes on with {self._as_written(names)} in another session"
            return _Finding(Relation.EXTENDS, sure, because)
        if len(rare) < self._rules.shared_terms:
            return None
        return _Finding(
            Relation.SIBLING,
            min(self._rules.surest, weight),
            f"both speak of {self._as_written(rare)}",
        )

    def _as_written(self, found: Sequence[str]) -> str:
        return listed_terms(self._written_terms.get(term, term) for term in found)

    # What a message changes, contradicts or needs.

    def _remember_value(self, said: _PlacedValue) -> None:
        value = said.value
        self._values["=" + value.measure, value.key].append(said)
        for term in sorted(value.about):
            self._values[value.measure, term].append(said)

    def _find_changed(self, said: _PlacedValue) -> None:
        for before in self._comparable_values(said):
            finding = self._change_finding(said, before)
            if finding:
                self._keep_strongest(said.thread, before.thread, finding)

    def _comparable_values(self, said: _PlacedValue) -> Iterator[_PlacedValue]:
        """Yield each value of an earlier thread that could be of the same thing, once."""
        value = said.value
        keys = [("=" + value.measure, value.gives_up or value.key)]
        rarest = sorted(value.about, key=lambda term: (self._rarity.thread_count(term), term))
        keys += [(value.measure, term) for term in rarest[:LOOKED_UP_TERMS]]
        seen: set[int] = set()
        for key in keys:
            for before in self._values.get(key, ()):
                if before.thread < said.thread and id(before) not in seen:
                    seen.add(id(before))
                    yield before

    def _change_finding(self, said: _PlacedValue, before: _PlacedValue) -> _Finding | None:
        """Say what a value does to an earlier one, if anything.

        An agent reports more than it decides: its values count only where one
        is named and given up.
        """
        new, old = said.value, before.value
        if (said.by_agent or before.by_agent) and not new.gives_up:
            return None
        common = self._shared_terms(said, before)
        found = value_relation(new, old, common, self._rules)
        if found is None:
            return None
        sure = relation_confidence(found, common, self._rules)
        sure *= self._rules.agent_share if said.by_agent else 1.0
        return _Finding(
            found,
            sure,
            relation_reason(found, new, old, self._as_written(common.terms)),
        )

    def _shared_terms(self, said: _PlacedValue, before: _PlacedValue) -> SharedTerms:
        rarity = self._rarity if said.by_agent or before.by_agent else self._users_rarity
        shared = _whole_terms(said.value.about & before.value.about)
        names = self._threads[said.thread].names & self._threads[before.thread].names
        ordered = tuple(sorted(shared, key=lambda term: (rarity.thread_count(term), term)))
        return SharedTerms(
            terms=ordered,
            # In order: the last digit of a sum must not depend on how a set is stored.
            worth=rarity.rare_worth(ordered),
            has_rare_name=any(rarity.is_rare(term) for term in shared & names),
            is_rare_value=not said.by_agent and rarity.is_rare(before.value.key),
        )

    def _find_needed(self, number: int, statement: FinderMessage) -> None:
        """Find the thread that a user says must come first, by words new to its own.

        An agent says "depends on" of all it reads: of nine found so in real sessions, none read
        like a dependence between the two threads.
        """
        if statement.by_agent:
            return
        known = self._threads[number]
        for words, wanted in stated_needs(statement.text, statement.names):
            rare = {
                term
                for term in wanted
                if term not in known.term_counts and self._rarity.is_rare(term)
            }
            places = Counter(
                other
                for term in rare
                for other in self._postings.get(term, ())
                if other < number and self._threads[other].term_counts[term] >= TAKEN_UP_TIMES
            )
            for other, count in places.items():
                if count >= self._rules.shared_terms and count == max(places.values()):
                    theirs = sorted(rare & self._threads[other].term_counts.keys())
                    because = f'needs "{shortened_quote(words)}" ({self._as_written(theirs)})'
                    finding = _Finding(Relation.DEPENDS, self._rules.needed, because)
                    self._keep_strongest(number, other, finding)

    def _keep_strongest(self, number: int, other: int, finding: _Finding) -> None:
        findings = self._threads[number].findings
        former = findings.get(other)
        if former is None or former.strength <= finding.strength:
            findings[other] = finding

    def _bridge_to(
        self,
        source: _KnownThread,
        target: _KnownThread,
        finding: _Finding,
        related: float,
    ) -> Bridge:
        typed = finding.relation not in (Relation.EXTENDS, Relation.SIBLING)
        return Bridge(
            id=bridge_id(source.id, target.id, finding.relation),
            source=source.id,
            target=target.id,
            relation=finding.relation,
            weight=max(related, finding.confidence) if typed else related,
            reason=finding.reason,
            confidence=finding.confidence,
            made_by="similarity",
            last_used=source.latest,
        )


def _whole_terms(shared: AbstractSet[str]) -> set[str]:
    """Leave out the parts of what is shared as a whole: one identifier is one term."""
    return {term for term in shared if not any(term in each and term != each for each in shared)}


def _value_queue() -> deque[_PlacedValue]:
    return deque(maxlen=MOST_REMEMBERED_VALUES)
