"""The real Claude Code, from npm into the user's cache folder, once.

What is run is the native program of the package for this platform: it needs neither Node nor
the package's own installation step. Nothing is installed elsewhere.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ClaudeCode", "UnavailableError", "installed"]

PACKAGE = "@anthropic-ai/claude-code"

KNOWN_GOOD = "2.1.325"
"""What these tests were written with. If npm has it no more, its latest is taken, and named."""

FETCH_SECONDS = 300
START_SECONDS = 60


class UnavailableError(Exception):
    """Claude Code cannot be had here; the message says why."""


@dataclass(frozen=True, slots=True)
class ClaudeCode:
    """A program that runs, and the version it says it is."""

    program: Path
    version: str


def installed(cache: Path) -> ClaudeCode:
    """Return the client, fetched by npm if it is not here yet."""
    reasons = []
    for wanted in (KNOWN_GOOD, "latest"):
        folder = cache / "clients" / f"claude-code-{wanted}"
        try:
            return _found(folder) or _fetched(folder, wanted)
        except UnavailableError as why:
            reasons.append(f"{wanted}: {why}")
    raise UnavailableError("; ".join(reasons))


def _fetched(folder: Path, wanted: str) -> ClaudeCode:
    npm = shutil.which("npm")
    if npm is None:
        msg = "npm is not installed"
        raise UnavailableError(msg)
    folder.mkdir(parents=True, exist_ok=True)
    # Which registry, and by which proxy, is the user's own setting of npm.
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    command = [npm, "install", "--prefix", str(folder), *options, f"{PACKAGE}@{wanted}"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as trouble:
        raise UnavailableError(str(trouble)) from trouble
    if done.returncode:
        last = done.stderr.strip().splitlines()[-3:]
        msg = f"npm could not install {PACKAGE}@{wanted}: {' '.join(last)}"
        raise UnavailableError(msg)
    found = _found(folder)
    if found is None:
        msg = f"{PACKAGE}@{wanted} holds no program that runs on this platform"
        raise UnavailableError(msg)
    return found


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
