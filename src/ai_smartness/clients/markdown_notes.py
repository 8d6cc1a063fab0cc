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

from ai_smartness.clients.transcript_reader import TranscriptFormat, read_document, session_folder
from ai_smartness.model.event import EventType, Message
from ai_smartness.model.search import USER_PROJECT
from ai_smartness.ports.transfer import (
    ImportedMessage,
    ImportMark,
    TranscriptChunk,
    TranscriptFile,
    TranscriptItem,
)
from ai_smartness.redact import redacted_text

__all__ = ["FORMAT", "READER", "is_markdown"]

FORMAT = "notes"
MAX_SECTION_CHARACTERS = 4_000

_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$")
_FENCE = re.compile(r"^[ \t]*(```|~~~)")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def is_markdown(path: Path) -> bool:
    """Say whether a file may be a note."""
    return path.suffix.lower() in (".md", ".markdown")


def read_chunks(
    source: TranscriptFile, since: ImportMark | None, now: datetime
) -> Iterator[TranscriptChunk]:
    """Read a file of notes."""
    del now
    return read_document(source, since, _read_notes)


def _read_notes(source: TranscriptFile, text: str) -> tuple[list[TranscriptItem], dict[str, int]]:
    at = datetime.fromtimestamp(source.changed_ns / 1e9, UTC)
    folder, project = _note_owner(source.path)
    told: list[TranscriptItem] = []
    for heading, words in _markdown_sections(_FRONT_MATTER.sub("", text.replace("\r\n", "\n"))):
        whole = f"{heading}\n{words}" if heading else words
        told.append(
            ImportedMessage(_note_message(source.path, heading, whole, at), folder, project)
        )
    return told, {}


def _note_message(path: Path, heading: str, text: str, at: datetime) -> Message:
    # Before the id is made: one that is made from a secret could be checked against a guess.
    text, heading = redacted_text(text), redacted_text(heading)
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


def _markdown_sections(text: str) -> Iterator[tuple[str, str]]:
    """Return what stands under each heading; what is long in several parts."""
    heading, lines, fenced = "", list[str](), False
    for line in text.splitlines():
        fenced ^= bool(_FENCE.match(line))
        found = None if fenced else _HEADING.match(line)
        if found is None:
            lines.append(line)
            continue
        yield from _section_parts(heading, lines)
        heading, lines = found[1], []
    yield from _section_parts(heading, lines)


def _section_parts(heading: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    part, room = list[str](), MAX_SECTION_CHARACTERS
    for line in lines:
        room -= len(line) + 1
        if room < 0 and part:
            yield from _nonempty_part(heading, part)
            part, room = [], MAX_SECTION_CHARACTERS - len(line)
        part.append(line)
    yield from _nonempty_part(heading, part)


def _nonempty_part(heading: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    words = "\n".join(lines).strip()
    if words:
        yield heading, words


def _note_owner(path: Path) -> tuple[str, str]:
    """Return the folder and the project that notes are of; what stands for all projects is `*`."""
    folder = path.absolute().parent
    if os.path.isdir(folder / "projects"):
        return "", USER_PROJECT
    if folder.name == "memory" and folder.parent.parent.name == "projects":
        named = (session_folder(each) for each in sorted(folder.parent.glob("*.jsonl")))
        return next((each for each in named if each), str(folder.parent)), ""
    return str(folder.parent if folder.name == ".claude" else folder), ""


READER = TranscriptFormat(FORMAT, read_chunks, is_markdown)
