"""What a repository says it is: its remote's address, else its first commit, else its path.

Two clones of one repository say the same. It is a suggestion to the user and never more: anybody
can write any address into a `.git/config`. No credentials of an address come out of here.
"""

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from ai_smartness.redact import redacted_text
from ai_smartness.settings.regular_file import read_regular_file

__all__ = ["RepositoryIdentity", "normalized_remote", "repository_identity"]

MAX_CONFIG_BYTES = 1 << 20
GIT_SECONDS = 10
USUAL_PORTS = frozenset({22, 80, 443, 9418})

_SECTION = re.compile(r'\s*\[\s*remote\s+"(.*)"\s*\]', re.IGNORECASE)
_OTHER_SECTION = re.compile(r"\s*\[")
_URL = re.compile(r"\s*url\s*=\s*(.*?)\s*", re.IGNORECASE)
_SCP_ADDRESS = re.compile(r"(?:[^/@]*@)?([^/:@\[\]]+):(?!//)(.+)")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")


class RepositoryIdentity(NamedTuple):
    """The identity, and what it is made of: `remote`, `first commit` or `path`."""

    name: str
    source: str


def repository_identity(root: Path, path_name: str) -> RepositoryIdentity:
    """Return what the repository at a folder says it is."""
    if remote := _remote_name(Path(path_name)) or _remote_name(root):
        return RepositoryIdentity(remote, "remote")
    if commit := _first_commit(root):
        return RepositoryIdentity(f"git:{commit}", "first commit")
    return RepositoryIdentity(path_name, "path")


def normalized_remote(address: str) -> str:
    """Return a remote's host and path, the same for all ways to reach it; nothing for a local one.

    `git@host:a/b.git` and `https://user:token@HOST/a/b` are both `host/a/b`.
    """
    address = address.strip().strip("\"'")
    scp = _SCP_ADDRESS.fullmatch(address)
    if scp and "://" not in address:
        host, port, path = scp[1], None, scp[2]
    else:
        try:
            parts = urlsplit(address)
            host, port, path = parts.hostname or "", parts.port, parts.path
        except ValueError:
            return ""
        if parts.scheme in ("", "file"):
            return ""
    path = re.sub("/+", "/", path.split("?")[0].split("#")[0]).strip("/").removesuffix(".git")
    if not host or not path:
        return ""
    place = host.lower() if port is None or port in USUAL_PORTS else f"{host.lower()}:{port}"
    name = f"{place}/{path}"
    # A token can also stand in the path; such an address is no name for anything.
    return name if redacted_text(name) == name and name.isprintable() else ""


def _remote_name(root: Path) -> str:
    """Return the normalised address of `origin`, or of the first remote that has one."""
    for config in (root / ".git" / "config", root / "config"):
        try:
            text = read_regular_file(os.fspath(config), MAX_CONFIG_BYTES).decode(errors="replace")
        except (OSError, ValueError):
            continue
        names = {remote: normalized_remote(url) for remote, url in _remote_urls(text).items()}
        usable = [names.get("origin", ""), *names.values()]
        return next(filter(None, usable), "")
    return ""


def _remote_urls(text: str) -> dict[str, str]:
    urls: dict[str, str] = {}
    remote = None
    for line in text.split("\n"):
        if section := _SECTION.match(line):
            remote = section[1]
        elif _OTHER_SECTION.match(line):
            remote = None
        elif remote is not None and (url := _URL.fullmatch(line)):
            urls.setdefault(remote, url[1])
    return urls


def _first_commit(root: Path) -> str:
    """Ask git for the first commit, with everything switched off that could run or fetch."""
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": os.environ.get("HOME", ""),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_OPTIONAL_LOCKS": "0",
    }
    command = ["git", "rev-list", "--max-parents=0", "HEAD"]
    try:
        done = subprocess.run(
            command,
            cwd=root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=GIT_SECONDS,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    commits = sorted(line for line in done.stdout.split() if _COMMIT.fullmatch(line))
    return commits[0] if commits else ""
