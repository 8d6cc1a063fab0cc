"""Read a working tree: the checked-out commit, and its files.

Git's own files are read without starting git, because every capture needs the commit.
"""

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import TypeVar

from ai_smartness.settings.regular_file import read_regular_file

__all__ = ["GitWorktree", "PatientReads"]

MAX_DIGESTED_BYTES = 1 << 20
"""A larger file is no source file, and reading it would delay the capture."""

MAX_REFERENCE_BYTES = 8_192
MAX_PACKED_BYTES = 16 << 20

READ_SECONDS = 2.0
"""How long one file may take: only one on a drive that does not answer takes longer."""

_Result = TypeVar("_Result")

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class GitWorktree:
    """Fulfils the port `Worktree` for a folder that may be a repository.

    Everything in the folder may come from a stranger: pipes, devices and huge files are not read,
    nor is anything outside, and what is no commit's name is no commit.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._reads = PatientReads(READ_SECONDS)

    def head_commit(self) -> str | None:
        return self._reads.result_in_time(lambda: _head_commit(self._root / ".git"))

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
        def read() -> bytes | None:
            file, root = os.fspath(self._root / path), os.fspath(self._root)
            try:
                return read_regular_file(file, MAX_DIGESTED_BYTES, within=root)
            except (OSError, ValueError):
                return None

        return self._reads.result_in_time(read)


class PatientReads:
    """Waits for a read for a limited time; while one hangs, no other is begun."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._hanging: Thread | None = None

    def result_in_time(self, read: Callable[[], _Result | None]) -> _Result | None:
        """Return what the function returns; nothing if it takes too long."""
        if self._hanging is not None and self._hanging.is_alive():
            return None
        results: list[_Result | None] = []
        thread = Thread(target=lambda: results.append(read()), daemon=True)
        thread.start()
        thread.join(self._seconds)
        self._hanging = thread if thread.is_alive() else None
        return results[0] if results else None


def _head_commit(git: Path) -> str | None:
    private = _private_git_folder(git)
    try:
        head = _short_text(private / "HEAD")
        reference = head.removeprefix("ref: ").strip()
        commit = head if reference == head else _resolved_reference(private, reference)
    except (OSError, ValueError):
        return None
    return commit if commit and _COMMIT.fullmatch(commit) else None


def _private_git_folder(git: Path) -> Path:
    """Return the folder that holds this worktree's own HEAD."""
    try:
        line = _short_text(git) if git.is_file() else ""
    except (OSError, ValueError):
        line = ""
    return (git.parent / line.removeprefix("gitdir:").strip()).resolve() if line else git


def _resolved_reference(private: Path, reference: str) -> str | None:
    """Look a branch up among the loose references, then among the packed ones."""
    if not reference.startswith("refs/") or ".." in reference:
        return None
    common = private
    if (private / "commondir").exists():
        common = (private / _short_text(private / "commondir")).resolve()
    for folder in (private, common):
        if (folder / reference).exists():
            return _short_text(folder / reference)
    if not (common / "packed-refs").exists():
        return None
    packed = read_regular_file(os.fspath(common / "packed-refs"), MAX_PACKED_BYTES)
    lines = packed.decode(errors="replace").split("\n")
    return next((line.split()[0] for line in lines if line.endswith(f" {reference}")), None)


def _short_text(path: Path) -> str:
    text = read_regular_file(os.fspath(path), MAX_REFERENCE_BYTES).decode(errors="replace")
    return text.strip()
