"""A folder that pages are written to again and again, and that somebody else may write to too.

A list beside them says which files are ours and how we left them. What is not in it, and
what was changed since, is never touched.
"""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ai_smartness.model.errors import StoreError

__all__ = ["Folder", "Written"]

LIST = ".ais-export.json"
ENDING = ".md"


class Written(NamedTuple):
    """What became of the pages."""

    written: int
    unchanged: int
    removed: int
    edited: tuple[Path, ...]


class Folder:
    """A folder of pages, some of them ours."""

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_dir():
            msg = f"cannot write pages to {path}: it is a file. Name a folder."
            raise StoreError(msg)
        self._path = path
        self._before = _listed(path / LIST)
        self._now: dict[str, str] = {}
        self._written = self._unchanged = 0
        self._edited: list[Path] = []

    @property
    def taken(self) -> list[str]:
        """The names of pages that are not ours."""
        ours = {self._path / each for each in self._before}
        return [each.stem for each in self._path.glob(f"**/*{ENDING}") if each not in ours]

    def write(self, folder: str, name: str, text: str) -> None:
        """Write a page, unless it is as it was, or somebody changed it."""
        place = f"{folder}/{name}{ENDING}" if folder else f"{name}{ENDING}"
        path, content = self._path / place, text.encode(errors="replace")
        there, wanted = _digest(path), _hash(content)
        self._now[place] = wanted
        if there == wanted:
            self._unchanged += 1
        elif there is not None and there != self._before.get(place):
            self._now[place] = self._before.get(place, "")
            self._edited.append(path)
        else:
            _put(path, content)
            self._written += 1

    def finish(self) -> Written:
        """Remove the pages that are no more, and keep the list of those that are."""
        removed = 0
        for place in self._before.keys() - self._now.keys():
            path = self._path / place
            there = _digest(path)
            if there is not None and there != self._before[place]:
                self._edited.append(path)
            elif there is not None:
                path.unlink()
                removed += 1
                with suppress(OSError):
                    # Only where nothing is left in it.
                    path.parent.rmdir()
        _put(self._path / LIST, json.dumps(self._now, ensure_ascii=False, indent=1).encode())
        return Written(self._written, self._unchanged, removed, tuple(sorted(self._edited)))


def _listed(path: Path) -> dict[str, str]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    inside = found.items() if isinstance(found, dict) else ()
    # Somebody may have changed it: no file outside the folder is ours.
    return {
        str(place): str(digest)
        for place, digest in inside
        if not Path(place).is_absolute() and ".." not in Path(place).parts
    }


def _put(path: Path, content: bytes) -> None:
    partial = path.with_name(f".ais-{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(partial, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        msg = f"cannot write {path}: {error.strerror}. What was written before it is there."
        raise StoreError(msg) from error


def _digest(path: Path) -> str | None:
    try:
        return _hash(path.read_bytes())
    except FileNotFoundError:
        return None


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
