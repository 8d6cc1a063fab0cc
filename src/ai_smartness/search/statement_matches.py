"""Find the statements that are near a query: those of the hits, and the nearest by meaning.

A statement has a vector of its own, so it is found where its message speaks of other things too.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ai_smartness.capture.embed import model_errors
from ai_smartness.model.statement import MOST_COMPARED_EVENTS, ReviewState, Statement
from ai_smartness.ports import Embedder, ThreadStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["StatementMatch", "statement_matches"]

NEAREST_STATEMENTS = 20  # by meaning, beside those of the hits
MIN_COSINE_SPREAD = 0.02  # if the best cosine is closer to a typical one, no statement stands out


@dataclass(frozen=True, slots=True)
class StatementMatch:
    """A statement and how far it stands out by meaning: 0 is typical, 1 the nearest of all."""

    statement: Statement
    closeness: float = 0.0


def statement_matches(
    store: ThreadStore,
    embedder: Embedder | None,
    projects: Iterable[str],
    queries: Sequence[str],
    seqs: Sequence[int],
) -> dict[int, list[StatementMatch]]:
    """Return the statements of these events and those near to one of the queries, by `seq`."""
    statements = {s.id: s for of in store.statements.of_events(seqs).values() for s in of}
    closeness: dict[str, float] = {}
    if embedder is not None:
        with model_errors():
            vectors = [embedder.query(query) for query in queries]
        for project in projects:
            near = _closeness_by_id(store, project, embedder.space, vectors, statements)
            closeness |= near
            statements |= store.statements.by_id(project, sorted(near.keys() - statements.keys()))
    matches: dict[int, list[StatementMatch]] = {}
    for id_, statement in statements.items():
        if statement.review is ReviewState.REJECTED:
            continue
        match = StatementMatch(statement, closeness.get(id_, 0.0))
        matches.setdefault(statement.seq, []).append(match)
    return matches


def _closeness_by_id(
    store: ThreadStore,
    project: str,
    space: str,
    vectors: "Sequence[NDArray[np.float32]]",
    statements: Mapping[str, Statement],
) -> dict[str, float]:
    """Measure how far statements stand out for the query that each is nearest to.

    Those given are measured, and the nearest others.
    """
    import numpy as np

    own_ids = [id_ for id_, statement in statements.items() if statement.project == project]
    queries = np.stack(vectors)
    if store.events.count(project) > MOST_COMPARED_EVENTS:
        ids, rows = store.statements.vectors(project, space, own_ids)
        standouts = _standouts(rows @ queries.T) if ids else np.empty(0)
        return dict(zip(ids, map(float, standouts), strict=True))
    numbers, cosines = store.statements.cosines(project, space, queries)
    if not len(numbers):
        return {}
    standouts, own_numbers = _standouts(cosines), store.statements.numbers(project, own_ids)
    is_own = np.isin(numbers, np.fromiter(own_numbers.values(), np.int64))
    own = dict(zip(numbers[is_own].tolist(), standouts[is_own].tolist(), strict=True))
    measured = {id_: own[number] for id_, number in own_numbers.items() if number in own}
    return measured | _nearest_ids(store, numbers[~is_own], standouts[~is_own])


def _nearest_ids(
    store: ThreadStore, numbers: "NDArray[np.int64]", standouts: "NDArray[np.float32]"
) -> dict[str, float]:
    """Return the ids of the statements that stand out most; of equals, the first ids."""
    import numpy as np

    if len(numbers) > NEAREST_STATEMENTS:
        last = len(numbers) - NEAREST_STATEMENTS
        is_near = standouts >= np.partition(standouts, last)[last]
        numbers, standouts = numbers[is_near], standouts[is_near]
    measured = dict(zip(numbers.tolist(), standouts.tolist(), strict=True))
    by_id = {id_: measured[number] for number, id_ in store.statements.ids(measured).items()}
    nearest = sorted(by_id, key=lambda id_: (-by_id[id_], id_))[:NEAREST_STATEMENTS]
    return {id_: by_id[id_] for id_ in nearest}


def _standouts(cosines: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return how far each row stands out for its nearest query: 0 is typical, 1 the nearest."""
    import numpy as np

    typical, top = np.median(cosines, axis=0), cosines.max(axis=0)
    spread = np.maximum(top - typical, MIN_COSINE_SPREAD)
    standouts = np.clip((cosines - typical) / spread, 0.0, 1.0).max(axis=1)
    return np.asarray(standouts, np.float32)
