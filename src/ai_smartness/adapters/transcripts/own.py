"""Plain JSON lines in our own format: one message a line.

Its fields are those of `Message` (text, role, session, id, at, type, source, payload), and
`project` or `cwd` for where it belongs. Only `text` is needed.
"""

from collections import Counter
from pathlib import Path

from ai_smartness.adapters.transcripts.fields import Fields, inner, moment, text_of
from ai_smartness.model.event import EventType, Message
from ai_smartness.ports.history import Said, Source, Told

__all__ = ["FORMAT", "Own"]

FORMAT = "jsonl"
_TYPES = {each.value: each for each in EventType}


class Own:
    """Tells what the lines mean: each is a message."""

    def __init__(self, source: Source, state: Fields) -> None:  # noqa: ARG002 - every scribe's
        self.skipped: Counter[str] = Counter()
        self._path: Path = source.path

    waits = False

    @property
    def state(self) -> Fields:
        """Need nothing to read on."""
        return {}

    def passes_over(self, start: bytes) -> str:  # noqa: ARG002 - none can be told by its start
        """Read every line."""
        return ""

    def line(self, fields: Fields) -> list[Told]:
        """Tell the message of a line."""
        text = text_of(fields, "text")
        if not text.strip():
            self.skipped["no text"] += 1
            return []
        message = Message(
            text=text,
            role=text_of(fields, "role") or "user",
            session=text_of(fields, "session") or None,
            id=text_of(fields, "id") or None,
            at=moment(fields.get("at")),
            type=_TYPES.get(text_of(fields, "type")),
            source=text_of(fields, "source") or None,
            payload=inner(fields, "payload"),
        )
        return [Said(message, text_of(fields, "cwd"), text_of(fields, "project"))]

    def end(self) -> list[Told]:
        """Wait for nothing."""
        return []
