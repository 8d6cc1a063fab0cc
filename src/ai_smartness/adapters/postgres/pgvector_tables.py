"""Embeddings in pgvector, two bytes a number, one vector space for each model.

Up to `exact_limit` vectors of a project are all compared: by a query that cannot use a graph, and
by a process that has asked often itself (`vector_cache.py`). Above the limit each project and space
has a graph (HNSW) of its own, which the refresh of the index builds. There is none over all
projects: filtered by project, it would miss what is near.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from ai_smartness.adapters.postgres.embedding_leases import EmbeddingLeases
from ai_smartness.adapters.postgres.postgres_database import PostgresDatabase
from ai_smartness.adapters.postgres.query import column_batches, rows_of_arrays
from ai_smartness.adapters.postgres.thread_centres import ThreadCentreTable, packed_rows
from ai_smartness.adapters.tables.rows import EVENT_ROWS, VectorSet, to_microseconds
from ai_smartness.adapters.tables.sql_database import FEW_SEQS, ProjectIds, Row, Value
from ai_smartness.model.event import Event
from ai_smartness.model.search import Chunk, NearestEvents, SearchMatch, SearchScope
from ai_smartness.ports import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PostgresVectorIndex"]

_SEARCHED_NEIGHBOURS = 200  # of the graph: with fewer, one in four of the nearest is missed
_SAMPLE_ROWS = 1_000
_CACHED_FROM = 1_000  # rows; the server compares fewer in a few milliseconds
_LATE_FACTOR = 2  # times the exact limit: so many rows are loaded while there is no graph
_LONGEST_GRAPH_VECTOR = 4_000  # numbers, for which pgvector builds a graph

_GRAPHS = "vectors_of_project_"  # the start of their names

_WITHOUT_VECTOR = (
    "project_id = ?1 AND seq > coalesce((SELECT through FROM embedded e JOIN spaces s "
    "ON s.id = e.space_id WHERE e.project_id = ?1 AND s.name = ?2), 0) AND text <> '' "
    f"AND {FEW_SEQS} AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.seq = events.seq "
    "AND v.space_id = (SELECT id FROM spaces WHERE name = ?2))"
)


_SPACE = "(SELECT id FROM spaces WHERE name = {})"
_ADD_VECTORS = (
    f"WITH rows AS ({rows_of_arrays(('integer', 'text', 'bigint', 'integer', 'halfvec'))}), "
    "added AS (INSERT INTO vectors (project_id, space_id, seq, chunk, vector) "
    "SELECT r.c0, s.id, r.c2, r.c3, r.c4 FROM rows r JOIN spaces s ON s.name = r.c1 "
    "ON CONFLICT DO NOTHING RETURNING seq) "
    'INSERT INTO embedded (project_id, space_id, through, "rows", generation) '
    f"VALUES (?, {_SPACE.format('?')}, 0, (SELECT count(*) FROM added), 0) "
    "ON CONFLICT (project_id, space_id) "
    'DO UPDATE SET "rows" = embedded."rows" + excluded."rows"'
)
_MARK_EMBEDDED = (
    "UPDATE embedded SET through = ?1 WHERE project_id = ?2 "
    f"AND space_id = {_SPACE.format('?3')} AND through < ?1 AND NOT EXISTS (SELECT 1 FROM events e "
    "WHERE e.project_id = ?2 AND e.seq > (SELECT through FROM embedded WHERE project_id = ?2 "
    f"AND space_id = {_SPACE.format('?3')}) AND e.seq <= ?1 AND e.text <> '' AND NOT EXISTS "
    f"(SELECT 1 FROM vectors v WHERE v.space_id = {_SPACE.format('?3')} AND v.seq = e.seq))"
)


@dataclass(frozen=True, slots=True)
class _VectorQuestion:
    """What is searched for: the nearest events, and those of `also` wherever they stand."""

    scope: SearchScope
    query: "NDArray[np.float32]"
    limit: int
    also: Sequence[int]

    @property
    def asks_all(self) -> bool:
        """Say whether no session and no time narrow it."""
        return self.scope.session is None and self.scope.before is None


@dataclass(frozen=True, slots=True)
class _StoredVectors(VectorSet):
    has_graph: bool


class PostgresVectorIndex:
    """Fulfils the port `VectorIndex`."""

    def __init__(self, database: PostgresDatabase, projects: ProjectIds, exact_limit: int) -> None:
        self._database = database
        self._projects = projects
        self._exact_limit = exact_limit
        self._centres = ThreadCentreTable(database)
        self._leases = EmbeddingLeases(database)
        self._refreshed: set[tuple[str, str]] = set()
        self._space_ids: dict[str, int] = {}

    def add(
        self, project: str, space: str, chunks: Sequence[Chunk], through: int | None = None
    ) -> None:
        self._refreshed.discard((project, space))
        with self._database.unit():
            project_id = self._projects.ensure_id(project)
            self._ensure_space(space)
            self._database.lock_project_row(project_id)
            rows = (
                (project_id, space, chunk.seq, chunk.number, _halfvec_text(chunk.vector))
                for chunk in chunks
            )
            for columns in column_batches(rows):
                self._database.run(_ADD_VECTORS, (*columns, project_id, space))
            self._leases.end(space, (chunk.seq for chunk in chunks))
            # Only if it is true: another process may have deleted vectors meanwhile.
            self._database.run(_MARK_EMBEDDED, (through or 0, project_id, space))

    def replace(self, project: str, space: str, chunks: Sequence[Chunk]) -> None:
        with self._database.unit():
            keys = self._projects.ensure_id(project), self._find_space(space)
            removed = self._database.all_in(
                "DELETE FROM vectors WHERE project_id = ? AND space_id = ? AND seq IN ({}) "
                "RETURNING seq",
                sorted({chunk.seq for chunk in chunks}),
                keys,
            )
            self._database.run(
                'UPDATE embedded SET "rows" = "rows" - ?, generation = generation + 1 '
                "WHERE project_id = ? AND space_id = ?",
                (len(removed), *keys),
            )
            self.add(project, space, chunks)

    def clear(self, project: str, space: str | None = None) -> None:
        project_id = self._projects.find_id(project)
        self._refreshed.clear()
        with self._database.unit():
            for name in [space] if space else list(self.space_counts()):
                keys = (project_id, self._find_space(name))
                self._database.run(
                    "DELETE FROM vectors WHERE project_id = ? AND space_id = ?", keys
                )
                self._database.run(
                    'UPDATE embedded SET through = 0, "rows" = 0, generation = generation + 1 '
                    "WHERE project_id = ? AND space_id = ?",
                    keys,
                )

    def lease_events(self, project: str, space: str, limit: int) -> list[Event]:
        project_id = self._projects.find_id(project)
        if project_id is None:
            return []
        self._ensure_space(space)
        key = self._find_space(space) or 0, space
        rows = self._database.all_in(
            f"SELECT {EVENT_ROWS.columns} FROM events WHERE seq IN ({{}}) ORDER BY seq",
            self._leases.lease(_WITHOUT_VECTOR, project_id, key, limit),
        )
        return [EVENT_ROWS.value(row, project=project) for row in rows]

    def count_missing(self, project: str, space: str) -> int:
        return self._database.first_number(
            f"SELECT count(*) FROM events WHERE {_WITHOUT_VECTOR}",
            (self._projects.find_id(project), space),
        )

    def event_centres(
        self, project: str, space: str, seqs: Sequence[int]
    ) -> "dict[int, NDArray[np.float32]]":
        from ai_smartness.adapters.vector_search.exact_search import ExactIndex, stored_rows

        index = ExactIndex()
        rows = packed_rows(
            self._database.all_in(
                "SELECT id, seq, halfvec_send(vector) FROM vectors WHERE project_id = ? AND "
                "space_id = (SELECT id FROM spaces WHERE name = ?) AND seq IN ({}) "
                "ORDER BY seq, chunk",
                seqs,
                (self._projects.find_id(project), space),
            )
        )
        if rows:
            index.add(*stored_rows(rows))
        return index.event_centres()

    def thread_centres(
        self, project: str, space: str, thread_ids: Sequence[str]
    ) -> "dict[str, NDArray[np.float32]]":
        vectors = self._vector_set(project, space)
        return {} if vectors is None else self._centres.centres_of(vectors, thread_ids)

    def space_counts(self) -> dict[str, int]:
        rows = self._database.all(
            'SELECT s.name, coalesce(sum(e."rows"), 0)::bigint FROM spaces s '
            "LEFT JOIN embedded e ON e.space_id = s.id GROUP BY s.id ORDER BY s.name"
        )
        return dict(rows)

    def refresh_index(self, project: str, space: str, progress: Progress) -> None:
        """Build the graph of a project that has outgrown the exact search, or drop it.

        It is looked at once, and again after this process has changed vectors: whoever adds
        some calls this.
        """
        if (project, space) in self._refreshed:
            return
        self._refreshed.add((project, space))
        vectors = self._vector_set(project, space)
        if vectors is None:
            return
        name = _graph_name(vectors)
        has_graph = vectors.has_graph
        if vectors.rows <= self._exact_limit:
            if has_graph:
                self._database.run_outside(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            return
        if has_graph or not 0 < self._length(vectors) <= _LONGEST_GRAPH_VECTOR:
            return
        # One that was left half-built by a killed process is in the way.
        self._database.run_outside(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        self._database.run_outside(
            f"CREATE INDEX CONCURRENTLY {name} ON vectors USING hnsw "
            f"((vector::halfvec({self._length(vectors)})) halfvec_ip_ops) "
            f"WHERE project_id = {vectors.project_id} AND space_id = {vectors.space_id}"
        )
        progress(vectors.rows, vectors.rows)

    def nearest(
        self,
        scope: SearchScope,
        space: str,
        query: "NDArray[np.float32]",
        limit: int,
        also: Sequence[int] = (),
    ) -> NearestEvents:
        question = _VectorQuestion(scope, query, limit, also)
        found = self._database.read_together(
            *(partial(self._nearest_in, project, space, question) for project in scope.projects)
        )
        results: list[NearestEvents] = [result for result in found if result is not None]
        matches = sorted(
            (match for result in results for match in result.matches),
            key=lambda match: (-match.score, match.seq),
        )
        # That of the project itself comes first; the user's own project has only a few lines.
        typicals = (result.typical for result in results)
        typical = next((cosine for cosine in typicals if cosine is not None), None)
        wanted = set(also).union(match.seq for match in matches[:limit])
        return NearestEvents([match for match in matches if match.seq in wanted], typical)

    def _nearest_in(
        self, project: str, space: str, question: "_VectorQuestion"
    ) -> NearestEvents | None:
        project_id = self._projects.find_id(project)
        if project_id is None:
            return None
        nearest = self._cached_nearest(project_id, project, space, question)
        return nearest or self._server_nearest(project, space, question)

    def _server_nearest(
        self, project: str, space: str, question: "_VectorQuestion"
    ) -> NearestEvents | None:
        # The second does nothing in a project with more vectors than are all compared.
        vectors, nearest = self._database.read_together(
            partial(self._vector_set, project, space),
            partial(self._exact_nearest, project, space, question, self._exact_limit),
        )
        if vectors is None or not vectors.rows:
            return None
        if question.asks_all and self._may_be_loaded(vectors):
            self._database.vector_cache.note_question(vectors, self._rows_after)
        if vectors.rows <= self._exact_limit or question.scope.session is not None:
            return cast("NearestEvents", nearest)
        if not vectors.has_graph:
            return self._exact_nearest(project, space, question, vectors.rows)
        from ai_smartness.adapters.vector_search.exact_search import best_matches

        query, also = question.query, question.also
        step = max(1, vectors.rows // _SAMPLE_ROWS)
        best, wanted, sample = self._database.read_together(
            partial(self._graph_nearest, vectors, question),
            partial(self._scored, vectors, query, "v.seq = ANY(?::bigint[])", (_array_text(also),)),
            partial(self._scored, vectors, query, "v.id % ? = 0", (step,)),
        )
        return NearestEvents(best_matches([*best, *wanted]), _median(sample))

    def _cached_nearest(
        self, project_id: int, project: str, space: str, question: "_VectorQuestion"
    ) -> NearestEvents | None:
        """Compare the vectors that this process has loaded, with those that are newer."""
        from ai_smartness.adapters.postgres.vector_cache import MOST_NEW_ROWS

        cache = self._database.vector_cache
        space_id = self._space_ids.get(space, 0)
        cached = cache.find((project_id, space_id)) if question.asks_all else None
        if cached is None:
            return None
        loaded = VectorSet(project_id, space_id, cached.rows, cached.generation)
        vectors, newer = self._database.read_together(
            partial(self._vector_set, project, space),
            partial(self._rows_after, loaded, cached.last_row, MOST_NEW_ROWS),
        )
        is_same = vectors is not None and vectors.space_id == space_id
        current = cache.extended(cached, vectors, newer) if is_same else None
        if current is None or not self._may_be_loaded(vectors):
            return None
        scored = current.scored_events(question.query, question.limit, question.also)
        return scored.nearest_events(question.limit, question.also)

    def _may_be_loaded(self, vectors: "_StoredVectors") -> bool:
        """Say whether it is worth it, and whether there is nothing better yet."""
        limit = self._exact_limit * (1 if vectors.has_graph else _LATE_FACTOR)
        return _CACHED_FROM <= vectors.rows <= limit

    def _rows_after(self, vectors: VectorSet, last_row: int, limit: int) -> list[Row]:
        return packed_rows(
            self._database.all(
                # In two steps: the planner would walk through the rows of all projects otherwise.
                "SELECT id, seq, halfvec_send(vector) FROM vectors WHERE id = ANY(ARRAY("
                "SELECT id FROM vectors WHERE project_id = ? AND space_id = ? AND id > ? "
                "ORDER BY id LIMIT ?)) ORDER BY id",
                (vectors.project_id, vectors.space_id, last_row, limit),
            )
        )

    def _exact_nearest(
        self, project: str, space: str, question: "_VectorQuestion", most_rows: int
    ) -> NearestEvents:
        """Compare all vectors on the server, in one query, each event by its best.

        Nothing is compared if there are more than `most_rows`, unless a session narrows it.
        """
        project_id = self._projects.find_id(project)
        condition, values = _scope_condition(project_id, question.scope)
        if question.scope.session is None:
            condition += (
                ' AND (SELECT "rows" FROM embedded e JOIN spaces s ON s.id = e.space_id '
                "WHERE e.project_id = ? AND s.name = ?) <= ?"
            )
            values += [project_id, space, most_rows]
        rows = self._database.all(
            "WITH scored AS MATERIALIZED (SELECT v.seq, max(-(v.vector <#> ?::halfvec)) AS cosine "
            "FROM vectors v WHERE v.project_id = ? "
            f"AND v.space_id = (SELECT id FROM spaces WHERE name = ?){condition} GROUP BY v.seq), "
            "ranked AS (SELECT seq, cosine, row_number() OVER (ORDER BY cosine DESC, seq) AS place "
            "FROM scored) SELECT seq, cosine, (SELECT percentile_cont(0.5) WITHIN GROUP "
            "(ORDER BY cosine) FROM scored) FROM ranked "
            "WHERE place <= ? OR seq = ANY(?::bigint[]) ORDER BY place",
            (
                *(_halfvec_text(question.query), project_id, space, *values),
                *(question.limit, _array_text(question.also)),
            ),
        )
        matches = [SearchMatch(seq, cosine) for seq, cosine, _ in rows]
        return NearestEvents(matches, rows[0][2] if rows else None)

    def _graph_nearest(
        self, vectors: "_StoredVectors", question: "_VectorQuestion"
    ) -> list[SearchMatch]:
        from ai_smartness.adapters.vector_search.exact_search import best_matches

        condition, values = _scope_condition(vectors.project_id, question.scope)
        query, limit = question.query, question.limit
        column = f"v.vector::halfvec({len(query)})"
        with self._database.unit():
            for name, value in (
                ("hnsw.ef_search", str(max(_SEARCHED_NEIGHBOURS, min(1_000, 2 * limit)))),
                ("hnsw.iterative_scan", "relaxed_order"),
                # Left to itself the planner may read and sort all rows instead.
                ("enable_sort", "off"),
            ):
                self._database.set_local(name, value)
            # An event may have several rows, so more rows are requested than events.
            rows = self._database.all(
                f"SELECT v.seq, -({column} <#> ?::halfvec({len(query)})) FROM vectors v "
                f"WHERE v.project_id = {vectors.project_id} AND v.space_id = {vectors.space_id}"
                f"{condition} ORDER BY {column} <#> ?::halfvec({len(query)}) LIMIT ?",
                (_halfvec_text(query), *values, _halfvec_text(query), 2 * limit),
            )
        return best_matches(SearchMatch(seq, cosine) for seq, cosine in rows)[:limit]

    def _scored(
        self,
        vectors: VectorSet,
        query: "NDArray[np.float32]",
        condition: str,
        values: Sequence[Value],
    ) -> list[SearchMatch]:
        rows = self._database.all(
            "SELECT v.seq, max(-(v.vector <#> ?::halfvec)) FROM vectors v "
            f"WHERE v.project_id = ? AND v.space_id = ? AND {condition} GROUP BY v.seq",
            (_halfvec_text(query), vectors.project_id, vectors.space_id, *values),
        )
        return [SearchMatch(seq, cosine) for seq, cosine in rows]

    def _length(self, vectors: VectorSet) -> int:
        return self._database.first_number(
            "SELECT vector_dims(vector) FROM vectors WHERE project_id = ? AND space_id = ? LIMIT 1",
            (vectors.project_id, vectors.space_id),
        )

    def _vector_set(self, project: str, space: str) -> "_StoredVectors | None":
        project_id = self._projects.find_id(project)
        row = self._database.first_row(
            'SELECT s.id, e."rows", e.generation, EXISTS (SELECT 1 FROM pg_index WHERE indisvalid '
            "AND indexrelid = to_regclass(quote_ident(current_schema()) || "
            f"'.{_GRAPHS}' || e.project_id || '_space_' || s.id)) "
            "FROM spaces s JOIN embedded e ON e.space_id = s.id "
            "WHERE s.name = ? AND e.project_id = ?",
            (space, project_id),
        )
        if project_id is None or row is None:
            return None
        self._space_ids[space] = row[0]
        return _StoredVectors(project_id, *row)

    def _find_space(self, name: str) -> int | None:
        return self._database.first_number("SELECT id FROM spaces WHERE name = ?", (name,)) or None

    def _ensure_space(self, name: str) -> None:
        self._database.run(
            "INSERT INTO spaces (name) SELECT ?1 WHERE NOT EXISTS "
            "(SELECT 1 FROM spaces WHERE name = ?1) ON CONFLICT DO NOTHING",
            (name,),
        )


def _graph_name(vectors: VectorSet) -> str:
    return f"{_GRAPHS}{vectors.project_id}_space_{vectors.space_id}"


def _halfvec_text(vector: "NDArray[np.float32]") -> str:
    """Return a vector as pgvector reads it, rounded to two bytes a number."""
    return str(vector.astype("float16").astype("float32").tolist())


def _array_text(numbers: Sequence[int]) -> str:
    return f"{{{','.join(map(str, numbers))}}}"


def _scope_condition(project_id: int | None, scope: SearchScope) -> tuple[str, list[Value]]:
    if scope.session is None and scope.before is None:
        return "", []
    condition, values = "", list[Value]()
    if scope.session is not None:
        condition, values = " AND e.session = ?", [scope.session]
    if scope.before is not None:
        condition, values = condition + " AND e.at < ?", [*values, to_microseconds(scope.before)]
    return (
        f" AND EXISTS (SELECT 1 FROM events e WHERE e.seq = v.seq AND e.project_id = ?{condition})"
    ), [project_id, *values]


def _median(matches: Sequence[SearchMatch]) -> float | None:
    if not matches:
        return None
    from statistics import median

    return median(match.score for match in matches)
