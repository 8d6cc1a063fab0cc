"""Read statements with their reviews applied: some of them, or page by page what holds.

Most statements have no review. Those in force are read in the order of an index; the few that a
review made hold, or made another kind, are read apart and merged in.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ai_smartness.adapters.tables.rows import from_microseconds, json_list
from ai_smartness.adapters.tables.sql_database import Row, Value
from ai_smartness.adapters.tables.statement_vectors import StatementVectorTables
from ai_smartness.model.bridge import Relation
from ai_smartness.model.statement import ReviewState, Speaker, Statement, StatementKind
from ai_smartness.ports.give_way import paced_items

__all__ = ["NEWEST_FIRST", "StatementPages"]

# Its own review decides; without one, the rejection of the same sentence elsewhere.
_SELECT = (
    "SELECT s.id, p.name, s.seq, e.thread_id, coalesce(e.session, ''), s.speaker, e.at, "
    "coalesce(r.kind, s.kind), coalesce(nullif(r.text, ''), s.text), s.subject, s.confidence, "
    "s.superseded_by, s.superseded_at, s.relation, coalesce(r.state, (SELECT x.state "
    "FROM statement_reviews x<INDEX> "
    "WHERE x.project_id = s.project_id AND x.state = 'rejected' "
    "AND x.sentence_hash = s.sentence_hash LIMIT 1), 'proposed'), s.number "
    "FROM statements s JOIN events e ON e.seq = s.seq JOIN projects p ON p.id = s.project_id "
    "LEFT JOIN statement_reviews r ON r.project_id = s.project_id AND r.statement_id = s.id WHERE "
)
_BY_ID = "s.project_id = ? AND s.id IN ({})"
NEWEST_FIRST = "ORDER BY s.at DESC, s.seq DESC, s.number DESC"
_REJECTED = (
    "SELECT s.id, s.superseded_by, s.superseded_at, s.relation "
    "FROM statement_reviews r {join} statements s ON s.project_id = r.project_id "
    "AND {same} LEFT JOIN statement_reviews own "
    "ON own.project_id = s.project_id AND own.statement_id = s.id "
    "WHERE r.project_id = ? AND r.state = 'rejected' "
    "AND coalesce(own.state, 'rejected') = 'rejected'"
)
_IN_FORCE = "s.project_id = ? AND s.superseded_by IS NULL AND s.confidence > 0"
_UNREVIEWED_PAGE = (
    f"{_IN_FORCE} AND s.kind = ? AND r.state IS NULL AND NOT EXISTS "
    "(SELECT 1 FROM statement_reviews y<INDEX> WHERE y.project_id = s.project_id "
    "AND y.state = 'rejected' AND y.sentence_hash = s.sentence_hash)"
)
_REVIEWED_NUMBERS = (
    "SELECT o.number FROM statement_reviews t JOIN statements o "
    "ON o.project_id = t.project_id AND o.id = t.statement_id WHERE t.project_id = ? UNION "
    "SELECT o.number FROM statement_reviews t JOIN statements o "
    "ON o.project_id = t.project_id AND o.sentence_hash = t.sentence_hash "
    "WHERE t.project_id = ? AND t.state = 'rejected'"
)
_CERTAIN = frozenset({ReviewState.CONFIRMED, ReviewState.CORRECTED})

_Place = tuple[int, int, int]
"""Where a statement stands among all: its time, its event and its number."""


class StatementPages(StatementVectorTables):
    """Reads statements; the base of `StatementTables`."""

    def in_force(
        self, project: str, kind: StatementKind, limit: int, after: str | None = None
    ) -> list[Statement]:
        place = self._places(project, [after]).get(after) if after else None
        condition = self._with_hint(_UNREVIEWED_PAGE)
        if place is not None:
            condition += " AND (s.at, s.seq, s.number) < (?, ?, ?)"
        unreviewed = self._select(
            project,
            f"{condition} {NEWEST_FIRST} LIMIT ?",
            (kind.value, *(place or ()), limit),
        )
        reviewed = [one for one in self._reviewed_in_force(project) if one.kind is kind]
        places = self._places(project, [one.id for one in (*unreviewed, *reviewed)])
        merged = sorted((*unreviewed, *reviewed), key=lambda one: places[one.id], reverse=True)
        return [one for one in merged if place is None or places[one.id] < place][:limit]

    def count_in_force(self, project: str) -> dict[StatementKind, int]:
        project_id = self._projects.find_id(project)
        count = f"SELECT s.kind, count(*) FROM statements s WHERE {_IN_FORCE}"
        counts = dict.fromkeys(StatementKind, 0)
        for kind, number in self._database.all(f"{count} GROUP BY s.kind", (project_id,)):
            counts[StatementKind(kind)] += number
        rows = self._database.all(
            f"{count} AND s.number IN ({_REVIEWED_NUMBERS}) GROUP BY s.kind",
            (project_id, project_id, project_id),
        )
        for kind, number in rows:
            counts[StatementKind(kind)] -= number
        for statement in self._reviewed_in_force(project):
            counts[statement.kind] += 1
        return {kind: number for kind, number in counts.items() if number}

    def rejected(self, project: str, limit: int) -> list[Statement]:
        project_id = self._projects.find_id(project)
        statements = self._select(
            project,
            f"s.project_id = ? AND s.number IN ({_REVIEWED_NUMBERS}) "
            f"AND coalesce(r.state, 'rejected') = 'rejected' {NEWEST_FIRST} LIMIT ?",
            (project_id, project_id, limit),
        )
        return [one for one in statements if one.review is ReviewState.REJECTED]

    def by_id(self, project: str, ids: Iterable[str]) -> dict[str, Statement]:
        query, project_id = f"{self._query} {_BY_ID}", self._projects.find_id(project)
        rows, rejected = self._database.read_together(
            partial(self._database.all_in, query, dict.fromkeys(ids), (project_id,)),
            partial(self._rejected_links, project),
        )
        return {one.id: one for one in self._reviewed_statements(rows, rejected)}

    def _reviewed_in_force(self, project: str) -> list[Statement]:
        """Return what holds by a review: its own, or that of what had superseded it."""
        project_id = self._projects.find_id(project)
        own = self._select(
            project,
            "s.project_id = ? AND s.id IN "
            "(SELECT t.statement_id FROM statement_reviews t WHERE t.project_id = ?)",
            (project_id,),
        )
        rows = self._database.all_in(
            f"{self._query} s.project_id = ? AND s.superseded_by IN ({{}})",
            self._rejected_links(project),
            (project_id,),
        )
        reviewed = {one.id: one for one in (*own, *self._reviewed_statements(rows))}
        return [one for one in reviewed.values() if one.holds]

    def _places(self, project: str, ids: Iterable[str]) -> dict[str, _Place]:
        rows = self._database.all_in(
            "SELECT id, at, seq, number FROM statements WHERE project_id = ? AND id IN ({})",
            dict.fromkeys(ids),
            (self._projects.find_id(project),),
        )
        return {id_: (at, seq, number) for id_, at, seq, number in rows}

    @property
    def _query(self) -> str:
        return self._with_hint(_SELECT)

    def _with_hint(self, sql: str) -> str:
        return sql.replace("<INDEX>", self._database.index_hint("statement_reviews_rejected"))

    def _select(
        self, project: str, condition: str, values: Sequence[Value] = ()
    ) -> list[Statement]:
        rows = self._database.all(
            self._query + condition, (self._projects.find_id(project), *values)
        )
        return self._reviewed_statements(rows)

    def _reviewed_statements(
        self, rows: Iterable[Row], rejected: Mapping[str, Row] | None = None
    ) -> list[Statement]:
        """Return the statements of rows; `rejected` are the links of their one project, if read."""
        read = map(_statement_from_row, paced_items(rows))
        # Without a review, nobody vouches for a statement of confidence 0: its pin was undone.
        statements = [
            one for one in read if one.confidence or one.review is not ReviewState.PROPOSED
        ]
        projects = {statement.project for statement in statements if statement.superseded_by}
        links = {
            project: self._rejected_links(project) if rejected is None else rejected
            for project in projects
        }
        return [
            _restored_statement(statement, links[statement.project])
            if statement.superseded_by in links.get(statement.project, ())
            else statement
            for statement in paced_items(statements)
        ]

    def _rejected_links(self, project: str) -> dict[str, Row]:
        """Return by what each rejected statement is superseded: the id, the time, the relation."""
        # The order matters: from the few reviews to their statements, each by an index.
        join, project_id = self._database.ORDERED_JOIN, self._projects.find_id(project)
        rows = self._database.all(
            f"{_REJECTED.format(join=join, same='s.id = r.statement_id')} UNION "
            f"{_REJECTED.format(join=join, same='s.sentence_hash = r.sentence_hash')}",
            (project_id, project_id),
        )
        return {row[0]: row[1:] for row in rows}


def _statement_from_row(row: Row) -> Statement:
    id_, project, seq, thread_id, session, speaker, at, kind, text, *rest = row
    subject, confidence, superseded_by, superseded_at, relation, state, _ = rest
    review = ReviewState(state)
    return Statement(
        id=id_,
        project=project,
        seq=seq,
        thread_id=thread_id,
        session=session,
        speaker=Speaker(speaker),
        at=from_microseconds(at),
        kind=StatementKind(kind),
        text=text,
        subject=tuple(json_list(subject)),
        confidence=1.0 if review in _CERTAIN else confidence,
        superseded_by=superseded_by,
        superseded_at=None if superseded_at is None else from_microseconds(superseded_at),
        relation=None if relation is None else Relation(relation),
        review=review,
    )


def _restored_statement(statement: Statement, rejected: Mapping[str, Row]) -> Statement:
    """Return a statement superseded by the next one that is not rejected, or by none."""
    newer, passed = statement.superseded_by, set[str]()
    since, relation = statement.superseded_at, statement.relation
    while newer and newer in rejected and newer not in passed:
        passed.add(newer)
        newer, at, name = rejected[newer]
        since = None if at is None else from_microseconds(at)
        relation = None if name is None else Relation(name)
    if newer == statement.id or newer in passed:
        newer, since, relation = None, None, None
    return replace(statement, superseded_by=newer, superseded_at=since, relation=relation)
