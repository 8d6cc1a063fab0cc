"""Notes in markdown: `CLAUDE.md`, `MEMORY.md` or a folder of them, read section by section.

They are stored as the user's own words, so that a statement about identity, a preference or a
decision is recognized as one.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from ai_smartness.clients.transcript_reader import TranscriptFormat, read_document, session_folder
from ai_smartness.model.event import EventType, Message
from ai_smartness.model.search import USER_PROJECT
from ai_smartness.ports.transfer import ImportedMessage, TranscriptFile, TranscriptItem
from ai_smartness.redact import redacted_text

__all__ = ["READER"]

MAX_SECTION_CHARACTERS = 4_000

_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$")
_FENCE = re.compile(r"^[ \t]*(```|~~~)")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def _read_notes(file: TranscriptFile, text: str) -> tuple[list[TranscriptItem], dict[str, int]]:
    at = datetime.fromtimestamp(file.changed_ns / 1e9, UTC)
    folder, project = _note_owner(file.path)
    items: list[TranscriptItem] = []
    for heading, words in _markdown_sections(_FRONT_MATTER.sub("", text.replace("\r\n", "\n"))):
        whole = f"{heading}\n{words}" if heading else words
        message = _note_message(file.path, heading, whole, at)
        items.append(ImportedMessage(message, folder, project))
    return items, {}


def _note_message(path: Path, heading: str, text: str, at: datetime) -> Message:
    # Before the id is made: an id made from a secret could be checked against a guess.
    text, heading = redacted_text(text), redacted_text(heading)
    whole = f"{path.absolute()}\0{text}".encode("utf-8", "surrogatepass")
    return Message(
        text=text,
        role="user",
        type=EventType.NOTE,
        source="user",
        session=f"notes {path.name}",
        id=f"note_{hashlib.blake2s(whole, digest_size=16).hexdigest()}",
        at=at,
        payload={"what": "note", "path": path.name, "heading": heading},
    )


def _markdown_sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield each heading with the text below it; a long text comes in several parts."""
    heading, lines, is_fenced = "", list[str](), False
    for line in text.splitlines():
        is_fenced ^= bool(_FENCE.match(line))
        next_heading = None if is_fenced else _HEADING.match(line)
        if next_heading is None:
            lines.append(line)
            continue
        yield from _section_parts(heading, lines)
        heading, lines = next_heading[1], []
    yield from _section_parts(heading, lines)


def _section_parts(heading: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    parts, room = [list[str]()], MAX_SECTION_CHARACTERS
    for line in lines:
        room -= len(line) + 1
        if room < 0 and parts[-1]:
            parts.append([])
            room = MAX_SECTION_CHARACTERS - len(line)
        parts[-1].append(line)
    texts = ("\n".join(part).strip() for part in parts)
    return ((heading, text) for text in texts if text)


def _note_owner(path: Path) -> tuple[str, str]:
    """Return the folder, or the project, that notes belong to: `*` for notes on all projects."""
    folder = path.absolute().parent
    if os.path.isdir(folder / "projects"):
        return "", USER_PROJECT
    if folder.name == "memory" and folder.parent.parent.name == "projects":
        named = (session_folder(file) for file in sorted(folder.parent.glob("*.jsonl")))
        return next(filter(None, named), str(folder.parent)), ""
    return str(folder.parent if folder.name == ".claude" else folder), ""


READER = TranscriptFormat(
    "notes",
    partial(read_document, _read_notes),
    lambda path: path.suffix.lower() in (".md", ".markdown"),
)
