"""Find the bridges between the threads of a project, message by message.

Keywords only, without a model: the same messages in the same order give the same bridges.
Finding the related threads of one thread takes about a millisecond in a project of any size.
"""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from heapq import nlargest
from math import log

from ai_smartness.describe.relations import (
    MOST_CONFIDENCE,
    SHARED_TERMS,
    TERM_CONFIDENCE,
    SharedTerms,
    TermRarity,
    bridge_id,
    relation_confidence,
    relation_reason,
    shortened_quote,
    value_relation,
)
from ai_smartness.describe.stated_values import StatedValue, stated_needs, stated_values
from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.text.keywords import extract_keywords, name_keyword, spelled_keywords

__all__ = ["MOST_BRIDGES", "BridgeFinder", "FinderMessage"]

MOST_BRIDGES = 5  # from one thread: nobody would follow more
RELATED_WEIGHT = 0.12  # below this, two threads share words as any two of a project do
EXTENDING_NAMES = 2  # rare identifiers that show work on the same code; one path is enough
TOP_TERMS = 20  # how many terms of a thread are compared: more add common words
NEEDED_CONFIDENCE = 0.6  # words of dependence name the other thread's subject
EXTENDED_CONFIDENCE = 0.5  # a later session shares rare files or identifiers
AGENT_SHARE = 0.8  # of the confidence, if an agent wrote it: the user decides
MOST_POSTINGS = 64  # latest threads of a term: a more common one tells little
MOST_REMEMBERED_VALUES = 32  # latest stated values of a measure and a term
LOOKED_UP_TERMS = 8  # by how many terms around a value, the rarest, earlier values are looked up
MOST_TERMS = 2000  # how many different terms of a thread are counted
SUBJECT_TIMES = 2  # a term that a thread says only once is no subject
REASON_TERMS = 4  # how many terms a reason names: enough to recognise the subject
NAME_WEIGHT = 2.0  # a shared file or identifier tells as much as two shared words

_NAME_SEPARATORS = re.compile(r"[\W_]+")
_WEAKEST_FIRST = (
    *(Relation.SIBLING, Relation.EXTENDS, Relation.DEPENDS),
    *(Relation.CONTRADICTS, Relation.UPDATES, Relation.REPLACES),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FinderMessage:
    """One message of a thread; `names` are its files, identifiers and addresses."""

    text: str
    by_agent: bool
    session: str | None
    at: datetime
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _PlacedValue:
    """A stated value, the number of its thread, and whether an agent stated it."""

    value: StatedValue
    thread: int
    by_agent: bool


@dataclass(frozen=True, slots=True)
class _Finding:
    """The relation of a thread to an earlier one."""

    relation: Relation
    confidence: float
    reason: str

    @property
    def strength(self) -> tuple[int, float]:
        return _WEAKEST_FIRST.index(self.relation), self.confidence


@dataclass(slots=True)
class _KnownThread:
    id: str
    latest: datetime
    term_counts: Counter[str] = field(default_factory=Counter)
    user_terms: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)
    findings: dict[int, _Finding] = field(default_factory=dict)


class BridgeFinder:
    """Reads the messages of a project and finds the bridges between its threads."""

    def __init__(self) -> None:
        self._threads: list[_KnownThread] = []
        self._numbers: dict[str, int] = {}
        # Agents use every word there is: only the users' own words show whether they mean
        # one thing.
        self._rarity = TermRarity()
        self._users_rarity = TermRarity()
        self._written_terms: dict[str, str] = {}
        self._whole_words: set[str] = set()
        self._longer_words: dict[str, str] = {}  # for terms that nobody wrote as they are
        self._postings: dict[str, deque[int]] = {}
        self._values: defaultdict[tuple[str, str], deque[_PlacedValue]] = defaultdict(
            lambda: deque(maxlen=MOST_REMEMBERED_VALUES)
        )

    def add(self, thread_id: str, message: FinderMessage) -> None:
        """Add the next message of a thread; messages come in conversation order."""
        number = self._thread_number(thread_id, message.at)
        known = self._threads[number]
        known.latest = max(known.latest, message.at)
        names = {name_keyword(name) for name in message.names}
        self._learn_spellings(message)
        if not message.by_agent:
            self._find_needed(number, message)
        terms = extract_keywords(message.text, names)
        self._learn_terms(number, terms, by_agent=message.by_agent)
        known.names |= names
        if message.session is not None:
            known.sessions.add(message.session)
        for stated in stated_values(message.text, names):
            value = _PlacedValue(stated, number, message.by_agent)
            for earlier in self._comparable_values(value):
                if finding := self._change_finding(value, earlier):
                    self._keep_strongest(number, earlier.thread, finding)
            self._values["=" + stated.measure, stated.key].append(value)
            for term in sorted(stated.about):
                self._values[stated.measure, term].append(value)

    def bridges_of(self, thread_id: str) -> tuple[Bridge, ...]:
        """Return the bridges from a thread to earlier ones, the strongest first."""
        number = self._numbers.get(thread_id)
        if number is None:
            return ()
        known = self._threads[number]
        weights, shared = self._related_threads(number)
        findings = {**self._untyped_findings(number, weights, shared), **known.findings}
        bridges = [
            self._bridge_to(known, self._threads[target], finding, weights.get(target, 0.0))
            for target, finding in findings.items()
        ]
        bridges.sort(key=lambda bridge: (-bridge.weight, -bridge.confidence, bridge.id))
        return tuple(bridges[:MOST_BRIDGES])

    def _thread_number(self, thread_id: str, at: datetime) -> int:
        number = self._numbers.setdefault(thread_id, len(self._threads))
        if number == len(self._threads):
            self._threads.append(_KnownThread(thread_id, at))
            self._rarity.threads += 1
            self._users_rarity.threads += 1
        return number

    def _learn_spellings(self, message: FinderMessage) -> None:
        """Remember how names are written, and words that lose their ending as a term."""
        for name in sorted(message.names):
            self._written_terms.setdefault(name_keyword(name), name)
        for keyword, word in spelled_keywords(message.text):
            if len(keyword) == len(word):
                self._longer_words.pop(keyword, None)
                self._whole_words.add(keyword)
            elif keyword not in self._whole_words:
                self._longer_words.setdefault(keyword, word)

    def _learn_terms(self, number: int, terms: Iterable[str], *, by_agent: bool) -> None:
        counts = Counter(terms)
        known = self._threads[number]
        for term, count in counts.items():
            if term not in known.term_counts:
                if len(known.term_counts) >= MOST_TERMS:
                    continue
                self._rarity.add(term)
                self._postings.setdefault(term, deque(maxlen=MOST_POSTINGS)).append(number)
            known.term_counts[term] += count
        if not by_agent:
            for term in (counts.keys() & known.term_counts.keys()) - known.user_terms:
                self._users_rarity.add(term)
                known.user_terms.add(term)

    # Threads with shared terms.

    def _related_threads(self, number: int) -> tuple[dict[int, float], dict[int, list[str]]]:
        """Return how much of a thread's subject each earlier thread shares, 0–1, and the terms."""
        top_terms = self._top_terms(number)
        whole = sum(weight for _, weight in top_terms)
        sums: defaultdict[int, float] = defaultdict(float)
        shared: defaultdict[int, list[str]] = defaultdict(list)
        for term, weight in top_terms:
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
        return nlargest(TOP_TERMS, weighed, key=lambda item: (item[1], item[0]))

    def _untyped_findings(
        self, number: int, weights: dict[int, float], shared: dict[int, list[str]]
    ) -> dict[int, _Finding]:
        """Relate a thread to the nearest ones: twice as many as become bridges."""
        near = nlargest(MOST_BRIDGES * 2, weights.items(), key=lambda item: (item[1], -item[0]))
        return {
            other: finding
            for other, weight in near
            if weight >= RELATED_WEIGHT
            if (finding := self._related_finding(number, other, shared[other], weight))
        }

    def _related_finding(
        self, number: int, other: int, shared: list[str], weight: float
    ) -> _Finding | None:
        mine, theirs = self._threads[number], self._threads[other]
        rare = [term for term in shared if self._rarity.is_rare(term)]
        names = [term for term in rare if term in mine.names and term in theirs.names]
        same_code = len(names) >= EXTENDING_NAMES or any("/" in name for name in names)
        if same_code and mine.sessions and not mine.sessions & theirs.sessions:
            confidence = min(MOST_CONFIDENCE, EXTENDED_CONFIDENCE + TERM_CONFIDENCE * len(names))
            reason = f"goes on with {self._as_written(names)} in another session"
            return _Finding(Relation.EXTENDS, confidence, reason)
        if len(rare) < SHARED_TERMS:
            return None
        reason = f"both speak of {self._as_written(rare)}"
        return _Finding(Relation.SIBLING, min(MOST_CONFIDENCE, weight), reason)

    def _as_written(self, terms: Sequence[str]) -> str:
        spellings = dict[str, str]()  # two terms of one word, such as a name and its stem
        for term in terms:
            spelling = self._written_terms.get(term) or self._longer_words.get(term, term)
            spellings.setdefault(spelling.casefold(), spelling)
        return ", ".join(_without_parts(spellings)[:REASON_TERMS])

    # Values that a message changes, contradicts or needs.

    def _comparable_values(self, value: _PlacedValue) -> Iterator[_PlacedValue]:
        """Yield once each value of an earlier thread that may have the same subject."""
        stated = value.value
        keys = [("=" + stated.measure, stated.gives_up or stated.key)]
        rarest = sorted(stated.about, key=lambda term: (self._rarity.thread_count(term), term))
        keys += [(stated.measure, term) for term in rarest[:LOOKED_UP_TERMS]]
        seen: set[int] = set()
        for key in keys:
            for earlier in self._values.get(key, ()):
                if earlier.thread < value.thread and id(earlier) not in seen:
                    seen.add(id(earlier))
                    yield earlier

    def _change_finding(self, value: _PlacedValue, earlier: _PlacedValue) -> _Finding | None:
        """Relate a value to an earlier one.

        An agent reports more than it decides: its values count only if one is named and
        given up.
        """
        new, old = value.value, earlier.value
        if (value.by_agent or earlier.by_agent) and not new.gives_up:
            return None
        shared = self._shared_terms(value, earlier)
        relation = value_relation(new, old, shared)
        if relation is None:
            return None
        confidence = relation_confidence(relation, shared)
        confidence *= AGENT_SHARE if value.by_agent else 1.0
        reason = relation_reason(relation, new, old, self._as_written(shared.terms))
        return _Finding(relation, confidence, reason)

    def _shared_terms(self, value: _PlacedValue, earlier: _PlacedValue) -> SharedTerms:
        rarity = self._rarity if value.by_agent or earlier.by_agent else self._users_rarity
        shared = _whole_terms(value.value.about & earlier.value.about)
        names = self._threads[value.thread].names & self._threads[earlier.thread].names
        ordered = tuple(sorted(shared, key=lambda term: (rarity.thread_count(term), term)))
        return SharedTerms(
            terms=ordered,
            # In order: the last digit of a sum must not depend on how a set is stored.
            worth=rarity.rare_worth(ordered),
            has_rare_name=any(rarity.is_rare(term) for term in shared & names),
            is_rare_value=not value.by_agent and rarity.is_rare(earlier.value.key),
        )

    def _find_needed(self, number: int, message: FinderMessage) -> None:
        """Find the thread that a user says must come first, by words new to this thread.

        Agents write "depends on" about everything they read. Of nine such findings in real
        sessions, none was a dependence between the two threads.
        """
        known = self._threads[number]
        for words, needed in stated_needs(message.text, message.names):
            rare = {
                term
                for term in needed
                if term not in known.term_counts and self._rarity.is_rare(term)
            }
            matches = Counter(
                other
                for term in rare
                for other in self._postings.get(term, ())
                if other < number and self._threads[other].term_counts[term] >= SUBJECT_TIMES
            )
            for other, count in matches.items():
                if count >= SHARED_TERMS and count == max(matches.values()):
                    theirs = sorted(rare & self._threads[other].term_counts.keys())
                    reason = f'needs "{shortened_quote(words)}" ({self._as_written(theirs)})'
                    finding = _Finding(Relation.DEPENDS, NEEDED_CONFIDENCE, reason)
                    self._keep_strongest(number, other, finding)

    def _keep_strongest(self, number: int, other: int, finding: _Finding) -> None:
        findings = self._threads[number].findings
        former = findings.get(other)
        if former is None or former.strength <= finding.strength:
            findings[other] = finding

    def _bridge_to(
        self, source: _KnownThread, target: _KnownThread, finding: _Finding, related: float
    ) -> Bridge:
        is_typed = finding.relation not in (Relation.EXTENDS, Relation.SIBLING)
        return Bridge(
            id=bridge_id(source.id, target.id, finding.relation),
            source=source.id,
            target=target.id,
            relation=finding.relation,
            weight=max(related, finding.confidence) if is_typed else related,
            reason=finding.reason,
            confidence=finding.confidence,
            made_by="similarity",
            last_used=source.latest,
        )


def _whole_terms(shared: AbstractSet[str]) -> set[str]:
    """Drop terms that are parts of another shared term: one identifier counts once."""
    return {term for term in shared if not any(term in other and term != other for other in shared)}


def _without_parts(spellings: Mapping[str, str]) -> list[str]:
    """Leave out what is a part of another name: `config` and `toml` beside `config.toml`."""
    pieces = [_NAME_SEPARATORS.split(folded) for folded in spellings]
    parts = {part for name in pieces if len(name) > 1 for part in name}
    return [spelling for folded, spelling in spellings.items() if folded not in parts]
