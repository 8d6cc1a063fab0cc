"""A query as psycopg takes it, and several of them sent in one round trip.

The statements are written for SQLite and PostgreSQL alike, with `?` or `?1` for a value.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, TypeAlias

import psycopg
from psycopg.adapt import Dumper

from ai_smartness.adapters.tables.sql_database import Row, Value

__all__ = [
    "Connection",
    "Parameter",
    "Query",
    "column_batches",
    "control_query",
    "query_of",
    "rows_of_arrays",
    "sent_together",
]

Connection: TypeAlias = psycopg.Connection[Row]
Parameter: TypeAlias = Value | list[Value]
Parameters: TypeAlias = "Sequence[Parameter | _Integers] | dict[str, Parameter | _Integers]"

_PLACEHOLDER = re.compile(r"\?(\d*)|%")
_LARGEST = 1 << 63
_BATCH_ROWS = 5_000
_ARRAYS = {"halfvec": "text"}  # the type that an array of these is sent as

# PostgreSQL stores no U+0000. These three are no characters, and stand in no ordinary text.
_ESCAPE, _ESCAPED_NUL, _ESCAPED_ESCAPE = "\ufdd0", "\ufdd0\ufdd1", "\ufdd0\ufdd2"


@dataclass(frozen=True, slots=True)
class Query:
    """One statement with its values. A control begins, marks or ends parts of a transaction."""

    sql: str
    parameters: Any = ()
    is_control: bool = False

    @property
    def only_reads(self) -> bool:
        """Say whether it may be repeated."""
        return self.sql.startswith(("SELECT", "WITH")) and "INSERT" not in self.sql


def query_of(sql: str, values: Sequence[Parameter]) -> Query:
    """Return a statement of our tables with its values, as psycopg takes it."""
    return Query(_translated(sql), _parameters(sql, values))


def control_query(sql: str) -> Query:
    """Return a statement such as BEGIN or SAVEPOINT, which has no values."""
    return Query(sql, is_control=True)


def rows_of_arrays(types: Sequence[str]) -> str:
    """Return a query for rows that are given by an array for each column, in their order."""
    arrays = ", ".join(f"?::{_ARRAYS.get(kind, kind)}[]" for kind in types)
    columns = ", ".join(f"c{number}::{kind}" for number, kind in enumerate(types))
    names = ", ".join(f"c{number}" for number in range(len(types)))
    return (
        f"SELECT {columns} FROM unnest({arrays}) WITH ORDINALITY AS given ({names}, place) "
        "ORDER BY place"
    )


def column_batches(rows: Iterable[Sequence[Value]]) -> Iterator[list[list[Value]]]:
    """Yield the columns of rows, of some thousand rows at a time."""
    left = iter(rows)
    while batch := list(islice(left, _BATCH_ROWS)):
        yield [list(column) for column in zip(*batch, strict=True)]


def sent_together(connection: Connection, queries: Sequence[Query]) -> list[list[Row]]:
    """Send queries at once, wait once, and return the rows of each."""
    if len(queries) == 1:
        return [_rows(_sent(connection, queries[0]))]
    with connection.pipeline():
        cursors = [_sent(connection, query) for query in queries]
    # Read after the pipeline: inside it, the first one would be waited for.
    return [_rows(cursor) for cursor in cursors]


def _sent(connection: Connection, query: Query) -> psycopg.Cursor[Row]:
    return connection.cursor().execute(query.sql, query.parameters or None, binary=True)


def _rows(cursor: psycopg.Cursor[Row]) -> list[Row]:
    return [] if cursor.description is None else [_restored_row(row) for row in cursor.fetchall()]


@lru_cache(2_000)
def _translated(sql: str) -> str:
    """Return a statement with the placeholders of psycopg, and with its empty lists."""
    sql = sql.replace("NOT IN ()", "<> ALL('{}')").replace("IN ()", "= ANY('{}')")
    return _PLACEHOLDER.sub(
        lambda match: "%%" if match[0] == "%" else f"%(value{match[1]})s" if match[1] else "%s",
        sql,
    )


@lru_cache(2_000)
def _is_numbered(sql: str) -> bool:
    return re.search(r"\?\d", sql) is not None


def _parameters(sql: str, values: Sequence[Parameter]) -> Parameters:
    stored: list[Parameter | _Integers] = [
        _stored_list(value) if isinstance(value, list) else _stored(value) for value in values
    ]
    if not _is_numbered(sql):
        return stored
    return {f"value{number}": value for number, value in enumerate(stored, 1)}


def _stored_list(values: list[Value]) -> "list[Value] | _Integers":
    numbers = [value for value in values if type(value) is int]
    if numbers and len(numbers) == len(values):
        for number in (min(numbers), max(numbers)):
            _stored(number)
        return _Integers("{" + ",".join(map(str, numbers)) + "}", len(numbers))
    return list(map(_stored, values))


@dataclass(frozen=True, slots=True)
class _Integers:
    """A list of integers as PostgreSQL writes it; psycopg would take seven times as long."""

    text: str
    count: int

    def __len__(self) -> int:
        return self.count


class _IntegersDumper(Dumper):
    oid = psycopg.postgres.types["int8"].array_oid

    def dump(self, obj: _Integers) -> bytes:
        return obj.text.encode()


psycopg.adapters.register_dumper(_Integers, _IntegersDumper)


def _stored(value: Value) -> Value:
    if isinstance(value, str) and ("\0" in value or _ESCAPE in value):
        return value.replace(_ESCAPE, _ESCAPED_ESCAPE).replace("\0", _ESCAPED_NUL)
    if isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
        msg = "it has more than 64 bits"
        raise OverflowError(msg)
    return value


def _restored_row(row: Row) -> Row:
    if any(isinstance(value, str) and _ESCAPE in value for value in row):
        return tuple(_restored(value) if isinstance(value, str) else value for value in row)
    return row


def _restored(text: str) -> str:
    return text.replace(_ESCAPED_NUL, "\0").replace(_ESCAPED_ESCAPE, _ESCAPE)
