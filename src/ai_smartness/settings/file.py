"""A file of settings, read: its tables, and the line each key stands on.

Whatever is in the file, and whatever is in its place, the answer is tables
or an error that names the file.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ai_smartness.model.errors import RefusedError, StoreError

__all__ = ["SettingsFile", "read"]


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """What a file says, and its text as it stands; a file that is not there says nothing."""

    path: Path
    text: str
    tables: Mapping[str, Any]

    @property
    def lines(self) -> dict[tuple[str, str], int]:
        """Find the line each section and key stands on, as far as a glance at each can tell."""
        found: dict[tuple[str, str], int] = {}
        section = ""
        for number, line in enumerate(self.text.split("\n"), start=1):
            if header := HEADER.match(line):
                section = _bare(header["first"])
                found.setdefault((section, _bare(header["second"])), number)
            elif entry := ENTRY.match(line):
                names = [_bare(entry["first"]), _bare(entry["second"])]
                found.setdefault((section, names[0]) if section else (names[0], names[1]), number)
        return found


KEY = r"""[\w-]+|"[^"]*"|'[^']*'"""
NAMES = rf"\s*(?P<first>{KEY})\s*(?:\.\s*(?P<second>{KEY})\s*)?"
HEADER = re.compile(rf"\s*\[{NAMES}\]")
ENTRY = re.compile(rf"{NAMES}=")
LARGEST_BYTES = 65_536
"""A project's file is someone else's: what takes long to read would hold up every command."""


def read(path: Path) -> SettingsFile:
    """Read the file of settings at this path."""
    text = _decoded(path, _contents(path))
    try:
        return SettingsFile(path, text, tomllib.loads(text))
    # Besides its own errors the parser lets through those of Python: a number
    # with too many digits, brackets nested too deep.
    except (ValueError, RecursionError) as wrong:
        msg = (
            f"{path} is not a TOML file: {wrong}. Correct it, or move it away to use the defaults."
        )
        raise RefusedError(msg) from wrong


def _contents(path: Path) -> bytes:
    try:
        if not path.exists():
            return b""
        # A project's file may be a link to /dev/zero, which never ends.
        if not path.is_file():
            msg = f"cannot read the settings in {path}: it is not a file. Move it away."
            raise StoreError(msg)
        if path.stat().st_size > LARGEST_BYTES:
            msg = f"cannot read the settings in {path}: it is larger than {LARGEST_BYTES} bytes."
            raise RefusedError(msg)
        return path.read_bytes()
    except OSError as refused:
        msg = f"cannot read the settings in {path}: {refused.strerror}. Make it readable."
        raise StoreError(msg) from refused


def _decoded(path: Path, contents: bytes) -> str:
    try:
        return contents.decode()
    except UnicodeDecodeError as wrong:
        line = contents.count(b"\n", 0, wrong.start) + 1
        msg = (
            f"{path}:{line} is not UTF-8 text: byte {contents[wrong.start]:#04x}. Save it as UTF-8."
        )
        raise RefusedError(msg) from wrong


def _bare(key: str | None) -> str:
    return (key or "").strip("\"'")
