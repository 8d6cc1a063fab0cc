"""Read a working tree: the checked-out commit, and its files.

Git's own files are read without starting git, because every capture needs the commit.
"""

import hashlib
from pathlib import Path

__all__ = ["GitWorktree"]

MAX_DIGESTED_BYTES = 1 << 20
"""A larger file is no source file, and reading it would delay the capture."""


class GitWorktree:
    """Fulfils the port `Worktree` for a folder that may be a repository."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def head_commit(self) -> str | None:
        private = _private_git_folder(self._root / ".git")
        try:
            head = (private / "HEAD").read_text(errors="replace").strip()
            reference = head.removeprefix("ref: ")
            return head if reference == head else _resolved_reference(private, reference)
        except OSError:
            return None

    def file_digest(self, path: str) -> str | None:
        content = self._file_content(path)
        if content is None:
            return None
        header = b"blob %d\0" % len(content)
        return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()

    def file_text(self, path: str) -> str | None:
        """Return the text of a project file, if it is a text file."""
        content = self._file_content(path)
        if content is None or b"\0" in content:
            return None
        return content.decode(errors="replace")

    def _file_content(self, path: str) -> bytes | None:
        try:
            file = (self._root / path).resolve()
            if not file.is_relative_to(self._root) or file.stat().st_size > MAX_DIGESTED_BYTES:
                return None
            return file.read_bytes()
        except (OSError, ValueError):
            return None


def _private_git_folder(git: Path) -> Path:
    """Return the folder that holds this worktree's own HEAD."""
    try:
        line = git.read_text(errors="replace").strip() if git.is_file() else ""
    except OSError:
        line = ""
    return (git.parent / line.removeprefix("gitdir:").strip()).resolve() if line else git


def _resolved_reference(private: Path, reference: str) -> str | None:
    """Look a branch up among the loose references, then among the packed ones."""
    pointer = private / "commondir"
    common = (private / pointer.read_text().strip()).resolve() if pointer.exists() else private
    for folder in (private, common):
        if (folder / reference).is_file():
            return (folder / reference).read_text().strip()
    packed = common / "packed-refs"
    lines = packed.read_text(errors="replace").splitlines() if packed.exists() else []
    return next((line.split()[0] for line in lines if line.endswith(f" {reference}")), None)
