"""The messages of an export that somebody else made: read as lines whose speakers are only claimed.

Its threads, pins, reviews and changes are not read. `ais import --trust` loads a whole export.
"""

from functools import partial

from ai_smartness.clients.json_lines import JsonLines
from ai_smartness.clients.transcript_reader import (
    Fields,
    TranscriptFormat,
    object_field,
    read_transcript,
)
from ai_smartness.model.event import EventType
from ai_smartness.model.transfer import EXPORT_KEY
from ai_smartness.ports.transfer import TranscriptItem

__all__ = ["READER"]


class ExportedMessages(JsonLines):
    """Reads the lines with a message, and counts the others."""

    def read_line(self, fields: Fields) -> list[TranscriptItem]:
        """Return the message of a line."""
        event = object_field(fields, "event")
        if not event:
            kind = next(iter(fields), "")
            self.skipped["header" if kind == EXPORT_KEY else kind] += 1
            return []
        if event.get("type") == EventType.COMPACTION:
            self.skipped["compaction"] += 1
            return []
        return super().read_line({**event, "cwd": ""})


READER = TranscriptFormat("export", partial(read_transcript, ExportedMessages), lambda _path: False)
