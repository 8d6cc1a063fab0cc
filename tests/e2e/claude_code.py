"""The real Claude Code, from npm into the user's cache folder, once.

What is run is the native program of the package for this platform: it needs neither Node nor
the package's own installation step. Nothing is installed elsewhere.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from e2e import npm

__all__ = ["ClaudeCode", "installed"]

PACKAGE = "@anthropic-ai/claude-code"

KNOWN_GOOD = "2.1.325"
"""What these tests were written with. If npm has it no more, its latest is taken, and named."""

START_SECONDS = 60


@dataclass(frozen=True, slots=True)
class ClaudeCode:
    """A program that runs, and the version it says it is."""

    program: Path
    version: str


def installed(cache: Path) -> ClaudeCode:
    """Return the client, fetched by npm if it is not here yet."""
    return npm.installed(cache, PACKAGE, KNOWN_GOOD, _found)


def _found(folder: Path) -> ClaudeCode | None:
    for program in sorted(folder.glob(f"node_modules/{PACKAGE}-*/claude")):
        version = _version(program)
        if version:
            return ClaudeCode(program, version)
    return None


def _version(program: Path) -> str | None:
    """Return what a program says it is; nothing if it does not run here."""
    try:
        said = subprocess.run(
            [str(program), "--version"],
            capture_output=True,
            text=True,
            timeout=START_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return said.stdout.split()[0] if said.stdout.split() else None
