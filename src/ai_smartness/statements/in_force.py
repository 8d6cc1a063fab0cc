"""The statements of a project that hold, and which of them a new statement supersedes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from math import log, prod
from typing import TYPE_CHECKING, NamedTuple

from ai_smartness.model.bridge import Relation
from ai_smartness.model.statement import Speaker, Statement, StatementKind
from ai_smartness.ports import Embedder, ThreadStore
from ai_smartness.ports.give_way import paced_items
from ai_smartness.statements.pair_features import (
    ComparedStatement,
    ComparedText,
    PairSurroundings,
    changes_nothing,
    compared_statement,
    has_other_setting,
    leaves_other_facts,
    names_given_up,
    subject_stems,
)
from ai_smartness.statements.supersede import (
    DOUBTFUL_CHANCE,
    LIKELY_CHANCE,
    ComparedPair,
    closes_task,
    is_superseded,
    least_doubt,
    may_be_changed,
    may_supersede,
    plainly_supersedes,
    sets_new_value,
    supersession_chances,
    supersession_relation,
    tells_other_detail,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai_smartness.statements.heads import Heads
    from ai_smartness.statements.judge import SentenceJudge
    from ai_smartness.statements.statement_rows import (
        ForeignNearness,
        ForeignRows,
        Similarities,
        StatementRows,
    )

__all__ = ["ECHO_EVENTS", "StatementChanges", "StatementsInForce", "Supersession"]

MOST_COMPARED = 20_000  # the newest statements: a longer memory has settled the older ones
MOST_FOREIGN = 2_000  # the newest statements that one in another language is compared with
SHORTLIST = 20  # the most similar statements that a new one is compared with
MOST_BY_WORDS = 20  # and as many that share a word, the newest
RARE_STATEMENTS = 20  # added to the number of statements: in a small memory every word is rare
HALF = 0.5  # a word that no statement has counts for so much
MOST_SUPERSEDED = 3  # by one statement: a decision changes few things at once
MOST_DOUBTED = 3  # by one statement, with those that it surely supersedes
ECHO_EVENTS = 3  # after a person's statement, among which the agent's reply to it stands
TINY = 1e-9  # keeps a vector of no length from dividing by nothing
PLAIN_CHANCE = 0.6  # the confidence in a decision without a model


class Supersession(NamedTuple):
    """A statement, the later one that holds instead, how they relate, and how sure that is."""

    older: Statement
    newer: Statement
    relation: Relation
    chance: float

    @property
    def row(self) -> tuple[str, str, Relation, datetime]:
        """The supersession as the store keeps it."""
        return self.older.id, self.newer.id, self.relation, self.newer.at


class StatementChanges(NamedTuple):
    """What a new statement supersedes, what it may have superseded, and what it changes in part.

    What may be superseded, also in part, is given by ids and chances.
    """

    superseded: list[Supersession]
    doubted: list[tuple[str, str, float]]
    changed_in_part: list[Supersession]


class _Nearness(NamedTuple):
    """How near a new statement is to the others, and how near by the model for its language."""

    similar: "Similarities"
    foreign: "ForeignNearness | None"

    @property
    def nearest(self) -> list[str]:
        """The ids of the nearest statements."""
        return [*self.similar.nearest, *(self.foreign.nearest if self.foreign else ())]


class _Compared(NamedTuple):
    statement: Statement
    compared: ComparedStatement
    vector: "NDArray[np.float32] | None"
    context: ComparedText


def _joined_entry(entries: Sequence[_Compared]) -> _Compared:
    first = entries[0]
    if len(entries) == 1:
        return first
    compared = replace(
        first.compared,
        text=" ".join(one.compared.text for one in entries),
        confidence=1 - prod(1 - one.compared.confidence for one in entries),
    )
    vectors = [one.vector for one in entries if one.vector is not None]
    if not vectors:
        return first._replace(compared=compared)
    mean = sum(vectors[1:], start=vectors[0])
    vector = mean / max(float(mean @ mean) ** 0.5, TINY)
    return first._replace(compared=compared, vector=vector)


class StatementsInForce:
    """The statements that hold, in the order in which they were made."""

    def __init__(self, heads: "Heads | None", embedder: Embedder | None = None) -> None:
        self._heads = heads
        self._embedder = embedder
        self._foreign: ForeignRows | None = None
        self._entries: dict[str, _Compared] = {}
        self._by_stem: dict[str, dict[str, None]] = {}
        self._by_seq: dict[int, dict[str, None]] = {}
        self._rows: StatementRows | None = None

    @classmethod
    def stored(
        cls,
        store: ThreadStore,
        judge: "SentenceJudge",
        newest_first: Sequence[Statement],
    ) -> "StatementsInForce":
        """Return these statements of a project with their stored vectors, the newest of them."""
        in_force = cls(judge.heads, judge.embedder)
        if not newest_first:
            return in_force
        compared = newest_first[:MOST_COMPARED]
        project, ids = compared[0].project, [one.id for one in compared]
        stored_ids, rows = store.statements.vectors(project, judge.space, ids)
        vectors = dict(zip(stored_ids, rows, strict=True))
        for statement in paced_items(sorted(compared, key=lambda one: one.seq)):
            in_force.add(statement, vectors.get(statement.id))
        return in_force

    def add(
        self, statement: Statement, vector: "NDArray[np.float32] | None", context: str = ""
    ) -> None:
        """Add the next statement; `context` is its message and what was said right before it."""
        compared = compared_statement(statement)
        self._entries[statement.id] = _Compared(
            statement, compared, vector, ComparedText(context or statement.text)
        )
        if vector is not None:
            self._known_rows().add(statement.id, vector)
        for stem in compared.stems:
            self._by_stem.setdefault(stem, {})[statement.id] = None
        self._by_seq.setdefault(statement.seq, {})[statement.id] = None

    def superseded_by(self, *newer_ids: str) -> list[Supersession]:
        """Return what a statement supersedes; that is in force no longer."""
        return self.changes_by(*newer_ids).superseded

    def changes_by(self, *newer_ids: str) -> StatementChanges:
        """Return what a statement supersedes, which is in force no longer, and what it may.

        Several ids are neighbouring sentences, read as one ("Move sessions to Postgres. No more
        Redis"); the first of them holds instead.
        """
        newer = _joined_entry([self._entries[id_] for id_ in newer_ids])
        found, doubted, partial = self._compared_changes(newer, is_joined=len(newer_ids) > 1)
        # The surest first, and in a fixed order.
        found.sort(key=lambda one: (-one.chance, one.older.seq, one.older.id))
        doubted += [(one.older.id, one.newer.id, one.chance) for one in found[MOST_SUPERSEDED:]]
        del found[MOST_SUPERSEDED:]
        return self._settled(StatementChanges(found, doubted, partial), newer_ids)

    def changed_by_edit(self, older_id: str, newer_id: str) -> StatementChanges:
        """Return the change of one statement by another, which an agent's edit shows."""
        older, newer = self._entries[older_id], self._entries[newer_id]
        if older_id == newer_id or changes_nothing(newer.compared):
            return StatementChanges([], [], [])
        relation = supersession_relation(older.compared, newer.compared)
        change = Supersession(older.statement, newer.statement, relation, 1.0)
        if leaves_other_facts(older.compared, newer.compared):
            doubt = older_id, newer_id, change.chance
            return StatementChanges([], [doubt], [change._replace(relation=Relation.UPDATES)])
        return self._settled(StatementChanges([change], [], []), [newer_id])

    def stated_at(self, seq: int) -> list[Statement]:
        """Return the statements in force of a message."""
        return [self._entries[id_].statement for id_ in self._by_seq.get(seq, ())]

    def with_stems(self, stems: frozenset[str]) -> list[Statement]:
        """Return the statements that have one of these words, those with the most of them first."""
        ids = dict.fromkeys(id_ for stem in sorted(stems) for id_ in self._by_stem.get(stem, ()))
        entries = [self._entries[id_] for id_ in ids]
        entries.sort(key=lambda one: -len(one.compared.stems & stems))
        return [one.statement for one in entries]

    def _settled(self, changes: StatementChanges, newer_ids: Sequence[str]) -> StatementChanges:
        """Return changes with those that follow from them; what is superseded is forgotten."""
        found, doubted, partial = changes
        found += [cause for one in found[:] for cause in self._caused_changes(one)]
        known = {one.older.id for one in found} | set(newer_ids)
        echoes = {echo.older.id: echo for one in found for echo in self._echoes_of(one)}
        found += [echo for id_, echo in echoes.items() if id_ not in known]
        found = list({one.older.id: one for one in reversed(found)}.values())[::-1]
        for supersession in found:
            self.forget(supersession.older.id)
        in_doubt = [doubt for doubt in doubted if doubt[0] in self._entries]
        in_doubt.sort(key=lambda doubt: (-doubt[2], doubt[0]))
        del in_doubt[max(0, MOST_DOUBTED - len(found)) :]
        return StatementChanges(found, in_doubt, partial)

    def revalued_by(self, newer_id: str) -> list[Statement]:
        """Return what a statement plainly gives another value, the nearest first."""
        newer = self._entries[newer_id]
        near = self._nearness(newer)
        pairs = self._pairs(list(self._candidates(newer, near)), newer, near)
        revalued = [
            (pair.around.rank, one.statement.id, one.statement)
            for one, pair in pairs
            if sets_new_value(pair) and may_supersede(*pair[:2])
        ]
        return [statement for *_, statement in sorted(revalued)]

    def _compared_changes(self, newer: _Compared, *, is_joined: bool = False) -> StatementChanges:
        """Return all that a statement supersedes, may supersede, and changes in part."""
        near = self._nearness(newer)
        # Joined sentences share more words with anything: what they give up must be named.
        candidates = [
            one
            for one in self._candidates(newer, near)
            if one.statement.seq < newer.statement.seq
            and (not is_joined or names_given_up(one.compared, newer.compared))
        ]
        found, partial = list[Supersession](), list[Supersession]()
        doubted = list[tuple[str, str, float]]()
        for one, chance, is_sure in self._chances(candidates, newer, near):
            is_closed = closes_task(one.compared, newer.compared, newer.context)
            is_change = is_closed or (is_sure and may_supersede(one.compared, newer.compared))
            if not is_closed and tells_other_detail(one.compared, newer.compared):
                continue
            is_partial = leaves_other_facts(one.compared, newer.compared)
            if is_change and is_partial and not is_closed and not _is_same_setting(one, newer):
                updated = Supersession(one.statement, newer.statement, Relation.UPDATES, chance)
                partial.append(updated)
                doubted.append((updated.older.id, updated.newer.id, max(chance, LIKELY_CHANCE)))
            elif is_change:
                relation = supersession_relation(one.compared, newer.compared)
                relation = Relation.REPLACES if is_closed else relation
                found.append(Supersession(one.statement, newer.statement, relation, chance))
            elif chance >= DOUBTFUL_CHANCE and may_be_changed(one.compared, newer.compared):
                doubted.append((one.statement.id, newer.statement.id, chance))
        return StatementChanges(found, doubted, partial)

    def closes_open_task(self, text: str, speaker: Speaker, context: str) -> bool:
        """Say whether a sentence, which is no statement by itself, tells that a task is done."""
        report = ComparedStatement(text, speaker, StatementKind.ENVIRONMENT, 0.0)
        around = ComparedText(context)
        tasks = (one.compared for one in self._entries.values() if _is_open_task(one))
        return any(closes_task(task, report, around) for task in tasks)

    def _echoes_of(self, change: Supersession) -> Iterator[Supersession]:
        """Yield the same change of what an agent reported of a person's superseded statement."""
        older = self._entries[change.older.id]
        ids = dict.fromkeys(
            id_ for stem in sorted(older.compared.stems) for id_ in self._by_stem[stem]
        )
        for echo in map(self._entries.__getitem__, ids):
            if echo.statement.seq < change.newer.seq and _is_echo(older, echo):
                yield change._replace(older=echo.statement)

    def _caused_changes(self, change: Supersession) -> Iterator[Supersession]:
        """Yield the change of what people said behind an agent's new value of a name of code.

        "`CUTOFF = 16`" after "`CUTOFF = 18`" tells that "close at four" replaced "close at six".
        """
        older, newer = self._entries[change.older.id], self._entries[change.newer.id]
        if not _is_same_setting(older, newer):
            return
        cause, new_cause = self._asked_for(older), self._asked_for(newer)
        if cause is not None and cause.statement.id != change.newer.id:
            holding = new_cause.statement if new_cause else change.newer
            if holding.seq > cause.statement.seq:
                yield change._replace(older=cause.statement, newer=holding)

    def _asked_for(self, report: _Compared) -> _Compared | None:
        """Return the person's statement right before an agent's, with the same number in it."""
        seqs = range(report.statement.seq - 1, report.statement.seq - ECHO_EVENTS - 1, -1)
        before = (self._entries[id_] for seq in seqs for id_ in self._by_seq.get(seq, ()))
        return next((one for one in before if _is_echo(one, report)), None)

    def compared_pairs(self, newer_id: str) -> "list[tuple[Statement, ComparedPair]]":
        """Return the statements that a statement may change, each compared with it."""
        newer = self._entries[newer_id]
        near = self._nearness(newer)
        candidates = list(self._candidates(newer, near))
        return [(one.statement, pair) for one, pair in self._pairs(candidates, newer, near)]

    def _chances(
        self, candidates: Sequence[_Compared], newer: _Compared, near: _Nearness | None
    ) -> Iterator[tuple[_Compared, float, bool]]:
        """Yield candidates with the chance that they are superseded, and whether that is sure."""
        if self._heads is None or newer.vector is None:
            for one in candidates:
                is_closed = closes_task(one.compared, newer.compared, newer.context)
                if is_closed or plainly_supersedes(one.compared, newer.compared):
                    yield one, PLAIN_CHANCE, True
            return
        pairs = self._pairs(candidates, newer, near)
        if pairs:
            compared = [pair for _, pair in pairs]
            chances = supersession_chances(self._heads.supersedes, compared, newer.vector)
            for (one, pair), chance in zip(pairs, map(float, chances), strict=True):
                yield one, max(chance, least_doubt(pair)), is_superseded(pair, chance)

    def _pairs(
        self, candidates: Sequence[_Compared], newer: _Compared, near: _Nearness | None
    ) -> list[tuple[_Compared, ComparedPair]]:
        """Return the candidates that have vectors, and how each compares with the new one."""
        if near is None:
            return []
        shared = {
            one.statement.id: len(subject_stems(one.compared, newer.compared))
            for one in candidates
            if one.statement.speaker is Speaker.USER
        }
        return [
            (
                one,
                ComparedPair(one.compared, newer.compared, self._around(one, newer, near, shared)),
            )
            for one in candidates
            if one.vector is not None
        ]

    def _around(
        self, older: _Compared, newer: _Compared, near: _Nearness, shared: Mapping[str, int]
    ) -> PairSurroundings:
        assert older.vector is not None and newer.vector is not None  # noqa: S101, PT018 - chosen so
        cosine = float(older.vector @ newer.vector)
        usual = self._known_rows().mean_cosine(older.vector)
        similar, foreign, id_ = near.similar, near.foreign, older.statement.id
        return PairSurroundings(
            cosine=cosine,
            newer_deviation=(cosine - similar.mean) / similar.deviation,
            older_deviation=(cosine - usual) / similar.deviation,
            rank=similar.rank(cosine),
            rarity=self._rarity,
            context=newer.context,
            is_same_session=_is_same_session(older.statement, newer.statement),
            foreign_deviation=foreign.deviation(id_) if foreign else 0.0,
            is_foreign_nearest=foreign.is_nearest(id_) if foreign else False,
            others_share=max((n for other, n in shared.items() if other != id_), default=0),
        )

    def _rarity(self, stem: str) -> float:
        """Return how rare a word is among the statements: 1 if none has it."""
        count = len(self._entries) + RARE_STATEMENTS
        return log(count / (len(self._by_stem.get(stem, ())) + HALF)) / log(count / HALF)

    def _candidates(self, newer: _Compared, near: _Nearness | None) -> Iterator[_Compared]:
        """Yield the statements that a new one may change: the most similar, and by its words."""
        nearest = near.nearest if near else ()
        ids = dict.fromkeys((*nearest, *self._ids_by_words(newer)))
        ids.pop(newer.statement.id, None)
        yield from (self._entries[id_] for id_ in ids)

    def _ids_by_words(self, newer: _Compared) -> list[str]:
        stems = (self._by_stem.get(stem, {}) for stem in sorted(newer.compared.stems))
        known = {id_ for ids in stems for id_ in islice(reversed(ids), MOST_BY_WORDS)}
        newest = sorted(known, key=lambda id_: (-self._entries[id_].statement.seq, id_))
        return newest[:MOST_BY_WORDS]

    def _nearness(self, newer: _Compared) -> _Nearness | None:
        if newer.vector is None:
            return None
        similar = self._known_rows().similarities(newer.vector, newer.statement.id, SHORTLIST)
        return _Nearness(similar, self._foreign_nearness(newer))

    def _foreign_nearness(self, newer: _Compared) -> "ForeignNearness | None":
        if self._foreign is None:
            from ai_smartness.statements.statement_rows import ForeignRows

            self._foreign = ForeignRows(self._embedder)
        newest = islice(reversed(self._entries.values()), MOST_FOREIGN)
        others = (
            (one.statement.id, one.compared.text)
            for one in newest
            if one.statement.id != newer.statement.id
        )
        return self._foreign.nearness(newer.compared.text, others, SHORTLIST)

    def _known_rows(self) -> "StatementRows":
        if self._rows is None:
            from ai_smartness.statements.statement_rows import StatementRows

            self._rows = StatementRows()
        return self._rows

    def forget(self, id_: str) -> None:
        """Remove a statement; one of too many to compare is not there."""
        removed = self._entries.pop(id_, None)
        if removed is None:
            return
        for stem in removed.compared.stems:
            self._by_stem[stem].pop(id_, None)
        self._by_seq[removed.statement.seq].pop(id_, None)
        for rows in (self._rows, self._foreign):
            if rows is not None:
                rows.remove(id_)


def _is_same_setting(older: _Compared, newer: _Compared) -> bool:
    return has_other_setting(older.compared, newer.compared)


def _is_open_task(one: _Compared) -> bool:
    return one.statement.kind is StatementKind.OPEN_TASK


def _is_echo(older: _Compared, later: _Compared) -> bool:
    """Say whether an agent's statement has the number of a person's, of the same thing.

    Right after it, the number is enough. A shared name says less: an agent speaks of Kotlin in
    every other sentence.
    """
    first, second = older.statement, later.statement
    if first.speaker is not Speaker.USER or second.speaker is not Speaker.ASSISTANT:
        return False
    distance = second.seq - first.seq
    is_reply = _is_same_session(first, second) and 0 < distance <= ECHO_EVENTS
    is_same_thing = distance > 0 and bool(subject_stems(older.compared, later.compared))
    shares_value = bool(older.compared.all_values & later.compared.all_values)
    return (is_reply or is_same_thing) and shares_value


def _is_same_session(older: Statement, newer: Statement) -> bool:
    return bool(newer.session) and older.session == newer.session
