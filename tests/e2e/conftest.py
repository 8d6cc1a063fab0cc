"""What the tests with the real client share: the client, a network of its own, a desk."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ai_smartness.adapters.embedders.catalogue import DEFAULT_MODEL
from ai_smartness.adapters.embedders.shelf import ModelShelf
from e2e.claude_code import KNOWN_GOOD, PACKAGE, ClaudeCode, UnavailableError, installed
from e2e.desk import Desk
from e2e.loopback import Loopback

_SAID = pytest.StashKey[str]()


@pytest.fixture(scope="session")
def claude_code(models_folder: Path, pytestconfig: pytest.Config) -> ClaudeCode:
    """Find the client, or skip every test that needs it and say so at the end."""
    try:
        client = installed(models_folder.parent)
    except UnavailableError as why:
        pytestconfig.stash[_SAID] = f"NOT TESTED with the real client: {PACKAGE} is missing: {why}"
        pytest.skip(f"{PACKAGE} cannot be had: {why}")
    known = "" if client.version == KNOWN_GOOD else f", though {KNOWN_GOOD} was asked for"
    pytestconfig.stash[_SAID] = f"tested with Claude Code {client.version}{known}"
    return client


@pytest.fixture(scope="session")
def network() -> Iterator[Loopback]:
    """Leave the machine's network, if that is allowed."""
    network = Loopback()
    yield network
    network.close()


@pytest.fixture
def bare_desk(
    tmp_path: Path,
    claude_code: ClaudeCode,
    network: Loopback,
    models_folder: Path,
    user_shelf: ModelShelf,
) -> Iterator[Desk]:
    """Make a desk at which nothing is installed yet."""
    desk = Desk(tmp_path / "desk", claude_code, network, models_folder.parent, "shop")
    if user_shelf.lacks(DEFAULT_MODEL):
        # Where nothing can be pulled from, every test would wait to find that out.
        desk.env["AIS_EMBEDDER_MODEL"] = "none"
    yield desk
    desk.leave()


@pytest.fixture
def desk(bare_desk: Desk) -> Desk:
    """Make a desk at which `ais init` was run in the project."""
    bare_desk.ais("init", "--yes")
    return bare_desk


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Name the client, or say loudly that there was none."""
    said = config.stash.get(_SAID, "")
    if said:
        terminalreporter.write_sep("=", f"tests/e2e: {said}", bold=True, yellow="NOT" in said)
