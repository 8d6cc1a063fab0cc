"""A site at which servers of tools are started by other clients than Claude Code.

Nothing keeps a daemon from being started here: the first call starts one, as at a user's.
"""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ai_smartness.entrypoints.daemon.client import NoDaemonError
from daemons import asked
from e2e.processes import at_work, ended
from mcp_serving import Site

__all__ = ["LONG", "TOLD", "UNICODE", "a_site", "leave_midway", "start_daemon"]

TOLD = {
    "keys": "the JWT signing keys live in vault, see config/jwt_keys.yaml",
    "logo": "the login page needs a bigger logo in the header",
}

UNICODE = "Größe der 数据库: 3 Knoten 🦀, \"quoted\" & 'x' = <y>"

LONG = "the deployment checklist, step by step. " * 2_500
"""A hundred kilobytes."""

END_SECONDS = 30


@contextmanager
def a_site(folder: Path) -> Iterator[Site]:
    """Make a project whose memory was told two things; nobody is left when it is given up."""
    site = Site(folder / "home", folder / "code" / "demo")
    (site.project / ".git").mkdir(parents=True)
    site.go_without_model()
    site.told(**TOLD)
    try:
        yield site
    finally:
        _leave(folder)


def start_daemon(site: Site) -> None:
    """Start the daemon, or wait until the one that starts answers."""
    command = site.command()[:-1]
    subprocess.run(
        [*command, "daemon", "start"],
        env=site.environment,
        cwd=site.project,
        check=True,
        capture_output=True,
        timeout=END_SECONDS,
    )


def leave_midway(client: "subprocess.Popen[bytes]", site: Site) -> None:
    """Kill a client once it has a server, and wait until the server is gone by itself."""
    while not (servers := at_work(site.home, "mcp")):
        assert client.poll() is None, "the client ended before it had a server"
    client.kill()
    client.wait(END_SECONDS)
    assert all(ended(each, END_SECONDS) for each in servers)


def _leave(folder: Path) -> None:
    """End the daemon, and find that nobody else is left."""
    patience = time.monotonic() + END_SECONDS
    while left := at_work(folder):
        assert not at_work(folder, "mcp"), "a server is left when its client is gone"
        # One that was just started does not listen yet: it is asked again.
        with suppress(NoDaemonError):
            asked(folder / "home", "stop")
        ended(left[0], 0.1)
        if time.monotonic() > patience:
            for pid in left:
                os.kill(pid, 9)
            msg = f"still running when the test was over: {left}"
            raise AssertionError(msg)
