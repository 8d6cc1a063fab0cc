"""What the tests with the real client share: the client, a network of its own, a site."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

from ai_smartness.adapters.embedders.model_cache import ModelCache
from ai_smartness.adapters.embedders.model_catalogue import DEFAULT_MODEL
from e2e import claude_code as claude
from e2e import inspector as inspecting
from e2e import other_clients
from e2e.claude_code import ClaudeCode
from e2e.inspector import Inspector
from e2e.loopback import Loopback
from e2e.npm import UnavailableError
from e2e.other_clients import OtherClient, OtherSite
from e2e.site import Site

_SAID = pytest.StashKey[list[str]]()


@pytest.fixture(scope="session")
def claude_code(models_folder: Path, pytestconfig: pytest.Config) -> ClaudeCode:
    """Find the client, or skip every test that needs it and say so at the end."""
    try:
        client = claude.installed(models_folder.parent)
    except UnavailableError as why:
        _skip(pytestconfig, claude.PACKAGE, why)
    _tested(pytestconfig, "Claude Code", client.version, claude.KNOWN_GOOD)
    return client


@pytest.fixture(scope="session")
def inspector(models_folder: Path, pytestconfig: pytest.Config) -> Inspector:
    """Find the MCP Inspector, or skip every test that needs it and say so at the end."""
    try:
        client = inspecting.installed(models_folder.parent)
    except UnavailableError as why:
        _skip(pytestconfig, inspecting.PACKAGE, why)
    _tested(pytestconfig, "the MCP Inspector", client.version, inspecting.KNOWN_GOOD)
    return client


@pytest.fixture(scope="session")
def network() -> Iterator[Loopback]:
    """Leave the machine's network, if that is allowed."""
    network = Loopback()
    yield network
    network.close()


@pytest.fixture
def bare_site(
    tmp_path: Path,
    claude_code: ClaudeCode,
    network: Loopback,
    models_folder: Path,
    user_shelf: ModelCache,
) -> Iterator[Site]:
    """Make a site at which nothing is installed yet."""
    site = Site(tmp_path / "site", claude_code, network, models_folder.parent, "shop")
    if user_shelf.is_unpulled(DEFAULT_MODEL):
        # Where nothing can be pulled from, every test would wait to find that out.
        site.memory.mkdir(mode=0o700)
        (site.memory / "config.toml").write_text('[embedder]\nmodel = "none"\n')
    yield site
    site.leave()


@pytest.fixture(scope="session")
def other_client(models_folder: Path, pytestconfig: pytest.Config) -> Callable[[str], OtherClient]:
    """Find one of the other clients, or skip the test that needs it and say so at the end."""

    @cache
    def find(name: str) -> OtherClient | UnavailableError:
        try:
            client = other_clients.installed(name, models_folder.parent)
        except UnavailableError as why:
            return why
        _tested(pytestconfig, name, client.version, client.recipe.known_good)
        return client

    def found(name: str) -> OtherClient:
        client = find(name)
        if isinstance(client, UnavailableError):
            _skip(pytestconfig, other_clients.CLIENTS[name].package, client)
        return client

    return found


@pytest.fixture
def other_site(
    tmp_path: Path,
    claude_code: ClaudeCode,
    network: Loopback,
    models_folder: Path,
    user_shelf: ModelCache,
) -> Iterator[OtherSite]:
    """Make a site for other clients, at which nothing is installed yet."""
    site = OtherSite(tmp_path / "site", claude_code, network, models_folder.parent, "shop")
    if user_shelf.is_unpulled(DEFAULT_MODEL):
        site.env["AIS_EMBEDDER_MODEL"] = "none"
    yield site
    site.leave()


@pytest.fixture
def site(bare_site: Site) -> Site:
    """Make a site at which `ais init` was run in the project."""
    bare_site.ais("init", "--yes")
    return bare_site


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter,
    config: pytest.Config,
) -> None:
    """Name each client, or say loudly that there was none."""
    for said in config.stash.get(_SAID, []):
        terminalreporter.write_sep("=", f"tests/e2e: {said}", bold=True, yellow="NOT" in said)


def _tested(config: pytest.Config, client: str, version: str, known_good: str) -> None:
    known = "" if version == known_good else f", though {known_good} was asked for"
    config.stash.setdefault(_SAID, []).append(f"tested with {client} {version}{known}")


def _skip(config: pytest.Config, package: str, why: UnavailableError) -> NoReturn:
    said = f"NOT TESTED with a real client: {package} is missing: {why}"
    config.stash.setdefault(_SAID, []).append(said)
    pytest.skip(f"{package} cannot be had: {why}")
