"""Delete the statements of deleted events with their reviews, and words that must go elsewhere.

A statement that a deleted one superseded is superseded by the next one, or holds again. A
sentence that was rejected stays rejected if a remaining message says it too.
"""

from collections.abc import Callable
from typing import TypeAlias

from ai_smartness.adapters.tables.rows import compact_json, json_list
from ai_smartness.adapters.tables.sql_database import Row, SqlDatabase

__all__ = ["remove_statement_traces", "remove_statements"]

_BATCH_ROWS = 1_000

_Key: TypeAlias = tuple[int, str | None]
"""A project and the id of a statement."""


def remove_statements(database: SqlDatabase) -> None:
    """Delete the statements of the chosen events, which are still there."""
    _pass_supersession_on(database)
    chosen = f"seq IN {database.chosen_seqs}"
    # A review of a sentence in one of the chosen events.
    quotes_chosen = (
        "(EXISTS (SELECT 1 FROM events e WHERE e.project_id = r.project_id AND e.id = r.event_id "
        f"AND e.{chosen}) OR EXISTS (SELECT 1 FROM statements g "
        f"WHERE g.project_id = r.project_id AND g.id = r.statement_id AND g.{chosen}))"
    )
    database.run(
        "INSERT INTO statement_reviews "
        "(project_id, statement_id, state, at, text, kind, event_id, sentence_hash) "
        "SELECT r.project_id, s.id, r.state, r.at, '', NULL, e.id, r.sentence_hash "
        "FROM statement_reviews r JOIN statements s ON s.project_id = r.project_id "
        "AND s.sentence_hash = r.sentence_hash JOIN events e ON e.seq = s.seq "
        f"WHERE r.state = 'rejected' AND {quotes_chosen} AND NOT s.{chosen} "
        "ON CONFLICT DO NOTHING"
    )
    database.run(
        "DELETE FROM statement_reviews WHERE (project_id, statement_id) IN "
        f"(SELECT r.project_id, r.statement_id FROM statement_reviews r WHERE {quotes_chosen})"
    )
    database.run(
        "DELETE FROM statement_vectors WHERE statement IN "
        f"(SELECT number FROM statements WHERE {chosen})"
    )
    for table in ("line_vectors", "statements"):
        database.run(f"DELETE FROM {table} WHERE {chosen}")


def remove_statement_traces(database: SqlDatabase, has_traces: Callable[[str], bool]) -> None:
    """Delete the reviews, statements and subjects whose words must go."""
    reviews = database.all(
        "SELECT project_id, statement_id, text FROM statement_reviews WHERE text <> ''"
    )
    database.run_many(
        "DELETE FROM statement_reviews WHERE project_id = ? AND statement_id = ?",
        [(project_id, id_) for project_id, id_, text in reviews if has_traces(text)],
    )
    last = 0
    while rows := database.all(
        "SELECT number, text, subject FROM statements WHERE number > ? ORDER BY number LIMIT ?",
        (last, _BATCH_ROWS),
    ):
        for number, text, subject in rows:
            if has_traces(text):
                database.run("DELETE FROM statement_vectors WHERE statement = ?", (number,))
                database.run("DELETE FROM statements WHERE number = ?", (number,))
            elif has_traces(subject):
                names = [name for name in json_list(subject) if not has_traces(name)]
                database.run(
                    "UPDATE statements SET subject = ? WHERE number = ?",
                    (compact_json(names), number),
                )
        last = rows[-1][0]


def _pass_supersession_on(database: SqlDatabase) -> None:
    """Let the remaining statements be superseded by what superseded a deleted one."""
    chosen = f"seq IN {database.chosen_seqs}"
    links: dict[_Key, Row] = {
        row[:2]: row[2:]
        for row in database.all(
            "SELECT project_id, id, superseded_by, superseded_at, relation FROM statements "
            f"WHERE {chosen}"
        )
    }
    older = database.all(
        "SELECT s.number, s.project_id, s.superseded_by FROM statements g JOIN statements s "
        "ON s.project_id = g.project_id AND s.superseded_by = g.id "
        f"WHERE g.{chosen} AND NOT s.{chosen}"
    )
    database.run_many(
        "UPDATE statements SET superseded_by = ?, superseded_at = ?, relation = ? WHERE number = ?",
        [(*_remaining_link(links, (project, by)), number) for number, project, by in older],
    )


def _remaining_link(links: dict[_Key, Row], gone: _Key) -> Row:
    """Return what supersedes instead of a deleted statement: the id, the time, the relation."""
    passed = set[_Key]()
    newer = links[gone]
    while (key := (gone[0], newer[0])) in links and key not in passed:
        passed.add(key)
        newer = links[key]
    return (None, None, None) if key in passed else newer
