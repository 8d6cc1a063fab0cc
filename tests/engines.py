"""The engines that a memory can be stored on, and the one that the running test uses.

A module runs on every engine if it says `pytestmark = pytest.mark.every_engine`, and so does
every contract of a store. A test in such a module that is about the file itself is marked
`file_store`. Tests open stores with `open_store`, which takes a place: any path, which stands
for one store however often it is opened, or `TEMPORARY` for a new one that ends when it is closed.

A further engine is one more entry of `ENGINES`.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.ports import ThreadStore

__all__ = [
    "ENGINES",
    "FILE_ENGINE",
    "TEMPORARY",
    "VARIANTS",
    "Engine",
    "open_store",
    "using_engine",
]

TEMPORARY = ":memory:"

EXACT_LIMIT = 100_000
GRAPH_LIMIT = 10
"""With this limit, the vectors of the contract tests are searched by a graph."""


class Engine(Protocol):
    """A kind of store, as the tests need it."""

    @property
    def name(self) -> str:
        """Return the name that the tests' ids show."""

    def missing(self) -> str:
        """Return why this engine cannot be had here; empty if it can."""

    def open_store(self, place: Path | str, *, exact_limit: int) -> ThreadStore:
        """Open the store at a place, or a temporary one."""

    def end_test(self) -> None:
        """Remove what a test left: stores that it did not close, and temporary ones."""


class SqliteEngine:
    """SQLite: a place is a file, and a temporary store is in memory."""

    name = "sqlite"

    def missing(self) -> str:
        """Return nothing: SQLite is part of Python."""
        return ""

    def open_store(self, place: Path | str, *, exact_limit: int) -> ThreadStore:
        """Open the file."""
        return SqliteStore.open(place, exact_limit=exact_limit)

    def end_test(self) -> None:
        """Leave the files to pytest."""


FILE_ENGINE: Engine = SqliteEngine()
ENGINES: Sequence[Engine] = (FILE_ENGINE,)

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
