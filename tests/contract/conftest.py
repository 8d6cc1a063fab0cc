"""Every store there is, for the suites that hold what any store must do."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.ports import ThreadStore


@pytest.fixture(params=["sqlite file", "sqlite in memory", "sqlite graph"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ThreadStore]:
    path = ":memory:" if request.param == "sqlite in memory" else tmp_path / "memory.db"
    # With a limit of 10 the vectors of these tests are searched by the graph beside the file.
    limit = 10 if request.param == "sqlite graph" else 100_000
    opened = SqliteStore.open(path, exact_limit=limit)
    yield opened
    opened.close()
