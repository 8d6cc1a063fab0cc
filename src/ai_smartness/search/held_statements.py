"""List what holds, by kind and page by page, with what each statement replaced.

However many statements there are, only those of the page are read. Words are looked up in the
full-text index: the statements are those of the messages that match best.
"""

from collections.abc import Iterable, Sequence

from ai_smartness.model.search import SearchScope
from ai_smartness.model.statement import HeldGroup, HeldStatement, Statement, StatementKind
from ai_smartness.ports import ThreadStore
from ai_smartness.search.match_statements import matching_statements
from ai_smartness.text.search_terms import search_terms

__all__ = ["held_statements", "matching_held_statements"]

SEARCHED_MESSAGES = 1_000  # that have some of the words: people look at the first few


def held_statements(
    store: ThreadStore,
    project: str,
    kinds: Iterable[StatementKind],
    limit: int,
    after: str | None = None,
) -> list[HeldGroup]:
    """Return the newest statements of each kind that hold, or those after the one `after`."""
    counts = store.statements.count_in_force(project)
    pages = {
        kind: store.statements.in_force(project, kind, limit, after)
        for kind in kinds
        if kind in counts
    }
    return _with_replaced(store, project, pages, counts)


def matching_held_statements(
    store: ThreadStore,
    project: str,
    kinds: Iterable[StatementKind],
    limit: int,
    *,
    query: str,
    after: str | None = None,
) -> list[HeldGroup]:
    """Return the statements in force that a few words are about, the best match first."""
    matches = store.word_index.match(
        SearchScope(project=project), search_terms(query), SEARCHED_MESSAGES
    )
    of_events = store.statements.of_events(match.seq for match in matches)
    held = [
        statement
        for statements in of_events.values()
        for statement in statements
        if statement.holds and statement.project == project
    ]
    held.sort(key=lambda statement: (statement.at, statement.seq), reverse=True)
    by_kind: dict[StatementKind, list[Statement]] = {kind: [] for kind in kinds}
    for statement in matching_statements(held, query):
        by_kind.get(statement.kind, []).append(statement)
    counts = {kind: len(statements) for kind, statements in by_kind.items()}
    pages = {kind: _page_after(statements, after, limit) for kind, statements in by_kind.items()}
    return _with_replaced(store, project, pages, counts)


def _page_after(statements: Sequence[Statement], after: str | None, limit: int) -> list[Statement]:
    start = next((n for n, one in enumerate(statements, 1) if one.id == after), 0)
    return list(statements[start : start + limit])


def _with_replaced(
    store: ThreadStore,
    project: str,
    pages: dict[StatementKind, list[Statement]],
    counts: dict[StatementKind, int],
) -> list[HeldGroup]:
    ids = [statement.id for page in pages.values() for statement in page]
    replaced = _replaced_statements(store, project, ids)
    return [
        HeldGroup(
            kind, counts[kind], tuple(HeldStatement(one, tuple(replaced[one.id])) for one in page)
        )
        for kind, page in pages.items()
        if page
    ]


def _replaced_statements(
    store: ThreadStore, project: str, ids: Sequence[str]
) -> dict[str, list[Statement]]:
    """Return what each statement replaced, directly or one after the other, newest first."""
    holders = {id_: id_ for id_ in ids}
    replaced: dict[str, list[Statement]] = {id_: [] for id_ in ids}
    wanted = list(ids)
    while wanted:
        found = store.statements.superseding(project, wanted)
        older = [(id_, one) for id_ in wanted for one in found.get(id_, ())]
        wanted = [one.id for _, one in older if one.id not in holders]
        for id_, statement in older:
            if statement.id not in holders:
                holders[statement.id] = holders[id_]
                replaced[holders[id_]].append(statement)
    return replaced
