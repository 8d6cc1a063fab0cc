"""Every store there is, for the suites that test the contract of any store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ai_smartness.ports import ThreadStore
from engines import VARIANTS, StoreVariant, open_store, using_engine


@pytest.fixture(params=VARIANTS, ids=str)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ThreadStore]:
    variant: StoreVariant = request.param
    if reason := variant.engine.missing():
        pytest.skip(f"{variant.engine.name} is needed and cannot be had: {reason}")
    with using_engine(variant.engine):
        opened = variant.open_store(tmp_path)
        yield opened
        opened.close()


@pytest.fixture
def two_stores(tmp_path: Path) -> Iterator[tuple[ThreadStore, ThreadStore]]:
    """Open one store twice, as two processes would."""
    stores = open_store(tmp_path / "memory"), open_store(tmp_path / "memory")
    yield stores
    for opened in stores:
        opened.close()
