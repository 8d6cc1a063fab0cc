"""Read a transcript that grows line by line: each line goes to a scribe, who tells what it means.

A scribe may have to wait for what comes next: a tool's result, the end of a turn. The mark
stays where nothing was waited for, so that the next reading finds all it needs, and it does not
matter in how many readings a file is read.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import IO, Protocol

from ai_smartness.adapters.transcripts.fields import Fields, loaded
from ai_smartness.adapters.transcripts.lines import LONGEST_LINE_BYTES, lines
from ai_smartness.ports.history import Mark, Piece, Source, Told

__all__ = ["Scribe", "head_of", "is_quiet", "told_by"]

PIECE_LINES = 1_000
PIECE_BYTES = 8_000_000

HEAD_BYTES = 1_024
"""By its beginning a file is known as the one that was read before."""

QUIET = timedelta(minutes=15)
"""A session that wrote nothing for this long is over, whatever it seemed to be waiting for."""


class Scribe(Protocol):
    """Whoever knows what the lines of one format mean."""

    skipped: Counter[str]

    def passes_over(self, start: bytes) -> str:
        """Name what a line is that begins like this, if it need not be read; else nothing."""
        ...

    def line(self, fields: Fields) -> list[Told]:
        """Tell what a line means, with those before it."""
        ...

    def end(self) -> list[Told]:
        """Tell what was waited for; nothing comes any more."""
        ...

    @property
    def waits(self) -> bool:
        """Say whether something before this is told with what comes next."""
        ...

    @property
    def state(self) -> Fields:
        """Return what has to be known to read on where nothing is waited for."""
        ...


Hired = Callable[[Source, Fields], Scribe]
"""A scribe for a file, with the state a former one left."""


def told_by(hired: Hired, source: Source, since: Mark | None, now: datetime) -> Iterator[Piece]:
    """Read a file on from a mark."""
    with source.path.open("rb") as file:
        head = head_of(file, source.size)
        if since is not None and not _goes_on(file, since, source):
            since = None
        reading = _Reading(hired, source, head, since)
        yield from reading.pieces(file)
        if is_quiet(source, now):
            yield reading.last()


def is_quiet(source: Source, now: datetime) -> bool:
    """Say whether nobody writes to a file any more."""
    return now.timestamp() - source.changed_ns / 1e9 > QUIET.total_seconds()


class _Reading:
    """One reading of one file."""

    def __init__(self, hired: Hired, source: Source, head: str, since: Mark | None) -> None:
        self._source = source
        self._head = head
        self._start = since.offset if since else 0
        self._scribe = hired(source, loaded((since.state if since else "").encode()) or {})
        self._settled = (self._start, self._scribe.state)
        self._troubles: list[str] = []
        self._end = self._start

    def pieces(self, file: IO[bytes]) -> Iterator[Piece]:
        """Read to the end, a stretch at a time."""
        told: list[Told] = []
        number = size = 0
        for line in lines(file, self._start):
            number, size, self._end = number + 1, size + min(line.length, PIECE_BYTES), line.end
            told += self._line(line.text, line.length)
            if not self._scribe.waits:
                self._settled = (line.end, self._scribe.state)
            if number >= PIECE_LINES or size >= PIECE_BYTES:
                yield self._piece(told)
                told, number, size = [], 0, 0
        yield self._piece(told)

    def last(self) -> Piece:
        """Tell what was waited for in vain."""
        told = self._scribe.end()
        self._settled = (self._end, self._scribe.state)
        return self._piece(told)

    def _line(self, text: bytes | None, length: int) -> list[Told]:
        if text is None:
            longest = LONGEST_LINE_BYTES // 1_000_000
            self._troubles.append(f"a line of {length / 1e6:,.0f} MB (at most {longest} MB)")
            return []
        if not text.strip():
            return []
        name = self._scribe.passes_over(text[:300])
        if name:
            self._scribe.skipped[name] += 1
            return []
        fields = loaded(text)
        if fields is None:
            self._troubles.append("a line that is no JSON object")
            return []
        return self._scribe.line(fields)

    def _piece(self, told: Sequence[Told]) -> Piece:
        offset, state = self._settled
        mark = Mark(
            offset=offset,
            size=self._source.size,
            changed_ns=self._source.changed_ns,
            head=self._head,
            state=json.dumps(state, ensure_ascii=True),
        )
        piece = Piece(list(told), mark, dict(self._scribe.skipped), tuple(self._troubles))
        self._scribe.skipped.clear()
        self._troubles = []
        return piece


def head_of(file: IO[bytes], size: int) -> str:
    """Return by what a file is known as the one that was read before, and how much that is."""
    length = min(HEAD_BYTES, size)
    file.seek(0)
    return f"{length}:{hashlib.blake2s(file.read(length), digest_size=8).hexdigest()}"


def _goes_on(file: IO[bytes], since: Mark, source: Source) -> bool:
    """Say whether it is the file that was read before, and nothing was taken away from it."""
    length = since.head.partition(":")[0]
    known = int(length) if length.isdecimal() else -1
    return source.size >= since.offset and head_of(file, known) == since.head
