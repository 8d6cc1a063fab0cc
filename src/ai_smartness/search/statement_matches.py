"""Find the statements that are near a query: those of the hits, and the nearest by meaning.

A statement has a vector of its own, so it is found where its message speaks of other things too.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ai_smartness.capture.embed import model_errors
from ai_smartness.model.statement import ReviewState, Statement
from ai_smartness.ports import Embedder, ThreadStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["StatementMatch", "statement_matches"]

NEAREST_STATEMENTS = 20  # by meaning, beside those of the hits
MOST_COMPARED_EVENTS = 100_000
"""In a larger project only the statements of the hits are compared: reading every vector of the
project would take longer than the search."""

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
            unknown = sorted(near.keys() - statements.keys(), key=lambda id_: (-near[id_], id_))
            statements |= store.statements.by_id(project, unknown[:NEAREST_STATEMENTS])
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
    """Measure for each statement how far it stands out for the query that it is nearest to."""
    import numpy as np

    is_large = store.events.count(project) > MOST_COMPARED_EVENTS
    own_ids = [id_ for id_, statement in statements.items() if statement.project == project]
    ids, rows = store.statements.vectors(project, space, own_ids if is_large else None)
    if not ids:
        return {}
    cosines = rows.astype(np.float32) @ np.stack(vectors).T
    typical, top = np.median(cosines, axis=0), cosines.max(axis=0)
    spread = np.maximum(top - typical, MIN_COSINE_SPREAD)
    standout = np.clip((cosines - typical) / spread, 0.0, 1.0).max(axis=1)
    return dict(zip(ids, map(float, standout), strict=True))
