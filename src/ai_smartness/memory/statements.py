"""The verbs for statements: list them, and read one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ai_smartness.memory.base import MemoryBase
from ai_smartness.model.errors import RefusedError

if TYPE_CHECKING:
    from ai_smartness.model.statement import Statement, StatementKind

__all__ = ["StatementVerbs"]

QUERY_CHARACTERS = 1_000


class StatementVerbs(MemoryBase):
    """Statements are listed and read."""

    def statements(
        self,
        kind: StatementKind | str | None = None,
        *,
        query: str | None = None,
        superseded: bool = False,
        rejected: bool = False,
        limit: int | None = None,
    ) -> list[Statement]:
        """Return the statements in force, the newest first; with a query, the best match first.

        `kind` and `query` select among them. `superseded` and `rejected` add those that no
        longer hold, behind the others.
        """
        from ai_smartness.search.match_statements import matching_statements

        wanted, words = checked_kind(kind), _checked_query(query)
        count = _checked_limit(limit)
        self._embed_pending()
        statements = self._store.statements.all(
            self.project, superseded=superseded, rejected=rejected
        )
        statements = [one for one in statements if wanted in (None, one.kind)]
        if words:
            statements = matching_statements(statements, words)
        return sorted(statements, key=lambda statement: not statement.holds)[:count]

    def statement(self, statement_id: str) -> Statement:
        """Return the statement with this id, or this unique start of an id."""
        from ai_smartness.threads.ids import unbracketed_id

        return self._store.statements.get(self.project, unbracketed_id(statement_id))

    def superseded_statements(self, statement_id: str) -> list[Statement]:
        """Return the statements that this one superseded, the newest first."""
        id_ = self.statement(statement_id).id
        return self._store.statements.superseding(self.project, [id_]).get(id_, [])


def checked_kind(kind: object) -> StatementKind | None:
    """Return a kind of statement; refuse an unknown one with the list of those there are."""
    from ai_smartness.model.statement import StatementKind

    if kind is None:
        return None
    if isinstance(kind, str) and kind in set(StatementKind):
        return StatementKind(kind)
    msg = f"{str(kind)[:40]!r} is no kind of statement. Give one of {', '.join(StatementKind)}."
    raise RefusedError(msg)


def _checked_query(query: object) -> str:
    from ai_smartness.threads.rename import validated_text

    if query is None:
        return ""
    return validated_text("what statements are about", query, QUERY_CHARACTERS).strip()


def _checked_limit(limit: object) -> int | None:
    if limit is None or (isinstance(limit, int) and not isinstance(limit, bool) and limit > 0):
        return limit
    msg = f"the number of statements must be a whole number above 0, not {limit!r}."
    raise RefusedError(msg)
