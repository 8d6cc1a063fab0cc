"""Which project a folder belongs to.

A project is a repository, with all its worktrees, or else a folder. Read from
git's own files without starting git, because a hook asks this on every call.
"""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["ProjectFolder", "project_at"]


@dataclass(frozen=True, slots=True)
class ProjectFolder:
    """A project's name, the same from all its worktrees, and the root of this one."""

    name: str
    root: Path


def project_at(folder: Path) -> ProjectFolder:
    """Find the project that a folder is in; outside a repository it is the folder itself."""
    folder = folder.resolve()
    for root in (folder, *folder.parents):
        git = root / ".git"
        if git.is_dir():
            return ProjectFolder(str(root), root)
        if git.is_file():
            return ProjectFolder(str(_main_root(git) or root), root)
    return ProjectFolder(str(folder), folder)


def _main_root(pointer: Path) -> Path | None:
    """Follow a worktree's `.git` file to the repository that all worktrees share.

    A submodule has such a file too, but shares nothing: it is a project of its own.
    """
    try:
        line = pointer.read_text(errors="replace").strip()
        private = (pointer.parent / line.removeprefix("gitdir:").strip()).resolve()
        common = (private / (private / "commondir").read_text(errors="replace").strip()).resolve()
    except (OSError, ValueError):
        return None
    return common.parent if common.name == ".git" else common
