"""Read the posting blocks of words: those that this process has not cached come from the server."""

from collections.abc import Collection, Iterable

from ai_smartness.adapters.postgres.postgres_database import PostgresDatabase
from ai_smartness.adapters.postgres.posting_cache import Block, BlockKey, CachedBlocks
from ai_smartness.adapters.tables.sql_database import Row, Value

__all__ = ["read_blocks"]

# The list of blocks and the generation are of one moment, as they come with one statement.
_BLOCKS = (
    "SELECT b.term, b.first_seq, b.events, p.word_generation::text, "
    "CASE WHEN known.term IS NULL THEN b.postings END, "
    "CASE WHEN known.term IS NULL AND b.term = ANY(?::text[]) THEN b.positions END "
    "FROM projects p JOIN posting_blocks b ON b.project_id = p.id "
    "LEFT JOIN unnest(?::text[], ?::bigint[], ?::integer[]) AS known (term, first_seq, events) "
    "ON known.term = b.term AND known.first_seq = b.first_seq AND known.events = b.events "
    "AND p.word_generation::text = ? "
    "WHERE p.id = ? AND {} AND b.term IN ({{}}) ORDER BY b.term, b.first_seq"
)


def read_blocks(
    database: PostgresDatabase,
    project_id: int,
    terms: Collection[str],
    placed: Collection[str],
    condition: str,
) -> list[tuple[str, Block]]:
    """Return the blocks of terms in the order of their events; those of `placed` with positions.

    The terms are narrowed by a condition on the blocks `b`.
    """
    cache = database.posting_cache
    cached = _usable_blocks(cache.find(project_id, terms), placed)
    rows = database.all_in(
        _BLOCKS.format(condition),
        sorted(terms),
        (list[Value](sorted(placed)), *_columns(cached.blocks), cached.generation, project_id),
    )
    blocks = [_whole_block(row, cached) for row in rows]
    # What a unit reads may be undone with it, and stand for other events afterwards.
    if rows and not database.is_in_unit:
        cache.replace(project_id, rows[0][3], blocks)
    return [(key[0], block) for key, block in blocks]


def _usable_blocks(cached: CachedBlocks, placed: Collection[str]) -> CachedBlocks:
    """Return the cached blocks without those that lack the positions that are needed."""
    usable = {
        key: block
        for key, block in cached.blocks.items()
        if block[1] is not None or key[0] not in placed
    }
    return CachedBlocks(cached.generation, usable)


def _columns(keys: Iterable[BlockKey]) -> tuple[list[Value], list[Value], list[Value]]:
    rows = list(keys)
    return [term for term, _, _ in rows], [seq for _, seq, _ in rows], [n for _, _, n in rows]


def _whole_block(row: Row, cached: CachedBlocks) -> tuple[BlockKey, Block]:
    """Return the block of a row, from here if the server knows that it is here."""
    term, first_seq, events, _, postings, positions = row
    key = (term, first_seq, events)
    return key, cached.blocks[key] if postings is None else (postings, positions)
