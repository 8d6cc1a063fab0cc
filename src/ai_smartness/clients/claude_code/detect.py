"""Find Claude Code on this machine, and say what its version can do."""

from collections.abc import Mapping
from dataclasses import dataclass

from ai_smartness.clients.claude_code.hooks import NEWEST_TESTED, VIRTUAL_READS_SINCE
from ai_smartness.clients.installed_program import ClientVersion, InstalledProgram, find_program

__all__ = ["InstalledClient", "find_client"]

EXTRA_BIN_FOLDERS = ("~/.local/bin", "~/.claude/local")
"""The client installs itself there, where a shell finds it by an alias."""


@dataclass(frozen=True, slots=True)
class InstalledClient(InstalledProgram):
    """The client on this machine; without one, the newest version is assumed."""

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
    program = find_program("claude", environ, "AIS_CLAUDE", EXTRA_BIN_FOLDERS)
    return InstalledClient(program.path, program.version, program.trouble)
