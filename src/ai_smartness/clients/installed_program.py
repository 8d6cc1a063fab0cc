"""Find a client's program on this machine, and ask it for its version."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["ClientVersion", "InstalledProgram", "client_home", "find_program"]

VERSION_TIMEOUT_SECONDS = 20  # some programs are started by Node, on a cold disk


class ClientVersion(NamedTuple):
    """A version of the client."""

    major: int
    minor: int
    patch: int

    @classmethod
    def read(cls, output: str) -> "ClientVersion | None":
        """Find a version in the output of `--version`."""
        match = re.search(r"(\d+)\.(\d+)\.(\d+)", output)
        return cls(*(int(part) for part in match.groups())) if match else None

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


@dataclass(frozen=True, slots=True)
class InstalledProgram:
    """A client's program: where it is and which version it says it is; no path, no program."""

    path: str | None
    version: ClientVersion | None
    trouble: str = ""

    @property
    def command(self) -> list[str]:
        """The words that start the program."""
        return shlex.split(self.path or "")


def client_home(environ: Mapping[str, str]) -> Path:
    """Name the folder below which clients keep their files: the user's home, or another one."""
    return Path(environ.get("AIS_CLIENTS_HOME") or os.path.expanduser("~")).absolute()


def find_program(
    name: str, environ: Mapping[str, str], variable: str, folders: Sequence[str] = ()
) -> InstalledProgram:
    """Find a program on the PATH or in other folders, or the one that a variable names.

    If the variable is empty, there is none.
    """
    command = environ.get(variable)
    if command is not None:
        words = shlex.split(command)
        return _found_program(words) if words else InstalledProgram(None, None)
    for folder in (environ.get("PATH"), *map(os.path.expanduser, folders)):
        path = shutil.which(name, path=folder)
        if path:
            return _found_program([path])
    return InstalledProgram(None, None)


def _found_program(command: list[str]) -> InstalledProgram:
    try:
        changed_ns = os.stat(command[0]).st_mtime_ns
    except OSError:
        changed_ns = 0
    return _queried_program(tuple(command), changed_ns)


@cache
def _queried_program(command: tuple[str, ...], _changed_ns: int) -> InstalledProgram:
    """Ask a program for its version, once: some take seconds, or tidy their settings meanwhile."""
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
        return InstalledProgram(shlex.join(command), None, f"it did not start ({error})")
    version = ClientVersion.read(done.stdout)
    trouble = "" if version else "it does not say which version it is"
    return InstalledProgram(shlex.join(command), version, trouble)
