"""Every format that can be read, by its name."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeAlias

from ai_smartness.adapters.transcripts import (
    claude_code,
    claude_mem,
    codex,
    copilot,
    gemini,
    notes,
    own,
    specstory,
)
from ai_smartness.adapters.transcripts.fields import Fields, loaded, text_of
from ai_smartness.adapters.transcripts.scribe import told_by
from ai_smartness.ports.history import Mark, Piece, Source

__all__ = ["FORMATS", "Format", "format_of"]

SNIFFED_BYTES = 65_536
SNIFFED_LINES = 20

Read: TypeAlias = Callable[[Source, Mark | None, datetime], Iterator[Piece]]
Kept: TypeAlias = Callable[[Path, Mapping[str, str]], list[Path]]


def _nowhere(home: Path, environ: Mapping[str, str]) -> list[Path]:  # noqa: ARG001 - as the others
    return []


def _jsonl(path: Path) -> bool:
    return path.suffix in (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class Format:
    """How files of a format are known and read, and where the client keeps them."""

    name: str
    pieces: Read
    is_one: Callable[[Path], bool]
    kept: Kept = _nowhere
    live: bool = False


FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        Format(
            claude_code.FORMAT,
            partial(told_by, claude_code.ClaudeCode),
            claude_code.is_one,
            claude_code.folders,
            live=True,
        ),
        Format(codex.FORMAT, partial(told_by, codex.Codex), codex.is_one, codex.folders, live=True),
        Format(gemini.FORMAT, gemini.pieces, gemini.is_one, gemini.folders, live=True),
        Format(
            copilot.FORMAT,
            partial(told_by, copilot.Copilot),
            copilot.is_one,
            copilot.folders,
            live=True,
        ),
        Format(specstory.FORMAT, specstory.pieces, specstory.is_one),
        Format(claude_mem.FORMAT, claude_mem.pieces, claude_mem.is_one, claude_mem.files),
        Format(own.FORMAT, partial(told_by, own.Own), _jsonl),
        Format(notes.FORMAT, notes.pieces, notes.is_one),
    )
}


def format_of(path: Path) -> str | None:
    """Name the format of a file by its name and how it begins; nothing if it is none of ours.

    Raise OSError if it cannot be read.
    """
    if claude_mem.is_one(path):
        return claude_mem.FORMAT
    if path.suffix == ".json":
        return gemini.FORMAT if gemini.is_one(path) or "session" in path.name else None
    if not (_jsonl(path) or notes.is_one(path)):
        return None
    with path.open("rb") as file:
        start = file.read(SNIFFED_BYTES)
    if notes.is_one(path):
        theirs = specstory.looks_like(start.decode(errors="replace"))
        return specstory.FORMAT if theirs else notes.FORMAT
    names = (_of_line(loaded(line) or {}) for line in start.splitlines()[:SNIFFED_LINES])
    return next((name for name in names if name), None)


def _of_line(fields: Fields) -> str | None:
    kind = text_of(fields, "type")
    if "payload" in fields and "timestamp" in fields:
        return codex.FORMAT
    if "data" in fields and "." in kind:
        return copilot.FORMAT
    if "projectHash" in fields:
        return gemini.FORMAT
    if "sessionId" in fields or "parentUuid" in fields or "leafUuid" in fields:
        return claude_code.FORMAT
    return own.FORMAT if isinstance(fields.get("text"), str) else None
