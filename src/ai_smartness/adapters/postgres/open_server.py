"""Open a memory's database: create, check or upgrade its layout.

One process at a time upgrades, in one transaction. A database of a newer version or of another
program is refused unchanged. Nobody can copy it before an upgrade from here: the server's own
backup has to be there.
"""

from dataclasses import dataclass
from pathlib import Path

from ai_smartness.adapters.postgres.connections import shared_pool
from ai_smartness.adapters.postgres.postgres_database import PostgresDatabase
from ai_smartness.model.errors import StoreError

__all__ = ["LATEST_LAYOUT", "ServerState", "database_layout", "open_database", "server_state"]

OLDEST_SERVER = 16
OLDEST_VECTOR = (0, 8)  # the first with iterative scans
_UPGRADE_LOCK = 0x41495332  # of the one process that upgrades ("AIS2")


@dataclass(frozen=True, slots=True)
class _Migration:
    number: int
    description: str
    script: str


def _read_migration(path: Path) -> _Migration:
    number, _, description = path.stem.partition("_")
    return _Migration(int(number), description.replace("_", " "), path.read_text(encoding="utf-8"))


_MIGRATIONS = tuple(
    sorted(
        (_read_migration(path) for path in (Path(__file__).parent / "schema").glob("*.sql")),
        key=lambda migration: migration.number,
    )
)
LATEST_LAYOUT = _MIGRATIONS[-1].number


@dataclass(frozen=True, slots=True)
class ServerState:
    """What a server has to be: its version, and that of pgvector in the database or on offer."""

    version: str
    major: int
    vector: str

    @property
    def problem(self) -> str:
        """Say why a memory cannot be there; empty if it can."""
        if self.major < OLDEST_SERVER:
            return f"it is PostgreSQL {self.version}, and {OLDEST_SERVER} is the oldest that works"
        if not self.vector:
            return "its server does not have the extension pgvector"
        if tuple(int(part) for part in self.vector.split(".")[:2]) < OLDEST_VECTOR:
            return f"it has pgvector {self.vector}, and 0.8 is the oldest that works"
        return ""


def open_database(url: str, busy_timeout_ms: int = 30_000) -> PostgresDatabase:
    """Return the open database, upgraded to the current layout."""
    database = PostgresDatabase(shared_pool(url), busy_timeout_ms)
    try:
        if database_layout(database) != LATEST_LAYOUT:
            _upgrade(database)
    except BaseException:
        database.close()
        raise
    return database


def server_state(database: PostgresDatabase) -> ServerState:
    """Ask the server for its versions."""
    rows = database.all(
        "SELECT current_setting('server_version'), current_setting('server_version_num'), "
        "(SELECT coalesce(installed_version, default_version) FROM pg_available_extensions "
        "WHERE name = 'vector')"
    )
    version, number, vector = rows[0]
    return ServerState(version.split()[0], int(number) // 10_000, vector or "")


def database_layout(database: PostgresDatabase) -> int:
    """Return the number of the layout; 0 if there is no memory yet.

    Only the schema of this role counts: a database may hold the memories of several people.
    """
    if not database.first_number(
        "SELECT count(*) FROM pg_tables "
        "WHERE schemaname = current_schema() AND tablename = 'layout'"
    ):
        return 0
    return database.first_number("SELECT number FROM layout WHERE program = 'ai_smartness'")


def _upgrade(database: PostgresDatabase) -> None:
    _refuse_unfit_server(database)
    with database.unit():
        database.run("SELECT pg_advisory_xact_lock(?)", (_UPGRADE_LOCK,))
        # Another process may have upgraded it meanwhile.
        layout = database_layout(database)
        if layout > LATEST_LAYOUT:
            msg = (
                f"the memory {database.name} was written by a newer ai_smartness (layout {layout}, "
                f"this one knows {LATEST_LAYOUT}). Nothing was changed; upgrade with "
                "`pip install --upgrade ai-smartness`."
            )
            raise StoreError(msg)
        if layout == 0:
            _refuse_foreign_tables(database)
            database.run("CREATE TABLE layout (program TEXT PRIMARY KEY, number INTEGER NOT NULL)")
            database.run("INSERT INTO layout VALUES ('ai_smartness', 0)")
        for migration in _MIGRATIONS:
            if migration.number > layout:
                database.run_script(migration.script)
        database.run("UPDATE layout SET number = ?", (LATEST_LAYOUT,))


def _refuse_unfit_server(database: PostgresDatabase) -> None:
    problem = server_state(database).problem
    if problem:
        msg = (
            f"a memory cannot be in {database.name}: {problem}. Nothing was changed; "
            "docs/team.md lists the servers that fit."
        )
        raise StoreError(msg)


def _refuse_foreign_tables(database: PostgresDatabase) -> None:
    tables = database.first_number(
        "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"
    )
    if tables:
        msg = (
            f"{database.name} holds tables of another program. Nothing was changed; name an empty "
            "database, or give this role a schema of its own: "
            "CREATE SCHEMA ais; ALTER ROLE … SET search_path = ais, public."
        )
        raise StoreError(msg)
