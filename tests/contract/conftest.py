"""Every store there is, for the suites that test the contract of any store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ai_smartness.ports import ThreadStore
from engines import VARIANTS, StoreVariant, using_engine


@pytest.fixture(params=VARIANTS, ids=str)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ThreadStore]:
    variant: StoreVariant = request.param
    if reason := variant.engine.missing():
        pytest.skip(f"{variant.engine.name} is needed and cannot be had: {reason}")
    with using_engine(variant.engine):
        opened = variant.open_store(tmp_path)
        yield opened
        opened.close()
