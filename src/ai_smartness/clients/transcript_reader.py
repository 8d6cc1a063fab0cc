"""Read a transcript in chunks, from where it was read before.

A transcript that grows line by line goes to a `LineReader`, one for each format. It may have to
wait for a tool's result or the end of a turn. The mark then stays before the waiting lines, so
that it does not matter in how many readings a file is read. A file that is rewritten as a whole
is read from its beginning whenever it has changed; its messages have ids made of their content.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, NamedTuple, TypeAlias

from ai_smartness.clients.hook_event import Fields, object_field, text_field
from ai_smartness.ports.transfer import ImportMark, TranscriptChunk, TranscriptFile, TranscriptItem

__all__ = [
    "MAX_LINE_BYTES",
    "Fields",
    "LineReader",
    "TranscriptFormat",
    "configured_folder",
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

CHUNK_LINES = 1_000
CHUNK_BYTES = 8_000_000
HEAD_BYTES = 1_024  # the beginning by which a file is recognized as the one that was read before

QUIET_TIME = timedelta(minutes=15)
"""A session that wrote nothing for this long has ended, whatever it seemed to wait for."""

MAX_LINE_BYTES = 16_000_000  # room for several pictures in one message; a longer line is skipped
MAX_DOCUMENT_BYTES = 32_000_000  # a file that is read as a whole has to fit into memory
FOLDER_SNIFF_BYTES = 262_144
"""Instructions and settings may stand before the first line that names the folder."""

_BLOCK_BYTES = 1 << 20
_MICROSECONDS_FROM = 1e14
_MILLISECONDS_FROM = 1e11
_CWD = re.compile(rb'"cwd":\s*("(?:[^"\\]|\\.)*")')


class LineReader:
    """Turns the lines of one format into messages and events. A format overrides what it needs."""

    def __init__(self) -> None:
        self.skipped: Counter[str] = Counter()

    def read_line(self, fields: Fields) -> list[TranscriptItem]:
        """Return the items that this line completes."""
        raise NotImplementedError

    def skipped_kind(self, start: bytes) -> str:
        """Name the kind of a line that need not be read, by its start; empty if it must be."""
        return ""

    def finish_turn(self) -> list[TranscriptItem]:
        """Return the items that were waiting for a next line; none will come."""
        return []

    @property
    def is_waiting(self) -> bool:
        """Say whether items wait for a next line."""
        return False

    @property
    def state(self) -> Fields:
        """Return the state to read on with, where nothing is waiting."""
        return {}


MakeReader: TypeAlias = Callable[[TranscriptFile, Fields], LineReader]
ReadDocument: TypeAlias = Callable[
    [TranscriptFile, str], tuple[Sequence[TranscriptItem], Mapping[str, int]]
]
ReadChunks: TypeAlias = Callable[
    [TranscriptFile, ImportMark | None, datetime], Iterator[TranscriptChunk]
]
FindFolders: TypeAlias = Callable[[Path, Mapping[str, str]], list[Path]]


def session_folder(transcript: Path) -> str:
    """Return the first folder that a transcript names; empty if it names none."""
    try:
        with transcript.open("rb") as file:
            named = _CWD.search(file.read(FOLDER_SNIFF_BYTES))
        return str(json.loads(named[1])) if named else ""
    except (OSError, ValueError):
        return ""


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


def configured_folder(environ: Mapping[str, str], variable: str, default: Path) -> Path:
    """Return the folder that an environment variable names, or else the default."""
    folder = environ.get(variable)
    return Path(folder) if folder else default


def read_document(
    read: ReadDocument, file: TranscriptFile, _since: ImportMark | None, _now: datetime
) -> Iterator[TranscriptChunk]:
    """Read a whole file; report one that is too large or of another format."""
    # Read whole each time, it is not recognized by its beginning: the mark holds no hash.
    mark = ImportMark(file.size, file.size, file.changed_ns, head="")
    with file.path.open("rb") as opened:
        if file.size > MAX_DOCUMENT_BYTES:
            most = MAX_DOCUMENT_BYTES // 1_000_000
            problem = f"a document of {file.size / 1e6:,.0f} MB (at most {most} MB)"
            yield TranscriptChunk([], mark, problems=(problem,))
            return
        text = opened.read(MAX_DOCUMENT_BYTES).decode("utf-8-sig", "replace")
    try:
        items, skipped = read(file, text)
    except ValueError:
        yield TranscriptChunk([], mark, problems=("it is incomplete, or in another format",))
        return
    yield TranscriptChunk(items, mark, skipped)


def read_transcript(
    make_reader: MakeReader, file: TranscriptFile, since: ImportMark | None, now: datetime
) -> Iterator[TranscriptChunk]:
    """Read a file line by line, from a mark on."""
    with file.path.open("rb") as opened:
        head = _file_head(opened, file.size)
        if since is not None and not _is_same_file(opened, since, file):
            since = None
        reading = _TranscriptReading(make_reader, file, head, since)
        yield from reading.read_chunks(opened)
        if now.timestamp() - file.changed_ns / 1e9 > QUIET_TIME.total_seconds():
            yield reading.final_chunk()


class _TranscriptReading:
    """One reading of one file."""

    def __init__(
        self, make_reader: MakeReader, file: TranscriptFile, head: str, since: ImportMark | None
    ) -> None:
        self._file = file
        self._head = head
        self._end = since.offset if since else 0
        state = parsed_object((since.state if since else "").encode()) or {}
        self._reader = make_reader(file, state)
        self._settled = (self._end, self._reader.state)
        self._problems: list[str] = []

    def read_chunks(self, opened: IO[bytes]) -> Iterator[TranscriptChunk]:
        items: list[TranscriptItem] = []
        number = size = 0
        for line in read_lines(opened, self._end):
            number, size, self._end = number + 1, size + min(line.length, CHUNK_BYTES), line.end
            items += self._read_line(line.text, line.length)
            if not self._reader.is_waiting:
                self._settled = (line.end, self._reader.state)
            if number >= CHUNK_LINES or size >= CHUNK_BYTES:
                yield self._make_chunk(items)
                items, number, size = [], 0, 0
        yield self._make_chunk(items)

    def final_chunk(self) -> TranscriptChunk:
        """Return the items that were still waiting when the session ended."""
        items = self._reader.finish_turn()
        self._settled = (self._end, self._reader.state)
        return self._make_chunk(items)

    def _read_line(self, text: bytes | None, length: int) -> list[TranscriptItem]:
        if text is None:
            most = MAX_LINE_BYTES // 1_000_000
            self._problems.append(f"a line of {length / 1e6:,.0f} MB (at most {most} MB)")
            return []
        if not text.strip():
            return []
        kind = self._reader.skipped_kind(text[:300])
        if kind:
            self._reader.skipped[kind] += 1
            return []
        fields = parsed_object(text)
        if fields is None:
            self._problems.append("a line that is not a JSON object")
            return []
        return self._reader.read_line(fields)

    def _make_chunk(self, items: Sequence[TranscriptItem]) -> TranscriptChunk:
        offset, state = self._settled
        file = self._file
        mark = ImportMark(offset, file.size, file.changed_ns, self._head, json.dumps(state))
        skipped, problems = dict(self._reader.skipped), tuple(self._problems)
        self._reader.skipped.clear()
        self._problems.clear()
        return TranscriptChunk(list(items), mark, skipped, problems)


def _file_head(opened: IO[bytes], size: int) -> str:
    """Return the length and the hash of a file's beginning."""
    length = min(HEAD_BYTES, size)
    opened.seek(0)
    return f"{length}:{hashlib.blake2s(opened.read(length), digest_size=8).hexdigest()}"


def _is_same_file(opened: IO[bytes], since: ImportMark, file: TranscriptFile) -> bool:
    """Say whether the file begins as it did when it was marked, and was not shortened."""
    length = since.head.partition(":")[0]
    known = int(length) if length.isdecimal() else -1
    return file.size >= since.offset and _file_head(opened, known) == since.head


class FileLine(NamedTuple):
    """One line, its length, and the start of the next; `text` is None for a line too long."""

    text: bytes | None
    length: int
    end: int


def read_lines(opened: IO[bytes], start: int, longest: int = MAX_LINE_BYTES) -> Iterator[FileLine]:
    """Yield the complete lines from an offset on; an unfinished last line is left for later."""
    opened.seek(start)
    rest, end, too_long = b"", start, 0
    while block := opened.read(_BLOCK_BYTES):
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        for line in lines:
            length = too_long + len(line)
            end += length + 1
            is_whole = not too_long and length <= longest
            yield FileLine(line if is_whole else None, length, end)
            too_long = 0
        if too_long or len(rest) > longest:
            # Only the length of an overlong line is kept.
            too_long, rest = too_long + len(rest), b""


def parsed_object(line: bytes) -> Fields | None:
    """Read a line as a JSON object; nothing if it is none. Bytes that are no text are replaced."""
    try:
        value = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def object_list(fields: Fields, name: str) -> list[Fields]:
    """Return the objects in a list field."""
    value = fields.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def message_texts(content: object) -> list[str]:
    """Return the texts of a message, which is a text, an object or a list of these."""
    if isinstance(content, str):
        return [content]
    if isinstance(content, dict):
        return [text_field(content, "text")]
    if not isinstance(content, list):
        return []
    texts = (text for part in content if not isinstance(part, list) for text in message_texts(part))
    return [text for text in texts if text]


def parsed_time(value: object) -> datetime | None:
    """Read a time: ISO text, or a number of seconds, milliseconds or microseconds."""
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value.strip().replace(" UTC", "Z"))
            return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            size = abs(value)
            unit = 1e6 if size >= _MICROSECONDS_FROM else 1e3 if size >= _MILLISECONDS_FROM else 1
            return datetime.fromtimestamp(value / unit, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None
