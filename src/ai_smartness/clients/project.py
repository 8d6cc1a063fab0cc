"""Find the project that a folder belongs to: a repository with all its worktrees, or the folder.

The hook asks this for every event, so git is not started and `pathlib` is not imported.
"""

import os

__all__ = ["Project", "path_in_project", "project_at", "project_number"]


class Project:
    """A project's name, the same from all its worktrees, and the root of this one."""

    __slots__ = ("name", "root")

    def __init__(self, name: str, root: str) -> None:
        # A folder's name may be any bytes; the store takes text.
        self.name = name.encode(errors="backslashreplace").decode()
        self.root = root


def project_at(folder: str) -> Project:
    """Find the project that a folder is in; outside a repository it is the folder itself."""
    folder = os.path.realpath(folder)
    root = folder
    while True:
        git = os.path.join(root, ".git")
        if os.path.isdir(git):
            return Project(root, root)
        if os.path.isfile(git):
            return Project(_main_root(git) or root, root)
        above = os.path.dirname(root)
        if above == root:
            return Project(folder, folder)
        root = above


def project_number(name: str) -> int:
    """Return a number that stands for a project in a log, which need not name it."""
    from _blake2 import blake2s

    digest = blake2s(name.encode("utf-8", "surrogatepass"), digest_size=6).digest()
    return int.from_bytes(digest)


def path_in_project(root: str, cwd: str, path: str) -> str:
    """Return a path as seen from the project's root; one outside of it is absolute."""
    whole = os.path.normpath(os.path.join(cwd, path))
    prefix = root.rstrip("/") + "/"
    inside = (path for path in (whole, os.path.realpath(whole)) if path.startswith(prefix))
    return next((path.removeprefix(prefix) for path in inside), whole)


def _main_root(pointer: str) -> str:
    """Follow a worktree's `.git` file to the repository that all worktrees share."""
    try:
        private = _followed_pointer(os.path.dirname(pointer), pointer, "gitdir:")
        common = _followed_pointer(private, os.path.join(private, "commondir"))
    except (OSError, ValueError):
        return ""
    return os.path.dirname(common) if os.path.basename(common) == ".git" else common


def _followed_pointer(folder: str, pointer: str, prefix: str = "") -> str:
    with open(pointer, encoding="utf-8", errors="replace") as file:
        line = file.read().strip()
    return os.path.realpath(os.path.join(folder, line.removeprefix(prefix).strip()))
