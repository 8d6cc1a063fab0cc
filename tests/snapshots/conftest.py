"""The projects that snapshots are taken of, built once, and the recordings."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recorded import Recording
from snapshot_corpus import ROOM, SHOP
from snapshot_surfaces import World, build, opened_world

RECORDED = Path(__file__).parent / "recorded"


@pytest.fixture(scope="session")
def built_shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    build(folder, "shop", SHOP)
    return folder


@pytest.fixture(scope="session")
def built_room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("room")
    build(folder, "room", ROOM)
    return folder


@pytest.fixture
def shop(built_shop: Path, tmp_path: Path) -> Iterator[World]:
    with opened_world(built_shop, tmp_path, "shop") as world:
        yield world


@pytest.fixture
def room(built_room: Path, tmp_path: Path) -> Iterator[World]:
    with opened_world(built_room, tmp_path, "room") as world:
        yield world


@pytest.fixture
def recording(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Recording]:
    """Give a test its recording, and compare it when the test is done."""
    name = request.node.name.removeprefix("test_").replace("[", "_").removesuffix("]")
    kept = Recording(
        RECORDED / f"{name}.txt",
        {str(tmp_path): "<folder>"},
        record=request.config.getoption("--record"),
    )
    yield kept
    kept.check()
