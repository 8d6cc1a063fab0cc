"""Find Claude Code on this machine, and ask for its version."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from ai_smartness.clients.claude_code.hooks import NEWEST_TESTED, VIRTUAL_READS_SINCE, ClientVersion

__all__ = ["InstalledClient", "find_client"]

VERSION_TIMEOUT_SECONDS = 20  # some versions are started by Node, on a cold disk

EXTRA_BIN_FOLDERS = ("~/.local/bin", "~/.claude/local")
"""The client installs itself there, where a shell finds it by an alias."""


@dataclass(frozen=True, slots=True)
class InstalledClient:
    """The client on this machine; without one, the newest version is assumed."""

    path: str | None
    version: ClientVersion | None
    trouble: str = ""

    @property
    def assumed_version(self) -> ClientVersion:
        """Return the version to write settings for."""
        return self.version or NEWEST_TESTED

    def __str__(self) -> str:
        if self.path is None:
            return f"no Claude Code found; set up for {NEWEST_TESTED} and later"
        if self.version is None:
            return f"{self.path}: {self.trouble}; set up for {NEWEST_TESTED} and later"
        return f"Claude Code {self.version}, {self.path}"

    @property
    def version_warning(self) -> str:
        """Say what a client of this version cannot do; empty if it can do everything."""
        if self.assumed_version >= VIRTUAL_READS_SINCE:
            return ""
        return (
            f"Claude Code {self.version} cannot answer reads of .ai/…: {VIRTUAL_READS_SINCE} is "
            "needed. Update it, then run `ais init` again."
        )


def find_client(environ: Mapping[str, str]) -> InstalledClient:
    """Find the client on the PATH, or the one that AIS_CLAUDE names (if empty: none)."""
    command = environ.get("AIS_CLAUDE")
    if command is not None:
        words = shlex.split(command)
        return _queried_client(words) if words else InstalledClient(None, None)
    for folders in (environ.get("PATH"), *map(os.path.expanduser, EXTRA_BIN_FOLDERS)):
        path = shutil.which("claude", path=folders)
        if path:
            return _queried_client([path])
    return InstalledClient(None, None)


def _queried_client(command: list[str]) -> InstalledClient:
    try:
        done = subprocess.run(  # noqa: S603 - the client that the user starts by this name
            [*command, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=VERSION_TIMEOUT_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return InstalledClient(shlex.join(command), None, f"it did not start ({error})")
    version = ClientVersion.read(done.stdout)
    trouble = "" if version else "it does not say which version it is"
    return InstalledClient(shlex.join(command), version, trouble)
