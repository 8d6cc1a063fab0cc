"""Notes in markdown: `CLAUDE.md`, `MEMORY.md`, a folder of them, read section by section.

They are kept as a person's own words, so that what states who somebody is, what they prefer or
what was decided is found to do so.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from ai_smartness.adapters.transcripts.document import read_whole
from ai_smartness.adapters.transcripts.folder import worked_in
from ai_smartness.model.event import EventType, Message
from ai_smartness.model.found import EVERYWHERE
from ai_smartness.ports.history import Mark, Piece, Said, Source, Told
from ai_smartness.redact import redacted

__all__ = ["FORMAT", "is_one", "pieces"]

FORMAT = "notes"
LONGEST_SECTION_CHARACTERS = 4_000

_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$")
_FENCE = re.compile(r"^[ \t]*(```|~~~)")
_OPENING = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def is_one(path: Path) -> bool:
    """Say whether a file may be a note."""
    return path.suffix.lower() in (".md", ".markdown")


def pieces(source: Source, since: Mark | None, now: datetime) -> Iterator[Piece]:
    """Read a file of notes."""
    del now
    return read_whole(source, since, _notes)


def _notes(source: Source, text: str) -> tuple[list[Told], dict[str, int]]:
    at = datetime.fromtimestamp(source.changed_ns / 1e9, UTC)
    folder, project = _whose(source.path)
    told: list[Told] = []
    for heading, words in _sections(_OPENING.sub("", text.replace("\r\n", "\n"))):
        whole = f"{heading}\n{words}" if heading else words
        told.append(Said(_message(source.path, heading, whole, at), folder, project))
    return told, {}


def _message(path: Path, heading: str, text: str, at: datetime) -> Message:
    # Before the id is made: one that is made from a secret could be checked against a guess.
    text, heading = redacted(text), redacted(heading)
    made_of = f"{path.absolute()}\0{text}".encode("utf-8", "surrogatepass")
    return Message(
        text=text,
        role="user",
        type=EventType.NOTE,
        source="user",
        session=f"notes {path.name}",
        id=f"note_{hashlib.blake2s(made_of, digest_size=16).hexdigest()}",
        at=at,
        payload={"what": "note", "path": path.name, "heading": heading},
    )


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Return what stands under each heading; what is long in several parts."""
    heading, lines, fenced = "", list[str](), False
    for line in text.splitlines():
        fenced ^= bool(_FENCE.match(line))
        found = None if fenced else _HEADING.match(line)
        if found is None:
            lines.append(line)
            continue
        yield from _parts(heading, lines)
        heading, lines = found[1], []
    yield from _parts(heading, lines)


def _parts(heading: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    part, room = list[str](), LONGEST_SECTION_CHARACTERS
    for line in lines:
        room -= len(line) + 1
        if room < 0 and part:
            yield from _worded(heading, part)
            part, room = [], LONGEST_SECTION_CHARACTERS - len(line)
        part.append(line)
    yield from _worded(heading, part)


def _worded(heading: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    words = "\n".join(lines).strip()
    if words:
        yield heading, words


def _whose(path: Path) -> tuple[str, str]:
    """Return the folder and the project that notes are of; what stands for all projects is `*`."""
    folder = path.absolute().parent
    if os.path.isdir(folder / "projects"):  # noqa: PTH112 - `Path` raises where it may not look
        return "", EVERYWHERE
    if folder.name == "memory" and folder.parent.parent.name == "projects":
        named = (worked_in(each) for each in sorted(folder.parent.glob("*.jsonl")))
        return next((each for each in named if each), str(folder.parent)), ""
    return str(folder.parent if folder.name == ".claude" else folder), ""
