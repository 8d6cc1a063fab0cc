"""The MCP Inspector's command line, from npm into the user's cache folder, once.

It is a client of the protocol by others than us: it starts a server, asks it one thing, and
prints the answer as it came.
"""

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e import npm

__all__ = ["Inspector", "installed"]

PACKAGE = "@modelcontextprotocol/inspector-cli"

KNOWN_GOOD = "0.15.0"
"""What these tests were written with; later ones need a newer Node than some have."""

PATIENCE_SECONDS = 90


@dataclass(frozen=True, slots=True)
class Inspector:
    """A program that Node runs, and its version."""

    node: str
    script: Path
    version: str

    def asked(
        self,
        server: Sequence[str],
        method: str,
        *options: str,
        cwd: Path,
        env: Mapping[str, str],
    ) -> dict[str, Any]:
        """Have it start a server and ask one thing; return what the server answered."""
        done = self.ran(server, method, *options, cwd=cwd, env=env)
        assert not done.returncode, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def ran(
        self,
        server: Sequence[str],
        method: str,
        *options: str,
        cwd: Path,
        env: Mapping[str, str],
    ) -> "subprocess.CompletedProcess[str]":
        """Have it start a server and ask one thing, whatever comes of it."""
        return subprocess.run(
            self.command(server, method, *options),
            cwd=cwd,
            env=dict(env),
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )

    def command(self, server: Sequence[str], method: str, *options: str) -> list[str]:
        """Return the command that starts a server and asks one thing."""
        program, *others = server
        # Behind the dashes: the options of the server are not taken for its own.
        mine = [self.node, str(self.script), program]
        return [*mine, "--method", method, *options, "--", *others]


def installed(cache: Path) -> Inspector:
    """Return the client, fetched by npm if it is not here yet."""
    return npm.installed(cache, PACKAGE, KNOWN_GOOD, _found)


def _found(folder: Path) -> Inspector | None:
    package = folder / "node_modules" / PACKAGE
    node, script = shutil.which("node"), package / "build" / "index.js"
    if node is None or not script.is_file():
        return None
    said = json.loads((package / "package.json").read_text(encoding="utf-8"))
    return Inspector(node, script, str(said["version"]))
