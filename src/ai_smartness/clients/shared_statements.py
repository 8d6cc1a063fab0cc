"""Statements that a team shares through its repository: one file each, `.ai/memory/<year>/<id>.md`.

No file lists the others, so branches that share different statements never conflict, and a pull
request is the review. Whoever imports them sees who wrote each. What a file says is only read from
its front matter and its text; a file of another form is left out.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from ai_smartness.clients.transcript_reader import TranscriptFormat, parsed_time, read_document
from ai_smartness.model.event import EventType, Message
from ai_smartness.model.statement import SHARED_SESSION, Statement, StatementKind
from ai_smartness.ports.transfer import ImportedMessage, TranscriptFile, TranscriptItem
from ai_smartness.redact import redacted_text
from ai_smartness.text.trust import SHARED_SOURCE

__all__ = [
    "READER",
    "SHARED_FOLDER",
    "SharedPage",
    "find_pages",
    "page_path",
    "read_page",
    "shared_page",
    "write_page",
]

SHARED_FOLDER = Path(".ai", "memory")
MAX_PAGE_BYTES = 100_000
MAX_NAME_CHARACTERS = 100

_PAGE = re.compile(r"\A---\n(?P<head>.*?)\n---\n+(?P<text>.*)\Z", re.DOTALL)
_ID = re.compile(r"s_[0-9a-f]{8,40}")
_FIELDS = ("id", "kind", "author", "date", "files", "supersedes")


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPage:
    """A statement as its file has it. `supersedes` are the ids of those that it ended."""

    id: str
    kind: StatementKind
    text: str
    author: str
    at: datetime
    files: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()

    def render(self) -> str:
        """Return the text of its file."""
        values = {
            "id": self.id,
            "kind": self.kind.value,
            "author": self.author,
            "date": self.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "files": ", ".join(self.files),
            "supersedes": ", ".join(self.supersedes),
        }
        head = "\n".join(f"{name}: {value}" for name, value in values.items() if value)
        return f"---\n{head}\n---\n\n{self.text}\n"


def shared_page(statement: Statement, author: str, superseded: Sequence[Statement]) -> SharedPage:
    """Return the page of a statement, with the statements that it ended."""
    names = [term for term in statement.subject if "/" in term or "." in term.strip(".")]
    return SharedPage(
        id=statement.id,
        kind=statement.kind,
        text=" ".join(statement.text.split()),
        author=_one_line(author) or "unknown",
        at=statement.at.replace(microsecond=0),
        files=tuple(name for name in map(_one_line, names) if name and "," not in name),
        supersedes=tuple(one.id for one in superseded),
    )


def page_path(root: Path, page: SharedPage) -> Path:
    """Name the file of a page in a repository."""
    return root / SHARED_FOLDER / str(page.at.year) / f"{page.id}.md"


def write_page(root: Path, page: SharedPage) -> Path:
    """Write the file of a page, whole or not at all."""
    path = page_path(root, page)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".new")
    draft.write_text(page.render(), encoding="utf-8")
    os.replace(draft, path)
    return path


def find_pages(root: Path) -> Iterator[tuple[Path, SharedPage]]:
    """Yield the files of a repository that are pages, in the order of their names."""
    for path in sorted((root / SHARED_FOLDER).glob("*/s_*.md")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= MAX_PAGE_BYTES:
            page = read_page(path.read_text(encoding="utf-8", errors="replace"))
            if page is not None:
                yield path, page


def read_page(text: str) -> SharedPage | None:
    """Read the text of a file; None if it is no page."""
    match = _PAGE.match(text.replace("\r\n", "\n"))
    if match is None:
        return None
    head = _front_matter(match["head"])
    at, words = parsed_time(head.get("date", "")), match["text"].strip()
    is_whole = _ID.fullmatch(head.get("id", "")) and head.get("kind") in set(StatementKind)
    if not is_whole or at is None or not words:
        return None
    supersedes = [id_ for id_ in _listed(head, "supersedes") if _ID.fullmatch(id_)]
    return SharedPage(
        id=head["id"],
        kind=StatementKind(head["kind"]),
        text=words,
        author=_one_line(head.get("author", "")) or "unknown",
        at=at,
        files=tuple(_listed(head, "files")),
        supersedes=tuple(supersedes),
    )


def _front_matter(text: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in text.splitlines())
    fields = {name.strip(): value.strip() for name, colon, value in pairs if colon}
    return {name: value for name, value in fields.items() if name in _FIELDS}


def _listed(head: Mapping[str, str], name: str) -> list[str]:
    return [item.strip() for item in head.get(name, "").split(",") if item.strip()]


def _one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_NAME_CHARACTERS]


def _read_file(file: TranscriptFile, text: str) -> tuple[list[TranscriptItem], dict[str, int]]:
    page = read_page(text)
    if page is None:
        return [], {"no shared statement": 1}
    if any(page.id in other.supersedes for _, other in find_pages(_root_of(file.path))):
        return [], {"superseded by another shared statement": 1}
    # Before the id is made: an id made from a secret could be checked against a guess.
    words, author = redacted_text(page.text), redacted_text(page.author)
    digest = hashlib.blake2s(f"{page.id}\0{words}".encode("utf-8", "surrogatepass"), digest_size=16)
    message = Message(
        text=words,
        role="user",
        type=EventType.NOTE,
        source=SHARED_SOURCE,
        session=f"{SHARED_SESSION}{author}",
        id=f"shared_{digest.hexdigest()}",
        at=page.at,
        payload=_payload_of(page, author),
    )
    return [ImportedMessage(message, str(_root_of(file.path)), "")], {}


def _payload_of(page: SharedPage, author: str) -> dict[str, object]:
    """Return what the memory has to know of a page beside its text."""
    payload: dict[str, object] = {
        "author": author,
        "kind": page.kind.value,
        "path": f"{page.id}.md",
    }
    if page.supersedes:
        payload["supersedes"] = list(page.supersedes)
    return payload


def _root_of(path: Path) -> Path:
    return path.absolute().parents[len(SHARED_FOLDER.parts) + 1]


def _is_page(path: Path) -> bool:
    folders = path.absolute().parts[-4:-2]
    return path.suffix == ".md" and path.name.startswith("s_") and folders == SHARED_FOLDER.parts


READER = TranscriptFormat("shared", partial(read_document, _read_file), _is_page)
