"""Find the project that a folder belongs to: a repository with all its worktrees, or the folder.

A folder belongs to another one's project only if that repository lists it as a worktree: what an
unpacked archive says about itself is not enough. Whatever the path says, the user can link folders
to one project. The hook asks this for every event, so git is not started and `pathlib` is not
imported.
"""

import os
from stat import S_ISREG

from ai_smartness.clients.project_links import read_links
from ai_smartness.settings.regular_file import read_regular_file

__all__ = ["Project", "path_in_project", "project_at", "project_by_path", "project_number"]

MAX_POINTER_BYTES = 8_192  # a path has 4,096 at most


class Project:
    """A project's name, the same from all its worktrees, and the root of this one.

    `path` is the name that the project has by its path alone, without the user's links.
    """

    __slots__ = ("name", "path", "root")

    def __init__(self, name: str, root: str) -> None:
        # A folder's name may be any bytes; the store takes text.
        self.name = self.path = name.encode(errors="backslashreplace").decode()
        self.root = root


def project_at(folder: str, home: str) -> Project:
    """Find the project that a folder is in, with the links in the memory's home.

    Everybody who needs the name of a folder's project asks here.
    """
    project = project_by_path(folder)
    project.name = read_links(home).get(project.path, project.path)
    return project


def project_by_path(folder: str) -> Project:
    """Find the project of a folder by its path: its repository, or else the folder itself."""
    folder = os.path.realpath(folder)
    owners = _accepted_owners(folder)
    root = folder
    while True:
        git = os.path.join(root, ".git")
        owner, is_pointer = _git_status(git)
        if owner in owners:
            return Project((_listing_repository(git, owner) if is_pointer else "") or root, root)
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
    whole = os.path.normpath(os.path.join(cwd, path.replace("\0", "")))
    prefix = root.rstrip("/") + "/"
    inside = (path for path in (whole, os.path.realpath(whole)) if path.startswith(prefix))
    return next((path.removeprefix(prefix) for path in inside), whole)


def _accepted_owners(folder: str) -> "set[int]":
    """Return who may own the repository of a folder: this user, or the folder's own owner.

    Anybody can put a `.git` into /tmp, above the folders of others.
    """
    try:
        return {os.getuid(), os.stat(folder).st_uid}
    except OSError:
        return {os.getuid()}


def _git_status(git: str) -> "tuple[int, bool]":
    """Return the owner of a `.git`, -1 if there is none, and whether it is a worktree's file."""
    try:
        status = os.lstat(git)
    except OSError:
        return -1, False
    is_pointer = S_ISREG(status.st_mode)
    # A link is not followed: it would say about this folder what is true of another one.
    is_repository = is_pointer or os.path.isdir(git) or os.path.isfile(git)
    return (status.st_uid if is_repository else -1), is_pointer


def _listing_repository(pointer: str, owner: int) -> str:
    """Return the repository that lists this `.git` file among its worktrees; empty if none does."""
    root = os.path.dirname(pointer)
    try:
        private = _pointed_path(root, pointer, "gitdir:")
        common = _pointed_path(private, os.path.join(private, "commondir"))
        back = os.path.join(private, _pointer_line(os.path.join(private, "gitdir")))
        is_listed = (
            os.path.dirname(private) == os.path.join(common, "worktrees")
            and os.path.basename(back) == ".git"
            and os.path.realpath(os.path.dirname(back)) == root
            and os.stat(common).st_uid == owner
        )
    except (OSError, ValueError):
        return ""
    if not is_listed:
        return ""
    return os.path.dirname(common) if os.path.basename(common) == ".git" else common


def _pointed_path(folder: str, pointer: str, prefix: str = "") -> str:
    line = _pointer_line(pointer).removeprefix(prefix).strip()
    return os.path.realpath(os.path.join(folder, line))


def _pointer_line(path: str) -> str:
    return read_regular_file(path, MAX_POINTER_BYTES).decode("utf-8", "replace").strip()
