"""Clients from npm, each into a folder of its own in the user's cache, once.

A client is wanted in the version that the tests were written with. If npm has that no more,
its latest is taken, and named.
"""

import fcntl
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

__all__ = ["UnavailableError", "installed"]

FETCH_SECONDS = 300

Found = TypeVar("Found")


class UnavailableError(Exception):
    """A client cannot be had here; the message says why."""


def installed(
    cache: Path,
    package: str,
    known_good: str,
    find: Callable[[Path], Found | None],
) -> Found:
    """Return what `find` finds in the folder of a package, fetched if it is not here yet."""
    name = package.rpartition("/")[2]
    reasons = []
    for wanted in (known_good, "latest"):
        folder = cache / "clients" / f"{name}-{wanted}"
        try:
            with _alone(folder):
                return find(folder) or _fetched(folder, f"{package}@{wanted}", find)
        except UnavailableError as why:
            reasons.append(f"{wanted}: {why}")
    raise UnavailableError("; ".join(reasons))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep the other processes of this test run from installing the same client meanwhile."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetched(folder: Path, wanted: str, find: Callable[[Path], Found | None]) -> Found:
    npm = shutil.which("npm")
    if npm is None:
        msg = "npm is not installed"
        raise UnavailableError(msg)
    folder.mkdir(parents=True, exist_ok=True)
    # Which registry, and by which proxy, is the user's own setting of npm.
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    command = [npm, "install", "--prefix", str(folder), *options, wanted]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=FETCH_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as trouble:
        raise UnavailableError(str(trouble)) from trouble
    if done.returncode:
        last = done.stderr.strip().splitlines()[-3:]
        msg = f"npm could not install {wanted}: {' '.join(last)}"
        raise UnavailableError(msg)
    found = find(folder)
    if found is None:
        msg = f"{wanted} holds no program that runs on this platform"
        raise UnavailableError(msg)
    return found
