"""What several test suites share."""

import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs
import pytest
from hypothesis import settings

from ai_smartness.adapters.embedders.model_cache import ModelCache
from ai_smartness.adapters.embedders.model_catalogue import DEFAULT_MODEL, LANGUAGES_MODEL
from ai_smartness.model.errors import StoreError
from engines import ENGINES, FILE_ENGINE, Engine, using_engine

if TYPE_CHECKING:
    from ai_smartness.ports import Embedder


# A shell starts what it puts in the background deaf to Ctrl-C, and so would be every program
# that a test starts in order to interrupt it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Tests ask at most the package index for a model; one that tests the hub runs it on loopback.
os.environ.setdefault("HF_HUB_OFFLINE", "1")


# Whoever runs the tests may have clients, which no test may find or change.
os.environ["AIS_CLIENTS_HOME"] = f"{tempfile.gettempdir()}/ais-tests-have-no-clients"
for name in ("CODEX", "COPILOT", "GEMINI", "OPENCODE", "QWEN"):
    os.environ[f"AIS_{name}"] = ""


# As in an activated environment: what we print then calls our command by its name.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


# What a property costs is no part of it: on a busy machine 200 ms are soon gone.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options: record the snapshots anew, and kill a server more often."""
    parser.addoption("--record", action="store_true", help="write tests/snapshots/recorded/ anew")
    parser.addoption(
        "--kill-rounds", type=int, default=2, help="how often PostgreSQL and its clients are killed"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Name the marks that say on which engines a test runs."""
    for line in (
        "every_engine: runs once on every engine that a memory can be stored on",
        "file_store: is about the memory's file, and runs on the engine that has one",
    ):
        config.addinivalue_line("markers", line)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test on every engine, if it is marked so."""
    marked = metafunc.definition.get_closest_marker
    if marked("every_engine") and not marked("file_store"):
        metafunc.parametrize("engine", ENGINES, ids=lambda engine: engine.name, indirect=True)


@pytest.fixture(autouse=True)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Choose the engine of whatever the test opens."""
    chosen: Engine = getattr(request, "param", FILE_ENGINE)
    if reason := chosen.missing():
        pytest.skip(f"{chosen.name} is needed and cannot be had: {reason}")
    with using_engine(chosen):
        yield chosen


@pytest.fixture(scope="session")
def models_folder() -> Path:
    """Find the models of the user who runs the tests, so that each is downloaded once."""
    cache = os.environ.get("AIS_CACHE")
    return (Path(cache) if cache else platformdirs.user_cache_path("ai_smartness")) / "models"


@pytest.fixture(scope="session")
def user_shelf(models_folder: Path) -> ModelCache:
    """Open that folder as a shelf."""
    return ModelCache(models_folder)


@pytest.fixture(scope="session")
def embedder_of_two_models(user_shelf: ModelCache) -> "Embedder":
    """Load the default model with that for other languages, pulled if it is not here yet."""
    try:
        for name in (DEFAULT_MODEL, LANGUAGES_MODEL):
            user_shelf.pull_model(name)
    except StoreError as error:
        pytest.skip(f"the model for other languages is needed and cannot be had: {error}")
    embedder = user_shelf.load_embedder(DEFAULT_MODEL, max_chunks=16, languages=LANGUAGES_MODEL)
    assert embedder is not None
    return embedder


@pytest.fixture(scope="session")
def real_embedder(user_shelf: ModelCache) -> "Embedder":
    """Load the default model, pulled if it is not here yet."""
    try:
        user_shelf.pull_model(DEFAULT_MODEL)
    except StoreError as error:
        pytest.skip(f"the real model is needed and cannot be had: {error}")
    embedder = user_shelf.load_embedder(DEFAULT_MODEL, max_chunks=16)
    assert embedder is not None
    return embedder
