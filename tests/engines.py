"""The engines that a memory can be stored on, and the one that the running test uses.

A module runs on every engine if it says `pytestmark = pytest.mark.every_engine`, and so does
every contract of a store. A test in such a module that is about the file itself is marked
`file_store`. Tests open stores with `open_store`, which takes a place: any path, which stands
for one store however often it is opened, or `TEMPORARY` for a new one that ends when it is closed.

A further engine is one more entry of `ENGINES`.
"""

import atexit
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from hypothesis import settings

from ai_smartness.adapters.sqlite.small_projects import SMALL_PROJECT
from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.ports import ThreadStore
from postgres_server import MissingServerError, PostgresServer, started_server

__all__ = [
    "ENGINES",
    "FILE_ENGINE",
    "POSTGRES",
    "TEMPORARY",
    "VARIANTS",
    "Engine",
    "affordable",
    "open_store",
    "using_engine",
]

TEMPORARY = ":memory:"

EXACT_LIMIT = 100_000
GRAPH_LIMIT = 10
"""With this limit, stores treat the contract tests' projects as large: their vectors are searched
by a graph, and SQLite gives each a full-text index in the file."""


class Engine(Protocol):
    """A kind of store, as the tests need it."""

    @property
    def name(self) -> str:
        """Return the name that the tests' ids show."""

    @property
    def share_of_examples(self) -> float:
        """Return which part of a long property's examples is tried on this engine."""

    def missing(self) -> str:
        """Return why this engine cannot be had here; empty if it can."""

    def open_store(self, place: Path | str, *, exact_limit: int) -> ThreadStore:
        """Open the store at a place, or a temporary one."""

    def end_test(self) -> None:
        """Remove what a test left: stores that it did not close, and temporary ones."""


class SqliteEngine:
    """SQLite: a place is a file, and a temporary store is in memory."""

    name = "sqlite"
    share_of_examples = 1.0

    def missing(self) -> str:
        """Return nothing: SQLite is part of Python."""
        return ""

    def open_store(self, place: Path | str, *, exact_limit: int) -> ThreadStore:
        """Open the file."""
        small = 0 if exact_limit == GRAPH_LIMIT else SMALL_PROJECT
        return SqliteStore.open(place, exact_limit=exact_limit, small_project=small)

    def end_test(self) -> None:
        """Leave the files to pytest."""


class PostgresEngine:
    """PostgreSQL: a place is a database of a server that this process starts when it needs one."""

    name = "postgres"
    share_of_examples = 0.1  # each of their hundreds of statements waits for the server

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._in_use: dict[str, str] = {}
        self._emptied: list[str] = []
        atexit.register(self._stack.close)

    @cached_property
    def _server(self) -> PostgresServer:
        if folder := os.environ.get(_POSTGRES_FOLDER):
            return PostgresServer.running_in(Path(folder))
        server = self._stack.enter_context(started_server())
        os.environ[_POSTGRES_FOLDER] = str(server.folder)
        server.run_sql(f"CREATE DATABASE {_TEMPLATE}")
        self._open(server.url(_TEMPLATE), EXACT_LIMIT).close()
        return server

    def missing(self) -> str:
        """Return why there is no server."""
        return self._problem

    @cached_property
    def _problem(self) -> str:
        try:
            self._server.url()
        except MissingServerError as error:
            return str(error)
        return ""

    def url(self, place: Path | str) -> str:
        """Return the address of the database that a place stands for, which is made if needed."""
        key = f"temporary {uuid4().hex}" if place == TEMPORARY else str(Path(place).resolve())
        places: dict[str, str] = json.loads(os.environ.get(_POSTGRES_PLACES, "{}"))
        if key not in places:
            # Emptying a used database takes a tenth of the time of a new one.
            self._in_use[key] = self._emptied.pop() if self._emptied else self._new_database()
            os.environ[_POSTGRES_PLACES] = json.dumps(places | self._in_use)
        return self._server.url((places | self._in_use)[key])

    def server_url(self, database: str) -> str:
        """Return the address of another database of the server."""
        return self._server.url(database)

    @property
    def socket(self) -> Path:
        """Return the socket that the server listens on."""
        return self._server.folder / ".s.PGSQL.5432"

    def _new_database(self) -> str:
        name = f"memory_{uuid4().hex}"
        self._server.make_database(name, _TEMPLATE)
        return name

    def open_store(self, place: Path | str, *, exact_limit: int) -> ThreadStore:
        """Open the database."""
        return self._open(self.url(place), exact_limit)

    def end_test(self) -> None:
        """Empty the databases, whoever is connected to them."""
        while self._in_use:
            _, name = self._in_use.popitem()
            self._server.empty_database(name)
            self._emptied.append(name)
        os.environ.pop(_POSTGRES_PLACES, None)

    @staticmethod
    def _open(url: str, exact_limit: int) -> ThreadStore:
        from ai_smartness.adapters.postgres.postgres_store import PostgresStore  # noqa: PLC0415 - an extra

        return PostgresStore.open(url, exact_limit=exact_limit)


_TEMPLATE = "memory_template"
_POSTGRES_FOLDER = "TESTED_POSTGRES"  # where the server of the test that started this program is
_POSTGRES_PLACES = "TESTED_POSTGRES_PLACES"  # the databases of that test's places

FILE_ENGINE: Engine = SqliteEngine()
POSTGRES = PostgresEngine()
ENGINES: Sequence[Engine] = (FILE_ENGINE, POSTGRES)

# Programs that a test starts, and that open stores with this module, use the test's engine.
_IN_ENVIRONMENT = "TESTED_ENGINE"
_current = [
    next((each for each in ENGINES if each.name == os.environ.get(_IN_ENVIRONMENT)), FILE_ENGINE)
]


@dataclass(frozen=True)
class StoreVariant:
    """One way to open a store of an engine, which has to fulfil the whole contract."""

    engine: Engine
    form: str
    temporary: bool = False
    exact_limit: int = EXACT_LIMIT

    def __str__(self) -> str:
        return f"{self.engine.name} {self.form}"

    def open_store(self, folder: Path) -> ThreadStore:
        """Open the store, in a folder if it needs one."""
        place = TEMPORARY if self.temporary else folder / "memory"
        return self.engine.open_store(place, exact_limit=self.exact_limit)


VARIANTS = (
    StoreVariant(FILE_ENGINE, "file"),
    StoreVariant(FILE_ENGINE, "in memory", temporary=True),
    StoreVariant(FILE_ENGINE, "graph", exact_limit=GRAPH_LIMIT),
    *(
        StoreVariant(engine, form, exact_limit=limit)
        for engine in ENGINES[1:]
        for form, limit in (("exact", EXACT_LIMIT), ("graph", GRAPH_LIMIT))
    ),
)


@contextmanager
def using_engine(engine: Engine) -> Iterator[None]:
    """Let everything inside that opens a store open it on this engine."""
    _current.append(engine)
    os.environ[_IN_ENVIRONMENT] = engine.name
    try:
        yield
    finally:
        _current.pop().end_test()
        os.environ[_IN_ENVIRONMENT] = _current[-1].name


def open_store(place: Path | str = TEMPORARY, *, exact_limit: int = EXACT_LIMIT) -> ThreadStore:
    """Open a store on the engine that the running test uses."""
    return _current[-1].open_store(place, exact_limit=exact_limit)


def affordable(examples: settings) -> settings:
    """Return the settings of a long property with as many examples as the engine can do in time."""
    share = _current[-1].share_of_examples
    return settings(examples, max_examples=max(1, round(examples.max_examples * share)))
