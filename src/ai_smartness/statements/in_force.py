"""The statements of a project that hold, and which of them a new statement supersedes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ai_smartness.model.bridge import Relation
from ai_smartness.model.statement import Statement
from ai_smartness.ports import ThreadStore
from ai_smartness.statements.pair_features import (
    ComparedStatement,
    compared_statement,
    names_given_up,
)
from ai_smartness.statements.supersede import (
    may_supersede,
    plainly_supersedes,
    superseded_chances,
    supersession_relation,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai_smartness.statements.heads import Heads

__all__ = ["StatementsInForce", "Supersession"]

MOST_COMPARED = 20_000  # the newest statements: a longer memory has settled the older ones
SHORTLIST = 20  # the most similar statements that a new one is compared with
FIRST_ROWS = 256  # of the matrix of vectors
MOST_BY_WORDS = 20  # and as many that share a word, the newest
MOST_SUPERSEDED = 3  # by one statement: a decision changes few things at once
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


class _Compared(NamedTuple):
    statement: Statement
    compared: ComparedStatement
    vector: "NDArray[np.float32] | None"


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
    return _Compared(first.statement, compared, mean / max(float(mean @ mean) ** 0.5, TINY))


class StatementsInForce:
    """The statements that hold, in the order in which they were made."""

    def __init__(self, heads: "Heads | None") -> None:
        self._heads = heads
        self._entries: dict[str, _Compared] = {}
        self._by_stem: dict[str, dict[str, None]] = {}
        self._rows: NDArray[np.float32]
        self._row_ids: list[str] = []
        self._row_numbers: dict[str, int] = {}

    @classmethod
    def stored(
        cls, store: ThreadStore, project: str, space: str, heads: "Heads | None"
    ) -> "StatementsInForce":
        """Return the statements of a project that the store says hold."""
        in_force = cls(heads)
        newest_first = store.statements.all(project, superseded=False)[:MOST_COMPARED]
        ids, rows = store.statements.vectors(project, space, [one.id for one in newest_first])
        vectors = dict(zip(ids, rows, strict=True))
        for statement in sorted(newest_first, key=lambda one: one.seq):
            in_force.add(statement, vectors.get(statement.id))
        return in_force

    def add(self, statement: Statement, vector: "NDArray[np.float32] | None") -> None:
        """Add the next statement."""
        compared = compared_statement(statement)
        self._entries[statement.id] = _Compared(statement, compared, vector)
        if vector is not None:
            self._add_row(statement.id, vector)
        for stem in compared.stems:
            self._by_stem.setdefault(stem, {})[statement.id] = None

    def superseded_by(self, *newer_ids: str) -> list[Supersession]:
        """Return what a statement supersedes; that is in force no longer.

        Several ids are neighbouring sentences, read as one ("Move sessions to Postgres. No more
        Redis"); the first of them holds instead.
        """
        newer = _joined_entry([self._entries[id_] for id_ in newer_ids])
        # Joined sentences share more words with anything: what they give up must be named.
        is_joined = len(newer_ids) > 1
        candidates = [
            one
            for one in self._candidates(newer)
            if one.statement.seq < newer.statement.seq
            and may_supersede(one.compared, newer.compared)
            and (not is_joined or names_given_up(one.compared, newer.compared))
        ]
        found = [
            Supersession(
                one.statement,
                newer.statement,
                supersession_relation(one.compared, newer.compared),
                chance,
            )
            for one, chance in self._chances(candidates, newer)
            if chance
        ]
        # The surest first, and in a fixed order.
        found.sort(key=lambda one: (-one.chance, one.older.seq, one.older.id))
        del found[MOST_SUPERSEDED:]
        for supersession in found:
            self._remove(supersession.older.id)
        return found

    def _chances(
        self, candidates: Sequence[_Compared], newer: _Compared
    ) -> Iterator[tuple[_Compared, float]]:
        if self._heads is None or newer.vector is None:
            for one in candidates:
                if plainly_supersedes(one.compared, newer.compared):
                    yield one, PLAIN_CHANCE
            return
        known = [one for one in candidates if one.vector is not None]
        if not known:
            return
        import numpy as np

        vectors = np.stack([one.vector for one in known if one.vector is not None])
        pairs = [(one.compared, newer.compared) for one in known]
        repeated = np.repeat(newer.vector[None], len(known), axis=0)
        cosines = vectors @ newer.vector
        chances = superseded_chances(self._heads.supersedes, pairs, cosines, repeated)
        yield from zip(known, map(float, chances), strict=True)

    def _candidates(self, newer: _Compared) -> Iterator[_Compared]:
        """Yield the statements that a new one may change: the most similar, and by its words."""
        ids = dict.fromkeys((*self._similar_ids(newer), *self._ids_by_words(newer)))
        ids.pop(newer.statement.id, None)
        yield from (self._entries[id_] for id_ in ids)

    def _ids_by_words(self, newer: _Compared) -> list[str]:
        stems = (self._by_stem.get(stem, {}) for stem in sorted(newer.compared.stems))
        known = {id_ for ids in stems for id_ in islice(reversed(ids), MOST_BY_WORDS)}
        newest = sorted(known, key=lambda id_: (-self._entries[id_].statement.seq, id_))
        return newest[:MOST_BY_WORDS]

    def _similar_ids(self, newer: _Compared) -> list[str]:
        if newer.vector is None:
            return []
        import numpy as np

        cosines = self._rows[: len(self._row_ids)] @ newer.vector
        order = np.argsort(-cosines, kind="stable")[: SHORTLIST + 1]
        return [id_ for place in order if (id_ := self._row_ids[place]) in self._entries]

    def _add_row(self, id_: str, vector: "NDArray[np.float32]") -> None:
        """Add a row to the matrix of vectors, which doubles when it is full."""
        import numpy as np

        count = len(self._row_ids)
        if not count:
            self._rows = np.zeros((FIRST_ROWS, len(vector)), np.float32)
        elif count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        self._rows[count] = vector
        self._row_numbers[id_] = count
        self._row_ids.append(id_)

    def _remove(self, id_: str) -> None:
        removed = self._entries.pop(id_)
        for stem in removed.compared.stems:
            self._by_stem[stem].pop(id_, None)
        if id_ in self._row_numbers:
            # A row of zeros is similar to nothing.
            self._rows[self._row_numbers[id_]] = 0
