"""Anna and Ben, who have a database in common: each with a role and a memory of their own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from ai_smartness import Memory
from ai_smartness.adapters.postgres.postgres_store import PostgresStore
from ai_smartness.memory import MemoryParts
from ai_smartness.ports import Embedder
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import SetClock
from builders import NOON
from engines import POSTGRES

__all__ = ["ADMINISTRATOR", "SHOP", "Person", "SharedServer", "shared_server"]

SHOP = "shop"
ADMINISTRATOR = "ais"
_PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class Person:
    """Somebody with a role of the server."""

    name: str
    url: str

    @contextmanager
    def memory(self, project: str = SHOP, model: Embedder | None = None) -> Iterator[Memory]:
        """Open their memory, with what the others share by now."""
        parts = MemoryParts(
            store=PostgresStore.open(self.url), embedder=lambda: model, clock=SetClock(NOON)
        )
        with Memory(parts, project, Settings()) as memory:
            memory.update_shared()
            yield memory

    def run_sql(self, statement: str) -> list[tuple[object, ...]]:
        """Execute a statement as this person, without any of our code."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def write_settings(self, home: Path) -> None:
        """Let the memory of a home be that of this person."""
        home.mkdir(parents=True, exist_ok=True)
        # On a busy machine, a server that takes longer to answer is not away.
        patient = f"{self.url}&connect_timeout={_PATIENCE_SECONDS}"
        (home / "config.toml").write_text(f'[store]\nurl = "{patient}"\n')


@dataclass(frozen=True)
class SharedServer:
    """A database that several people use."""

    database: str

    def person(self, name: str) -> Person:
        """Return somebody who has been added."""
        url = POSTGRES.server_url(self.database)
        return Person(name, url.replace(f"//{ADMINISTRATOR}@", f"//{name}@"))

    def added(self, name: str) -> Person:
        """Have the administrator add somebody."""
        with self.person(ADMINISTRATOR).memory() as memory:
            memory.add_team_member(name)
        return self.person(name)


@contextmanager
def shared_server() -> Iterator[SharedServer]:
    """Make an empty database, and drop it afterwards."""
    if reason := POSTGRES.missing():
        pytest.skip(f"{POSTGRES.name} is needed and cannot be had: {reason}")
    name = f"team_{uuid4().hex}"
    administrator = Person(ADMINISTRATOR, POSTGRES.server_url("postgres"))
    administrator.run_sql(f"CREATE DATABASE {name} TEMPLATE template0 STRATEGY FILE_COPY")
    try:
        yield SharedServer(name)
    finally:
        administrator.run_sql(f"DROP DATABASE {name} WITH (FORCE)")
