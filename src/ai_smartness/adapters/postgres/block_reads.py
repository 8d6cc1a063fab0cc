"""Read the posting blocks of words: those that this process has not cached come from the server."""

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from ai_smartness.adapters.postgres.postgres_database import PostgresDatabase
from ai_smartness.adapters.postgres.posting_blocks import Postings
from ai_smartness.adapters.postgres.posting_cache import CACHED_EVENTS, BlockKey, CachedBlocks
from ai_smartness.adapters.postgres.query import Parameter
from ai_smartness.adapters.tables.sql_database import Row, Value

__all__ = ["TermParts", "read_blocks", "read_rare_blocks"]

TermParts: TypeAlias = dict[str, list[Postings]]
"""The postings of terms, each in a few parts."""

# Each word is looked up: walking through the common words of a project takes as long as all else.
RARE_TERMS = (
    "ARRAY(SELECT given.word FROM unnest(?::text[]) AS given (word) WHERE NOT EXISTS (SELECT 1 "
    "FROM common_words c WHERE c.project_id = ? AND c.word = given.word))"
)
"""Those of the given terms that are not common in a surveyed project."""

# The list of blocks and the generation are of one moment, as they come with one statement.
_BLOCKS = (
    "SELECT b.term, b.first_seq, b.events, p.word_generation::text, "
    "CASE WHEN known.term IS NULL THEN b.postings END, "
    "CASE WHEN known.term IS NULL AND b.term = ANY(?::text[]) THEN b.positions END "
    "FROM projects p JOIN posting_blocks b ON b.project_id = p.id "
    "LEFT JOIN unnest(?::text[], ?::bigint[], ?::integer[]) AS known (term, first_seq, events) "
    "ON known.term = b.term AND known.first_seq = b.first_seq AND known.events = b.events "
    "AND p.word_generation::text = ? "
    "WHERE p.id = ? AND b.term = ANY({}) ORDER BY b.term, b.first_seq"
)


def read_blocks(
    database: PostgresDatabase, project_id: int, terms: Collection[str], placed: Collection[str]
) -> TermParts:
    """Return the postings of terms; those of `placed` with positions."""
    keys = list[Value](sorted(terms))
    return _read(database, project_id, placed, _BLOCKS.format("?::text[]"), [keys])


def read_rare_blocks(
    database: PostgresDatabase, project_id: int, terms: Collection[str], placed: Collection[str]
) -> TermParts:
    """Return the same of those terms that are not common in a surveyed project."""
    keys = list[Value](sorted(terms))
    return _read(database, project_id, placed, _BLOCKS.format(RARE_TERMS), [keys, project_id])


def _read(
    database: PostgresDatabase,
    project_id: int,
    placed: Collection[str],
    sql: str,
    values: Sequence[Parameter],
) -> TermParts:
    terms = values[0]
    if not isinstance(terms, list) or not terms:
        return {}
    cache = database.posting_cache
    cached = _usable_blocks(cache.find(project_id, map(str, terms)), placed)
    known = list(cached.blocks)
    keys = [list[Value](column) for column in zip(*known, strict=True)] or [[], [], []]
    rows = database.all(
        sql, (list[Value](sorted(placed)), *keys, cached.generation, project_id, *values)
    )
    parts, large = TermParts(), dict[str, dict[BlockKey, Postings]]()
    for term, group in groupby(rows, key=itemgetter(0)):
        large[term], small = _sorted_out(group, cached)
        parts[term] = [*large[term].values(), *small]
    # What a unit reads may be undone with it, and stand for other events afterwards.
    if rows and not database.is_in_unit:
        cache.replace(project_id, rows[0][3], large)
    return parts


def _usable_blocks(cached: CachedBlocks, placed: Collection[str]) -> CachedBlocks:
    """Return the cached blocks without those that lack the positions that are needed."""
    usable = {
        key: block
        for key, block in cached.blocks.items()
        if block.has_positions or key[0] not in placed
    }
    return CachedBlocks(cached.generation, usable)


def _sorted_out(
    rows: Iterable[Row], cached: CachedBlocks
) -> tuple[dict[BlockKey, Postings], list[Postings]]:
    """Return the large blocks of a term, from here if they are known, and all small ones as one."""
    large, small = dict[BlockKey, Postings](), list[tuple[bytes, bytes]]()
    for term, first_seq, events, _, postings, positions in rows:
        key = (term, first_seq, events)
        if postings is None:
            large[key] = cached.blocks[key]
        elif events >= CACHED_EVENTS:
            large[key] = Postings.of_block(postings, positions or b"")
        else:
            small.append((postings, positions or b""))
    joined = [b"".join(column) for column in zip(*small, strict=True)]
    return large, [Postings.of_block(*joined)] if small else []
