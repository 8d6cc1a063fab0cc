"""The database of claude-mem: `~/.claude-mem/claude-mem.db`.

Written for its published layout after migration 35 (prompts, observations, session summaries).
Columns that a version lacks are done without; a database with none of these tables is refused.
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
    configured_folder,
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

__all__ = ["READER"]

CHUNK_ROWS = 1_000

_HEADINGS = ("request", "investigated", "learned", "completed", "next_steps", "notes")


class _Table(NamedTuple):
    name: str
    session: str
    row_text: Callable[[Fields], str]
    role: str


def _read_chunks(
    file: TranscriptFile, since: ImportMark | None, _now: datetime
) -> Iterator[TranscriptChunk]:
    """Read the new rows of each table; raise OSError for any other database."""
    state = parsed_object((since.state if since else "").encode()) or {}
    last_ids = {table: last for table, last in state.items() if isinstance(last, int)}
    try:
        with closing(_open_database(file.path)) as database:
            yield from _read_tables(database, file, last_ids)
    except sqlite3.Error as error:
        msg = f"it is not a database of claude-mem: {error}"
        raise OSError(msg) from error


def _open_database(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=5)
    connection.row_factory = sqlite3.Row
    return connection


def _read_tables(
    database: sqlite3.Connection, file: TranscriptFile, last_ids: dict[str, int]
) -> Iterator[TranscriptChunk]:
    names = {row[0] for row in database.execute("SELECT name FROM sqlite_master")}
    tables = [table for table in _TABLES if table.name in names]
    if not tables:
        msg = "it has no prompts, observations or summaries"
        raise sqlite3.DatabaseError(msg)
    columns = {str(row[1]) for row in database.execute("PRAGMA table_info(sdk_sessions)")}
    for table in tables:
        statement = _select_statement(table, is_joined="memory_session_id" in columns)
        while rows := database.execute(statement, (last_ids.get(table.name, 0),)).fetchall():
            messages = (_row_message(table, dict(row)) for row in rows)
            last_ids[table.name] = max(int(row["id"]) for row in rows)
            mark = ImportMark(file.size, file.size, file.changed_ns, "", json.dumps(last_ids))
            yield TranscriptChunk([message for message in messages if message], mark)


def _select_statement(table: _Table, *, is_joined: bool) -> str:
    """Select the rows after an id; prompts and other rows have different ids of one session."""
    columns, join = "t.*", ""
    if is_joined:
        columns += ", s.content_session_id AS said_in, s.project AS said_of"
        join = f"LEFT JOIN sdk_sessions s ON s.{table.session} = t.{table.session}"
    return (
        f"SELECT {columns} FROM {table.name} t {join} "  # noqa: S608 - our own names
        f"WHERE t.id > ? ORDER BY t.id LIMIT {CHUNK_ROWS}"
    )


def _row_message(table: _Table, row: Fields) -> TranscriptItem | None:
    text = table.row_text(row)
    if not text:
        return None
    is_prompt = table.role == "user"
    message = Message(
        text=text,
        role=table.role,
        type=EventType.USER_MESSAGE if is_prompt else EventType.NOTE,
        source="user" if is_prompt else "agent",
        session=text_field(row, "said_in", table.session) or None,
        id=f"claude-mem_{table.name}_{row['id']}_{row.get('created_at_epoch')}",
        at=parsed_time(row.get("created_at_epoch")) or parsed_time(row.get("created_at")),
        payload={"client": "claude-mem", "what": text_field(row, "type") or table.name},
    )
    project = text_field(row, "project", "said_of")
    return ImportedMessage(message, "", project, may_repeat=is_prompt)


def _observation_text(row: Fields) -> str:
    titles = (text_field(row, "title"), text_field(row, "subtitle"))
    facts = "\n".join(f"- {fact}" for fact in _string_list(row.get("facts")))
    parts = (" — ".join(filter(None, titles)), text_field(row, "narrative", "text"), facts)
    return "\n".join(filter(None, parts)).strip()


def _summary_text(row: Fields) -> str:
    sections = ((name.replace("_", " ").capitalize(), text_field(row, name)) for name in _HEADINGS)
    return "\n".join(f"{heading}: {text}" for heading, text in sections if text)


def _string_list(value: object) -> list[str]:
    try:
        items = json.loads(value) if isinstance(value, str) else []
    except (ValueError, RecursionError):
        return []
    return [item for item in items if isinstance(item, str)] if isinstance(items, list) else []


_TABLES = (
    _Table(
        "user_prompts", "content_session_id", lambda row: text_field(row, "prompt_text"), "user"
    ),
    _Table("observations", "memory_session_id", _observation_text, "note"),
    _Table("session_summaries", "memory_session_id", _summary_text, "note"),
)


def _database_files(home: Path, environ: Mapping[str, str]) -> list[Path]:
    folder = configured_folder(environ, "CLAUDE_MEM_DATA_DIR", home / ".claude-mem")
    return [folder / "claude-mem.db"]


READER = TranscriptFormat(
    "claude-mem",
    _read_chunks,
    lambda path: path.suffix in (".db", ".sqlite", ".sqlite3"),
    _database_files,
)
