"""Plain JSON lines in our own format: one message a line.

Its fields are those of `Message` (text, role, session, id, at, type, source, payload), and
`project` or `cwd` for where it belongs. Only `text` is needed.
"""

from collections import Counter
from functools import partial
from pathlib import Path

from ai_smartness.clients.transcript_reader import (
    Fields,
    TranscriptFormat,
    object_field,
    parsed_time,
    read_transcript,
    text_field,
)
from ai_smartness.model.event import EventType, Message
from ai_smartness.ports.transfer import ImportedMessage, TranscriptFile, TranscriptItem

__all__ = ["FORMAT", "JSON_LINES_SUFFIXES", "READER"]

FORMAT = "jsonl"
JSON_LINES_SUFFIXES = (".jsonl", ".ndjson")
_TYPES = {each.value: each for each in EventType}


class JsonLines:
    """Tells what the lines mean: each is a message."""

    def __init__(self, source: TranscriptFile, state: Fields) -> None:  # noqa: ARG002 - every scribe's
        self.skipped: Counter[str] = Counter()
        self._path: Path = source.path

    is_waiting = False

    @property
    def state(self) -> Fields:
        """Need nothing to read on."""
        return {}

    def skipped_kind(self, start: bytes) -> str:  # noqa: ARG002 - none can be told by its start
        """Read every line."""
        return ""

    def read_line(self, fields: Fields) -> list[TranscriptItem]:
        """Tell the message of a line."""
        text = text_field(fields, "text")
        if not text.strip():
            self.skipped["no text"] += 1
            return []
        message = Message(
            text=text,
            role=text_field(fields, "role") or "user",
            session=text_field(fields, "session") or None,
            id=text_field(fields, "id") or None,
            at=parsed_time(fields.get("at")),
            type=_TYPES.get(text_field(fields, "type")),
            source=text_field(fields, "source") or None,
            payload=object_field(fields, "payload"),
        )
        return [ImportedMessage(message, text_field(fields, "cwd"), text_field(fields, "project"))]

    def finish_turn(self) -> list[TranscriptItem]:
        """Wait for nothing."""
        return []


def _is_line(fields: Fields) -> bool:
    return isinstance(fields.get("text"), str)


READER = TranscriptFormat(
    FORMAT,
    partial(read_transcript, JsonLines),
    lambda path: path.suffix in JSON_LINES_SUFFIXES,
    is_line=_is_line,
)
