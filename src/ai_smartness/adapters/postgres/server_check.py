"""Ask a server what a memory needs of it: versions, rights, encryption, how far away it is."""

import os
from dataclasses import dataclass
from pathlib import Path

import psycopg

from ai_smartness.adapters.postgres.connections import shared_pool
from ai_smartness.adapters.postgres.open_server import (
    LATEST_LAYOUT,
    database_layout,
    server_state,
)
from ai_smartness.adapters.postgres.postgres_database import PostgresDatabase

__all__ = ["ServerReport", "server_report"]

_FAR_MS = 5.0  # from here on a prompt waits noticeably: it asks the server up to twelve times

_PASSWORD_VARIABLES = ("PGPASSWORD", "PGPASSFILE")

_RIGHTS = (
    "SELECT has_schema_privilege(current_schema(), 'CREATE'), "
    "EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'vector') "
    "OR has_database_privilege(current_database(), 'CREATE')"
)


@dataclass(frozen=True, slots=True)
class ServerReport:
    """What was found; `problems` are in the way of a memory, `warnings` are not."""

    name: str
    version: str
    vector: str
    encryption: str
    round_trip_ms: float
    has_projects: bool
    problems: tuple[str, ...]
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{self.name}, PostgreSQL {self.version}, pgvector {self.vector or 'missing'}, "
            f"{self.encryption}, {self.round_trip_ms:.1f} ms away"
        )


def server_report(url: str) -> ServerReport:
    """Connect and look; nothing is changed."""
    database = PostgresDatabase(shared_pool(url), busy_timeout_ms=10_000)
    try:
        state = server_state(database)
        layout = database_layout(database)
        problems = [state.problem] if state.problem else []
        if not layout:
            problems += _missing_rights(database)
        if layout > LATEST_LAYOUT:
            problems.append(f"it was written by a newer ai_smartness (layout {layout})")
        away, encryption = database.round_trip_ms(), database.encryption()
        return ServerReport(
            name=database.name,
            version=state.version,
            vector=state.vector,
            encryption=encryption,
            round_trip_ms=away,
            has_projects=bool(layout)
            and bool(database.first_number("SELECT count(*) FROM projects")),
            problems=tuple(problems),
            warnings=(*_password_warnings(url), *_warnings(away, encryption)),
        )
    finally:
        database.close()


def _missing_rights(database: PostgresDatabase) -> list[str]:
    (may_create, may_extend), *_ = database.all(_RIGHTS)
    problems = []
    if not may_create:
        problems.append(
            "this role may not create tables in it; have an administrator run `ais team add`, "
            "or GRANT CREATE ON SCHEMA"
        )
    if not may_extend:
        problems.append(
            "this role may not add pgvector; have an administrator run CREATE EXTENSION vector"
        )
    return problems


def _password_warnings(url: str) -> list[str]:
    """Warn of a password that a daemon does not get: it takes nothing from a session's shell."""
    variables = [name for name in _PASSWORD_VARIABLES if os.environ.get(name)]
    if not variables:
        return []
    try:
        # An empty password is looked up in the file, without the variable.
        psycopg.connect(url, password="", passfile=str(Path.home() / ".pgpass")).close()
    except psycopg.OperationalError:
        names = " and ".join(variables)
        msg = (
            f"the daemon does not get {names} of your shell, and cannot log in: put the password "
            "into ~/.pgpass"
        )
        return [msg]
    return []


def _warnings(away: float, encryption: str) -> list[str]:
    warnings = []
    if away > _FAR_MS:
        warnings.append(
            f"the server is {away:.0f} ms away, and a prompt waits for it up to twelve times: the "
            "memory will be slow, or silent when time is up"
        )
    if encryption == "not encrypted":
        warnings.append(
            "the connection is not encrypted: everybody on the way can read your messages. Add "
            "?sslmode=verify-full to the address"
        )
    return warnings
