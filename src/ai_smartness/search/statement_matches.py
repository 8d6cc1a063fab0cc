"""Find the statements that are near a query: those of the hits, and the nearest by meaning.

A statement has a vector of its own, so it is found where its message speaks of other things too.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ai_smartness.capture.embed import model_errors
from ai_smartness.model.search import Hit, typical_value
from ai_smartness.model.statement import ReviewState, Statement
from ai_smartness.ports import Embedder, ThreadStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["StatementMatch", "statement_matches", "statement_vector_reads"]

MIN_COSINE_SPREAD = 0.02  # if the best cosine is closer to a typical one, no statement stands out


@dataclass(frozen=True, slots=True)
class StatementMatch:
    """A statement and how far it stands out by meaning: 0 is typical, 1 the nearest of all."""

    statement: Statement
    closeness: float = 0.0


def statement_vector_reads(
    store: ThreadStore, embedder: Embedder | None, projects: Iterable[str]
) -> list[Callable[[], object]]:
    """Return the reads of vectors that `statement_matches` needs, to be done beside a search."""
    if embedder is None:
        return []
    return [partial(store.statements.load_vectors, one, embedder.space) for one in projects]


def statement_matches(
    store: ThreadStore,
    embedder: Embedder | None,
    projects: Iterable[str],
    queries: Sequence[str],
    hits: Iterable[Hit],
    nearest: int,
) -> dict[int, list[StatementMatch]]:
    """Return the statements of these events and the nearest to one of the queries, by `seq`."""
    seqs: dict[str, list[int]] = {}
    for hit in hits:
        seqs.setdefault(hit.project, []).append(hit.seq)
    near = _near_statements(store, embedder, list(projects), queries, seqs, nearest)
    matches: dict[int, list[StatementMatch]] = {}
    for statement, closeness in near:
        if statement.review is not ReviewState.REJECTED:
            match = StatementMatch(statement, closeness)
            matches.setdefault(statement.seq, []).append(match)
    return matches


def _near_statements(
    store: ThreadStore,
    embedder: Embedder | None,
    projects: Sequence[str],
    queries: Sequence[str],
    seqs: Mapping[str, Sequence[int]],
    nearest: int,
) -> list[tuple[Statement, float]]:
    """Return statements and how far each stands out for the query that it is nearest to."""
    others = [seq for project in seqs if project not in projects for seq in seqs[project]]
    if embedder is None:
        of_events = store.statements.of_events([seq for of in seqs.values() for seq in of])
        return [(statement, 0.0) for of in of_events.values() for statement in of]
    import numpy as np

    with model_errors():
        vectors = np.stack([embedder.query(query) for query in queries])
    space = embedder.space
    of_others, *measured = store.read_together(
        partial(store.statements.of_events, others),
        *(
            partial(
                store.statements.standing_out,
                *(project, space, vectors, seqs.get(project, ()), _standouts, nearest),
            )
            for project in projects
        ),
    )
    unmeasured = [(statement, 0.0) for of in of_others.values() for statement in of]
    return [*unmeasured, *(pair for pairs in measured for pair in pairs)]


def _standouts(cosines: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return how far each row stands out for its nearest query: 0 is typical, 1 the nearest."""
    import numpy as np

    # A row for each query, whose numbers stand side by side: several times as fast.
    rows = np.ascontiguousarray(cosines.T)
    typical = np.array([typical_value(row) for row in rows], np.float32)
    top = rows.max(axis=1)
    spread = np.maximum(top - typical, MIN_COSINE_SPREAD)
    standouts = ((rows - typical[:, None]) / spread[:, None]).max(axis=0)
    return np.asarray(np.clip(standouts, 0.0, 1.0), np.float32)
