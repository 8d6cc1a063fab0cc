"""The database of claude-mem: `~/.claude-mem/claude-mem.db`.

Seen: its published layout after migration 35 (prompts, observations, summaries of sessions).
Columns that a version does not have are done without; a database without any of these tables is
not one.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from ai_smartness.clients.transcript_reader import (
    Fields,
    TranscriptFormat,
    parsed_object,
    parsed_time,
    text_field,
)
from ai_smartness.model.event import EventType, Message
from ai_smartness.ports.transfer import (
    ImportedMessage,
    ImportMark,
    TranscriptChunk,
    TranscriptFile,
    TranscriptItem,
)

__all__ = ["FORMAT", "READER", "is_database"]

FORMAT = "claude-mem"
PIECE_ROWS = 1_000

_HEADINGS = ("request", "investigated", "learned", "completed", "next_steps", "notes")


class _Table(NamedTuple):
    name: str
    session: str
    row_text: Callable[[Fields], str]
    role: str


def database_files(home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Name where the database is."""
    moved = environ.get("CLAUDE_MEM_DATA_DIR")
    return [(Path(moved) if moved else home / ".claude-mem") / "claude-mem.db"]


def is_database(path: Path) -> bool:
    """Say whether a file is named like a database."""
    return path.suffix in (".db", ".sqlite", ".sqlite3")


def read_chunks(
    source: TranscriptFile, since: ImportMark | None, now: datetime
) -> Iterator[TranscriptChunk]:
    """Read what is new in each table; raise OSError for what is no such database."""
    del now
    state = parsed_object((since.state if since else "").encode()) or {}
    done = {name: each for name, each in state.items() if isinstance(each, int)}
    try:
        with closing(_open_database(source.path)) as database:
            yield from _read_tables(database, source, done)
    except sqlite3.Error as error:
        msg = f"it is no database of claude-mem: {error}"
        raise OSError(msg) from error


def _open_database(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=5)
    connection.row_factory = sqlite3.Row
    return connection


def _read_tables(
    database: sqlite3.Connection, source: TranscriptFile, done: dict[str, int]
) -> Iterator[TranscriptChunk]:
    there = {row[0] for row in database.execute("SELECT name FROM sqlite_master")}
    tables = [each for each in _TABLES if each.name in there]
    if not tables:
        msg = "it has no prompts, observations or summaries"
        raise sqlite3.DatabaseError(msg)
    # Both kinds of a session's id stand in one table; prompts have one, all else the other.
    columns = _table_columns(database, "sdk_sessions") if "sdk_sessions" in there else set()
    for table in tables:
        yield from _read_rows(database, source, table, done, joined="memory_session_id" in columns)


def _read_rows(
    database: sqlite3.Connection,
    source: TranscriptFile,
    table: _Table,
    done: dict[str, int],
    *,
    joined: bool,
) -> Iterator[TranscriptChunk]:
    sql = f"SELECT t.* FROM {table.name} t WHERE t.id > ? ORDER BY t.id LIMIT {PIECE_ROWS}"  # noqa: S608 # our own names
    if joined:
        sql = (
            "SELECT t.*, s.content_session_id AS said_in, s.project AS said_of "  # noqa: S608 # our own names
            f"FROM {table.name} t LEFT JOIN sdk_sessions s "
            f"ON s.{table.session} = t.{table.session} WHERE t.id > ? ORDER BY t.id "
            f"LIMIT {PIECE_ROWS}"
        )
    while rows := [dict(row) for row in database.execute(sql, (done.get(table.name, 0),))]:
        told = [said for row in rows if (said := _row_message(table, row)) is not None]
        done[table.name] = max(int(row["id"]) for row in rows)
        mark = ImportMark(source.size, source.size, source.changed_ns, "", json.dumps(done))
        yield TranscriptChunk(told, mark)


def _table_columns(database: sqlite3.Connection, table: str) -> set[str]:
    return {str(row[1]) for row in database.execute(f"PRAGMA table_info({table})")}


def _row_message(table: _Table, row: Fields) -> TranscriptItem | None:
    text = table.row_text(row)
    if not text:
        return None
    message = Message(
        text=text,
        role=table.role,
        type=EventType.USER_MESSAGE if table.role == "user" else EventType.NOTE,
        source="user" if table.role == "user" else "agent",
        session=text_field(row, "said_in", table.session) or None,
        id=f"claude-mem_{table.name}_{row['id']}_{row.get('created_at_epoch')}",
        at=parsed_time(row.get("created_at_epoch")) or parsed_time(row.get("created_at")),
        payload={"client": FORMAT, "what": text_field(row, "type") or table.name},
    )
    return ImportedMessage(
        message, "", text_field(row, "project", "said_of"), may_repeat=table.role == "user"
    )


def _observation_text(row: Fields) -> str:
    head = " — ".join(each for name in ("title", "subtitle") if (each := text_field(row, name)))
    body = text_field(row, "narrative", "text")
    facts = "\n".join(f"- {fact}" for fact in _string_list(row.get("facts")))
    return "\n".join(each for each in (head, body, facts) if each).strip()


def _summary_text(row: Fields) -> str:
    named = ((name.replace("_", " ").capitalize(), text_field(row, name)) for name in _HEADINGS)
    return "\n".join(f"{name}: {text}" for name, text in named if text)


def _string_list(written: object) -> list[str]:
    try:
        value = json.loads(written) if isinstance(written, str) else []
    except (ValueError, RecursionError):
        return []
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


_TABLES = (
    _Table(
        "user_prompts", "content_session_id", lambda row: text_field(row, "prompt_text"), "user"
    ),
    _Table("observations", "memory_session_id", _observation_text, "note"),
    _Table("session_summaries", "memory_session_id", _summary_text, "note"),
)


READER = TranscriptFormat(FORMAT, read_chunks, is_database, database_files)
