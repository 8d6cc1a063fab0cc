"""The coding agent's client on this machine: which it is, and where its settings are."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ai_smartness.entrypoints.installing.entries import (
    NEWEST,
    VIRTUAL_READS,
    Groups,
    Program,
    Version,
    hooks,
)
from ai_smartness.entrypoints.installing.server import Server, server
from ai_smartness.model.errors import RefusedError

__all__ = [
    "Client",
    "client",
    "config_folder",
    "our_hooks",
    "our_server",
    "project_settings",
    "shared_settings",
    "user_settings",
]

PATIENCE_SECONDS = 20
"""Some versions are started by Node, on a cold disk."""

BESIDE_THE_PATH = ("~/.local/bin", "~/.claude/local")
"""Where the client installs itself, and a shell finds it by an alias."""

MAIN = Path(__file__).parents[1] / "hooks" / "main.py"


@dataclass(frozen=True, slots=True)
class Client:
    """A client that was found, or none: then the newest is provided for."""

    path: str | None
    version: Version | None
    trouble: str = ""

    @property
    def taken_for(self) -> Version:
        """Return the version to write settings for."""
        return self.version or NEWEST

    def __str__(self) -> str:
        if self.path is None:
            return f"no Claude Code found; provided for {NEWEST} and later"
        if self.version is None:
            return f"{self.path}: {self.trouble}; provided for {NEWEST} and later"
        return f"Claude Code {self.version}, {self.path}"

    @property
    def lacking(self) -> str:
        """Say what a client of this age cannot do; nothing if it can do all."""
        if self.taken_for >= VIRTUAL_READS:
            return ""
        return (
            f"Claude Code {self.version} cannot answer reads of .ai/…: {VIRTUAL_READS} is needed. "
            "Update it, then run `ais init` again."
        )


def client(environ: Mapping[str, str]) -> Client:
    """Find the client: the one on the PATH, or what AIS_CLAUDE names (nothing: none)."""
    named = environ.get("AIS_CLAUDE")
    if named is None:
        ways = [environ.get("PATH"), *map(os.path.expanduser, BESIDE_THE_PATH)]
        paths = [found for way in ways if (found := shutil.which("claude", path=way))]
        return _asked(paths[:1]) if paths else Client(None, None)
    return _asked(shlex.split(named)) if named.strip() else Client(None, None)


def _asked(command: list[str]) -> Client:
    try:
        done = subprocess.run(  # noqa: S603 - the client that the user starts by this name
            [*command, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as mute:
        return Client(shlex.join(command), None, f"it did not start ({mute})")
    version = Version.read(done.stdout)
    trouble = "" if version else "it does not say which version it is"
    return Client(shlex.join(command), version, trouble)


def our_hooks(home: Path, version: Version) -> Groups:
    """Return the hooks of this installation for a memory, for a client of this version."""
    return hooks(Program(sys.executable, str(MAIN), str(home)), version)


def our_server(home: Path) -> Server:
    """Return the server of this installation for a memory, as a client registers it."""
    return server(Program(sys.executable, str(MAIN), str(home)))


def project_settings(root: Path) -> Path:
    """Name the file of the project that is never committed: our hooks name folders of yours."""
    return root / ".claude" / "settings.local.json"


def shared_settings(root: Path) -> Path:
    """Name the file of the project that is committed, which we read and never write."""
    return root / ".claude" / "settings.json"


def user_settings(environ: Mapping[str, str]) -> Path:
    """Name the file that holds for all projects."""
    return config_folder(environ) / "settings.json"


def config_folder(environ: Mapping[str, str]) -> Path:
    """Name the folder in which the client keeps what is its user's."""
    folder = environ.get("CLAUDE_CONFIG_DIR")
    try:
        return (Path(folder) if folder else Path("~/.claude")).expanduser().absolute()
    except RuntimeError as homeless:
        msg = "cannot find your ~/.claude: you have no home here. Name it with CLAUDE_CONFIG_DIR."
        raise RefusedError(msg) from homeless


def is_git_ignored(path: Path) -> bool | None:
    """Say whether git leaves a file alone; None where there is no git to ask."""
    try:
        asked = ["git", "-C", str(path.parent.parent), "check-ignore", "-q", str(path)]
        done = subprocess.run(asked, capture_output=True, check=False, env=_without_git())  # noqa: S603 - a path of ours
    except OSError:
        return None
    return {0: True, 1: False}.get(done.returncode)


def _without_git() -> dict[str, str]:
    # In a git hook these would name another repository than the one the path is in.
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
