"""Read a transcript that grows line by line: each line goes to a scribe, who tells what it means.

A scribe may have to wait for what comes next: a tool's result, the end of a turn. The mark
stays where nothing was waited for, so that the next reading finds all it needs, and it does not
matter in how many readings a file is read.

The lines of a file of any size, from an offset on, none of them longer than memory allows.

A last line that is not ended yet is left for next time: somebody is writing it.

Read a file that is written as a whole: again from its beginning whenever it has changed.

What it tells has ids made of its content, so that nothing is told twice.

Read what others wrote, and believe nothing of it: what is of another kind reads as empty.

Which folder a session was held in, as the beginning of its transcript tells.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, NamedTuple, Protocol, TypeAlias

from ai_smartness.clients.hook_event import Fields, object_field, text_field
from ai_smartness.ports.transfer import ImportMark, TranscriptChunk, TranscriptFile, TranscriptItem

__all__ = [
    "MAX_DOCUMENT_BYTES",
    "MAX_LINE_BYTES",
    "Fields",
    "FileLine",
    "LineReader",
    "TranscriptFormat",
    "file_head",
    "is_quiet",
    "message_texts",
    "object_field",
    "object_list",
    "parsed_object",
    "parsed_time",
    "read_document",
    "read_lines",
    "read_transcript",
    "session_folder",
    "text_field",
]


MAX_LINE_BYTES = 16_000_000
"""Room for several pictures in one message; a longer line is passed over."""

_BLOCK_BYTES = 1 << 20


class FileLine(NamedTuple):
    """One line, and where the next one begins; `text` is nothing where it is too long."""

    text: bytes | None
    length: int
    end: int


def read_lines(file: IO[bytes], start: int, longest: int = MAX_LINE_BYTES) -> Iterator[FileLine]:
    """Return the whole lines from an offset on."""
    file.seek(start)
    rest, at, too_long = b"", start, 0
    while block := file.read(_BLOCK_BYTES):
        pieces = (rest + block).split(b"\n")
        rest = pieces.pop()
        for piece in pieces:
            length = too_long + len(piece)
            at += length + 1
            whole = not too_long and length <= longest
            yield FileLine(piece if whole else None, length, at)
            too_long = 0
        if too_long or len(rest) > longest:
            # Nothing of it is kept but its length.
            too_long, rest = too_long + len(rest), b""


MAX_DOCUMENT_BYTES = 32_000_000
"""Of a file that has to be held in memory as a whole."""

ReadDocument = Callable[[TranscriptFile, str], tuple[Sequence[TranscriptItem], Mapping[str, int]]]


def read_document(
    source: TranscriptFile, since: ImportMark | None, read: ReadDocument
) -> Iterator[TranscriptChunk]:
    """Read a document, or say that it is too large or no such document."""
    del since
    with source.path.open("rb") as file:
        # Read whole each time, it is not known by its beginning: no hash of it is kept.
        mark = ImportMark(source.size, source.size, source.changed_ns, head="")
        if source.size > MAX_DOCUMENT_BYTES:
            most = MAX_DOCUMENT_BYTES // 1_000_000
            said = f"a document of {source.size / 1e6:,.0f} MB (at most {most} MB)"
            yield TranscriptChunk([], mark, problems=(said,))
            return
        file.seek(0)
        text = file.read(MAX_DOCUMENT_BYTES).decode("utf-8-sig", "replace")
    try:
        told, skipped = read(source, text)
    except ValueError:
        yield TranscriptChunk([], mark, problems=("it is half-written, or of another format",))
        return
    yield TranscriptChunk(told, mark, skipped)


_MICROSECONDS_FROM = 1e14
_MILLISECONDS_FROM = 1e11


def parsed_object(line: bytes) -> Fields | None:
    """Read a line as a JSON object, bytes that are no text replaced; nothing if it is none."""
    try:
        value = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def object_list(fields: Fields, name: str) -> list[Fields]:
    """Return those elements of a list that have fields."""
    value = fields.get(name)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def message_texts(content: object) -> list[str]:
    """Return the texts of a message, which is one or a list of parts."""
    if isinstance(content, str):
        return [content]
    if isinstance(content, dict):
        return [text_field(content, "text")]
    if not isinstance(content, list):
        return []
    parts = [part if isinstance(part, str) else _part_text(part) for part in content]
    return [part for part in parts if part]


def _part_text(part: object) -> str:
    return text_field(part, "text") if isinstance(part, dict) else ""


def parsed_time(value: object) -> datetime | None:
    """Read a time, written out or as a number of seconds, milliseconds or microseconds."""
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value.strip().replace(" UTC", "Z"))
            return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.fromtimestamp(_epoch_seconds(float(value)), UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def _epoch_seconds(number: float) -> float:
    if abs(number) >= _MICROSECONDS_FROM:
        return number / 1e6
    return number / 1e3 if abs(number) >= _MILLISECONDS_FROM else number


PIECE_LINES = 1_000
PIECE_BYTES = 8_000_000

HEAD_BYTES = 1_024
"""By its beginning a file is known as the one that was read before."""

QUIET_TIME = timedelta(minutes=15)
"""A session that wrote nothing for this long is over, whatever it seemed to be waiting for."""


class LineReader(Protocol):
    """Whoever knows what the lines of one format mean."""

    skipped: Counter[str]

    def skipped_kind(self, start: bytes) -> str:
        """Name what a line is that begins like this, if it need not be read; else nothing."""
        ...

    def read_line(self, fields: Fields) -> list[TranscriptItem]:
        """Tell what a line means, with those before it."""
        ...

    def finish_turn(self) -> list[TranscriptItem]:
        """Tell what was waited for; nothing comes any more."""
        ...

    @property
    def is_waiting(self) -> bool:
        """Say whether something before this is told with what comes next."""
        ...

    @property
    def state(self) -> Fields:
        """Return what has to be known to read on where nothing is waited for."""
        ...


LineReaderFactory = Callable[[TranscriptFile, Fields], LineReader]
"""A scribe for a file, with the state a former one left."""


def read_transcript(
    make_reader: LineReaderFactory, source: TranscriptFile, since: ImportMark | None, now: datetime
) -> Iterator[TranscriptChunk]:
    """Read a file on from a mark."""
    with source.path.open("rb") as file:
        head = file_head(file, source.size)
        if since is not None and not _is_same_file(file, since, source):
            since = None
        reading = _TranscriptReading(make_reader, source, head, since)
        yield from reading.read_pieces(file)
        if is_quiet(source, now):
            yield reading.final_piece()


def is_quiet(source: TranscriptFile, now: datetime) -> bool:
    """Say whether nobody writes to a file any more."""
    return now.timestamp() - source.changed_ns / 1e9 > QUIET_TIME.total_seconds()


class _TranscriptReading:
    """One reading of one file."""

    def __init__(
        self, hired: LineReaderFactory, source: TranscriptFile, head: str, since: ImportMark | None
    ) -> None:
        self._source = source
        self._head = head
        self._start = since.offset if since else 0
        self._reader = hired(source, parsed_object((since.state if since else "").encode()) or {})
        self._settled = (self._start, self._reader.state)
        self._troubles: list[str] = []
        self._end = self._start

    def read_pieces(self, file: IO[bytes]) -> Iterator[TranscriptChunk]:
        """Read to the end, a stretch at a time."""
        told: list[TranscriptItem] = []
        number = size = 0
        for line in read_lines(file, self._start):
            number, size, self._end = number + 1, size + min(line.length, PIECE_BYTES), line.end
            told += self._read_line(line.text, line.length)
            if not self._reader.is_waiting:
                self._settled = (line.end, self._reader.state)
            if number >= PIECE_LINES or size >= PIECE_BYTES:
                yield self._make_piece(told)
                told, number, size = [], 0, 0
        yield self._make_piece(told)

    def final_piece(self) -> TranscriptChunk:
        """Tell what was waited for in vain."""
        told = self._reader.finish_turn()
        self._settled = (self._end, self._reader.state)
        return self._make_piece(told)

    def _read_line(self, text: bytes | None, length: int) -> list[TranscriptItem]:
        if text is None:
            longest = MAX_LINE_BYTES // 1_000_000
            self._troubles.append(f"a line of {length / 1e6:,.0f} MB (at most {longest} MB)")
            return []
        if not text.strip():
            return []
        name = self._reader.skipped_kind(text[:300])
        if name:
            self._reader.skipped[name] += 1
            return []
        fields = parsed_object(text)
        if fields is None:
            self._troubles.append("a line that is no JSON object")
            return []
        return self._reader.read_line(fields)

    def _make_piece(self, told: Sequence[TranscriptItem]) -> TranscriptChunk:
        offset, state = self._settled
        mark = ImportMark(
            offset=offset,
            size=self._source.size,
            changed_ns=self._source.changed_ns,
            head=self._head,
            state=json.dumps(state, ensure_ascii=True),
        )
        piece = TranscriptChunk(list(told), mark, dict(self._reader.skipped), tuple(self._troubles))
        self._reader.skipped.clear()
        self._troubles = []
        return piece


def file_head(file: IO[bytes], size: int) -> str:
    """Return by what a file is known as the one that was read before, and how much that is."""
    length = min(HEAD_BYTES, size)
    file.seek(0)
    return f"{length}:{hashlib.blake2s(file.read(length), digest_size=8).hexdigest()}"


def _is_same_file(file: IO[bytes], since: ImportMark, source: TranscriptFile) -> bool:
    """Say whether it is the file that was read before, and nothing was taken away from it."""
    length = since.head.partition(":")[0]
    known = int(length) if length.isdecimal() else -1
    return source.size >= since.offset and file_head(file, known) == since.head


FOLDER_SNIFF_BYTES = 262_144
"""Instructions and settings may stand before the first line that names it."""

_CWD = re.compile(rb'"cwd":\s*("(?:[^"\\]|\\.)*")')


def session_folder(transcript: Path) -> str:
    """Return the first folder that is named; nothing if none is, or it cannot be read."""
    try:
        with transcript.open("rb") as file:
            found = _CWD.search(file.read(FOLDER_SNIFF_BYTES))
        return str(json.loads(found[1])) if found else ""
    except (OSError, ValueError):
        return ""


ReadChunks: TypeAlias = Callable[
    [TranscriptFile, ImportMark | None, datetime], Iterator[TranscriptChunk]
]
FindFolders: TypeAlias = Callable[[Path, Mapping[str, str]], list[Path]]


@dataclass(frozen=True, slots=True)
class TranscriptFormat:
    """One format: how its files are recognized and read, and where the client keeps them.

    `folders` takes the user's home and the environment. `is_line` recognizes a file by one of
    its first lines. `live` says that the client goes on writing to a file.
    """

    name: str
    read_chunks: ReadChunks
    is_transcript: Callable[[Path], bool]
    folders: FindFolders | None = None
    is_line: Callable[[Fields], bool] | None = None
    session_folder: Callable[[Path], str] = session_folder
    live: bool = False
