"""Plain JSON lines in our own format: one message a line.

The fields are those of `Message` (text, role, session, id, at, type, source, payload), and
`project` or `cwd` for its project. Only `text` is required.
"""

from functools import partial

from ai_smartness.clients.transcript_reader import (
    Fields,
    LineReader,
    TranscriptFormat,
    object_field,
    parsed_time,
    read_transcript,
    text_field,
)
from ai_smartness.model.event import EventType, Message
from ai_smartness.ports.transfer import ImportedMessage, TranscriptFile, TranscriptItem

__all__ = ["JSON_LINES_SUFFIXES", "READER", "JsonLines"]

JSON_LINES_SUFFIXES = (".jsonl", ".ndjson")
_TYPES = {kind.value: kind for kind in EventType}


class JsonLines(LineReader):
    """Reads each line as a message."""

    def __init__(self, _file: TranscriptFile, _state: Fields) -> None:
        super().__init__()

    def read_line(self, fields: Fields) -> list[TranscriptItem]:
        """Return the message of a line."""
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


READER = TranscriptFormat(
    "jsonl",
    partial(read_transcript, JsonLines),
    lambda path: path.suffix in JSON_LINES_SUFFIXES,
    is_line=lambda fields: isinstance(fields.get("text"), str),
)
