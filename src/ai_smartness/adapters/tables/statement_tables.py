"""The tables of statements and their reviews.

Reviews are applied when statements are read, so that they outlive a reindex.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING

from ai_smartness.adapters.tables.rows import (
    REVIEW_ROWS,
    compact_json,
    prefix_range,
    to_microseconds,
    unique_match,
)
from ai_smartness.adapters.tables.sql_database import Row
from ai_smartness.adapters.tables.statement_pages import NEWEST_FIRST, StatementPages
from ai_smartness.model.bridge import Relation
from ai_smartness.model.errors import NotFoundError
from ai_smartness.model.statement import (
    PossibleChange,
    ReviewState,
    Statement,
    StatementReview,
    sentence_hash,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["StatementTables"]

_ID_START = "s_"
_ALIKE_IDS = 0.8  # of the characters of an id are the same: one or two are mistyped

_SAVE = (
    "INSERT INTO statements (project_id, seq, id, speaker, kind, text, sentence_hash, subject, "
    "confidence, superseded_by, superseded_at, relation, at) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project_id, id) DO UPDATE SET "
    "seq = excluded.seq, speaker = excluded.speaker, kind = excluded.kind, "
    "text = excluded.text, sentence_hash = excluded.sentence_hash, subject = excluded.subject, "
    "confidence = excluded.confidence, at = excluded.at, "
    "superseded_by = coalesce(excluded.superseded_by, statements.superseded_by), "
    "superseded_at = coalesce(excluded.superseded_at, statements.superseded_at), "
    "relation = coalesce(excluded.relation, statements.relation)"
)
_SUPERSEDE = (
    "UPDATE statements SET superseded_by = ?, superseded_at = ?, relation = ? "
    "WHERE project_id = ? AND id = ?"
)
_DOUBTS = (
    "SELECT o.id, n.id, d.chance FROM statements o JOIN statement_doubts d "
    "ON d.older = o.number JOIN statements n ON n.number = d.newer WHERE o.project_id = ? AND"
)
_IN_DOUBT = (
    "s.number IN (SELECT d.newer FROM statements o JOIN statement_doubts d "
    "ON d.older = o.number WHERE o.project_id = ? AND o.id IN ({}))"
)


class StatementTables(StatementPages):
    """Fulfils the port `Statements`."""

    def judged_through(self, project: str, judge: str) -> int:
        return self._database.first_number(
            "SELECT through FROM statement_progress WHERE project_id = ? AND judge = ?",
            (self._projects.find_id(project), judge),
        )

    def save(self, project: str, judge: str, statements: Sequence[Statement], through: int) -> None:
        with self._database.unit():
            project_id = self._projects.ensure_id(project)
            row = self._database.first_row(
                "SELECT judge FROM statement_progress WHERE project_id = ?", (project_id,)
            )
            if row is not None and row[0] != judge:
                self.clear(project)
            since = self.judged_through(project, judge)
            superseded_later = self._remove_former(project_id, since, through)
            self._database.run_many(_SAVE, (_statement_row(project_id, s) for s in statements))
            self._database.run_many(_SUPERSEDE, superseded_later)
            self._database.run(
                "INSERT INTO statement_progress (project_id, judge, through) VALUES (?, ?, ?) "
                "ON CONFLICT (project_id) DO UPDATE SET through = excluded.through "
                "WHERE excluded.through > statement_progress.through",
                (project_id, judge, through),
            )

    def add(self, project: str, statements: Sequence[Statement]) -> None:
        with self._database.unit():
            project_id = self._projects.ensure_id(project)
            self._database.run_many(_SAVE, (_statement_row(project_id, s) for s in statements))

    def supersede(
        self, project: str, changes: Sequence[tuple[str, str, Relation, datetime]]
    ) -> None:
        with self._database.unit():
            project_id = self._projects.find_id(project)
            self._database.run_many(
                _SUPERSEDE,
                (
                    (newer, to_microseconds(since), relation.value, project_id, older)
                    for older, newer, relation, since in changes
                ),
            )

    def save_doubts(self, project: str, doubts: Sequence[tuple[str, str, float]]) -> None:
        with self._database.unit():
            project_id = self._projects.find_id(project)
            self._database.run_many(
                "INSERT INTO statement_doubts (older, newer, chance) "
                "SELECT o.number, n.number, ? FROM statements o JOIN statements n "
                "ON n.project_id = o.project_id AND n.id = ? WHERE o.project_id = ? AND o.id = ? "
                "ON CONFLICT (older, newer) DO UPDATE SET chance = excluded.chance",
                ((chance, newer, project_id, older) for older, newer, chance in doubts),
            )

    def possible_changes(self, project: str, ids: Iterable[str]) -> dict[str, list[PossibleChange]]:
        wanted, project_id = dict.fromkeys(ids), self._projects.find_id(project)
        links, rows, rejected = self._database.read_together(
            partial(self._database.all_in, f"{_DOUBTS} o.id IN ({{}})", wanted, (project_id,)),
            partial(self._database.all_in, self._query + _IN_DOUBT, wanted, (project_id,)),
            partial(self._rejected_links, project),
        )
        newer_by_id = {one.id: one for one in self._reviewed_statements(rows, rejected)}
        changes: dict[str, list[PossibleChange]] = {}
        for older, newer, chance in sorted(links, key=lambda link: (-link[2], link[1])):
            statement = newer_by_id.get(newer)
            if statement and statement.review is not ReviewState.REJECTED:
                changes.setdefault(older, []).append(PossibleChange(statement, chance))
        return changes

    def restart(self, project: str) -> None:
        self._database.run(
            "DELETE FROM statement_progress WHERE project_id = ?",
            (self._projects.find_id(project),),
        )

    def _remove_former(self, project_id: int, since: int, through: int) -> list[Row]:
        """Remove what was found in these events before; return what later ones supersede of it."""
        former = self._database.all(
            "SELECT number, id, superseded_by, superseded_at, relation FROM statements "
            "WHERE project_id = ? AND seq > ? AND seq <= ?",
            (project_id, since, through),
        )
        ids = {row[1] for row in former}
        for id_ in ids:
            self._database.run(
                "UPDATE statements SET superseded_by = NULL, superseded_at = NULL, "
                "relation = NULL WHERE project_id = ? AND superseded_by = ?",
                (project_id, id_),
            )
        numbers = [(row[0],) for row in former]
        self._database.run_many("DELETE FROM statement_vectors WHERE statement = ?", numbers)
        self._database.run_many("DELETE FROM statements WHERE number = ?", numbers)
        return [
            (by, at, relation, project_id, id_)
            for _, id_, by, at, relation in former
            if by is not None and by not in ids
        ]

    def clear(self, project: str) -> None:
        project_id = self._projects.find_id(project)
        with self._database.unit():
            self._database.run(
                "DELETE FROM statement_vectors WHERE statement IN "
                "(SELECT number FROM statements WHERE project_id = ?)",
                (project_id,),
            )
            self._database.run(
                "DELETE FROM line_vectors WHERE seq IN "
                "(SELECT seq FROM events WHERE project_id = ?)",
                (project_id,),
            )
            for table in ("statements", "statement_progress"):
                self._database.run(f"DELETE FROM {table} WHERE project_id = ?", (project_id,))

    def get(self, project: str, id_or_start: str) -> Statement:
        start = id_or_start.strip()
        start = start if not start or start.startswith(_ID_START) else _ID_START + start
        statements = self._select(
            project,
            "s.project_id = ? AND s.id >= ? AND s.id < ? ORDER BY s.id LIMIT ?",
            prefix_range(start),
        )
        statement = unique_match("statement", start, {s.id: s for s in statements})
        if statement is None:
            shown_id = id_or_start or "(empty id)"
            msg = (
                f"there is no statement {shown_id} in project {project}. "
                f"{self._nearest_text(project, start)}`ais statements` lists them."
            )
            raise NotFoundError(msg)
        return statement

    def all(
        self, project: str, *, superseded: bool = True, rejected: bool = False
    ) -> list[Statement]:
        return [
            statement
            for statement in self._select(project, f"s.project_id = ? {NEWEST_FIRST}")
            if (superseded or statement.superseded_by is None)
            and (rejected or statement.review is not ReviewState.REJECTED)
        ]

    def of_events(self, seqs: Iterable[int]) -> dict[int, list[Statement]]:
        rows = self._rows_of_events(seqs)
        by_seq: dict[int, list[Statement]] = {}
        for statement in self._reviewed_statements(rows):
            if statement.review is not ReviewState.REJECTED:
                by_seq.setdefault(statement.seq, []).append(statement)
        return by_seq

    def standing_out(
        self,
        project: str,
        space: str,
        queries: "NDArray[np.float32]",
        seqs: Iterable[int],
        measure: "Callable[[NDArray[np.float32]], NDArray[np.float32]]",
        limit: int,
    ) -> list[tuple[Statement, float]]:
        rows, rejected, compared = self._database.read_together(
            partial(self._rows_of_events, seqs),
            partial(self._rejected_links, project),
            partial(self._compared_statements, project, space, queries),
        )
        rows = [row for row in rows if row[1] == project]
        reviewed = self._reviewed_statements(rows, rejected)
        own = [one for one in reviewed if one.review is not ReviewState.REJECTED]
        if compared is None:
            ids, vectors = self.vectors(project, space, [one.id for one in own])
            measured = measure(vectors @ queries.T).tolist() if ids else []
            standouts = dict(zip(ids, measured, strict=True))
            return [(one, standouts.get(one.id, 0.0)) for one in own]
        numbers = [row[-1] for row in rows]
        cosines = compared.with_exact_best(numbers, limit)
        by_number = _standouts_by_number(compared.numbers, cosines, measure, numbers, limit)
        standouts = {row[0]: by_number.pop(row[-1], 0.0) for row in rows}
        others = self._statements_by_number(project, by_number, limit, rejected)
        return [*((one, standouts[one.id]) for one in own), *others]

    def _rows_of_events(self, seqs: Iterable[int]) -> list[Row]:
        return self._database.all_in(
            f"{self._query} s.seq IN ({{}}) ORDER BY s.seq, s.number", dict.fromkeys(seqs)
        )

    def _statements_by_number(
        self,
        project: str,
        standouts: Mapping[int, float],
        limit: int,
        rejected: Mapping[str, Row],
    ) -> list[tuple[Statement, float]]:
        """Return the statements that stand out most; of equals, the first ids."""
        least = sorted(standouts.values(), reverse=True)[:limit][-1:]
        rows = self._database.all_in(
            # The plus keeps SQLite from walking all statements of the project.
            f"{self._query} +s.project_id = ? AND s.number IN ({{}})",
            [number for number, standout in standouts.items() if [standout] >= least],
            (self._projects.find_id(project),),
        )
        rows.sort(key=lambda row: (-standouts[row[-1]], row[0]))
        by_id = {row[0]: standouts[row[-1]] for row in rows[:limit]}
        statements = self._reviewed_statements(rows[:limit], rejected)
        return [(one, by_id[one.id]) for one in sorted(statements, key=lambda one: one.id)]

    def superseding(self, project: str, ids: Iterable[str]) -> dict[str, list[Statement]]:
        project_id = self._projects.find_id(project)
        wanted = dict.fromkeys(ids)
        # What a rejected statement superseded may count for the one that superseded that.
        rows = self._database.all_in(
            f"{self._query} s.project_id = ? AND s.superseded_by IN ({{}}) {NEWEST_FIRST}",
            {*wanted, *self._rejected_links(project)},
            (project_id,),
        )
        older = self._reviewed_statements(rows)
        older.sort(key=lambda statement: (statement.at, statement.seq), reverse=True)
        superseded: dict[str, list[Statement]] = {}
        for statement in older:
            by = statement.superseded_by
            if by in wanted and statement.review is not ReviewState.REJECTED:
                superseded.setdefault(by, []).append(statement)
        return superseded

    def review(self, project: str, review: StatementReview | None, statement_id: str) -> None:
        with self._database.unit():
            project_id = self._projects.ensure_id(project)
            self._database.run(
                "DELETE FROM statement_reviews WHERE project_id = ? AND statement_id = ?",
                (project_id, statement_id),
            )
            if review is not None:
                anchored = self._anchored_review(project_id, review)
                self._database.run(
                    f"INSERT INTO statement_reviews (project_id, {REVIEW_ROWS.columns}) "
                    f"VALUES (?, {REVIEW_ROWS.placeholders})",
                    (project_id, *REVIEW_ROWS.row(anchored)),
                )

    def reviews(self, project: str) -> list[StatementReview]:
        rows = self._database.all(
            f"SELECT {REVIEW_ROWS.columns} FROM statement_reviews WHERE project_id = ? "
            "ORDER BY at, statement_id",
            (self._projects.find_id(project),),
        )
        return [REVIEW_ROWS.value(row, project=project) for row in rows]

    def revision(self, project: str) -> int:
        return self._database.first_number(
            "SELECT statement_revision FROM projects WHERE name = ?", (project,)
        )

    def _anchored_review(self, project_id: int, review: StatementReview) -> StatementReview:
        """Return a review with the message and the sentence it is about, as far as known."""
        row = self._database.first_row(
            "SELECT e.id, s.sentence_hash FROM statements s JOIN events e ON e.seq = s.seq "
            "WHERE s.project_id = ? AND s.id = ?",
            (project_id, review.statement_id),
        )
        event_id, hash_ = row or ("", "")
        return replace(
            review,
            event_id=review.event_id or event_id,
            sentence_hash=review.sentence_hash or hash_,
        )

    def _nearest_text(self, project: str, mistyped: str) -> str:
        """Name the statement whose id is nearly this one; nothing if there is none."""
        rows = self._database.all(
            "SELECT id FROM statements WHERE project_id = ? ORDER BY number DESC",
            (self._projects.find_id(project),),
        )
        # A short id is compared with the start of each.
        starts = [id_[: len(mistyped)] for (id_,) in rows]
        near = get_close_matches(mistyped, starts, 1, _ALIKE_IDS)
        return f"The nearest is {near[0]}. " if near else ""


def _standouts_by_number(
    numbers: "NDArray[np.int64]",
    cosines: "NDArray[np.float32]",
    measure: "Callable[[NDArray[np.float32]], NDArray[np.float32]]",
    own: Sequence[int],
    limit: int,
) -> dict[int, float]:
    """Measure how far statements stand out: those of `own`, and at least the best others."""
    if not len(numbers):
        return {}
    import numpy as np

    from ai_smartness.adapters.vector_search.exact_search import bar_of_best, seq_places

    standouts, places = measure(cosines), seq_places(numbers, own)
    others = standouts.copy()
    others[places] = -np.inf
    is_wanted = others >= bar_of_best(others, limit)
    is_wanted[places] = True
    return dict(zip(numbers[is_wanted].tolist(), standouts[is_wanted].tolist(), strict=True))


def _statement_row(project_id: int, statement: Statement) -> Row:
    return (
        project_id,
        statement.seq,
        statement.id,
        statement.speaker.value,
        statement.kind.value,
        statement.text,
        sentence_hash(statement.text),
        compact_json(statement.subject),
        statement.confidence,
        statement.superseded_by,
        None if statement.superseded_at is None else to_microseconds(statement.superseded_at),
        None if statement.relation is None else statement.relation.value,
        to_microseconds(statement.at),
    )
