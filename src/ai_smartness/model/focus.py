"""A focus: what the agent or its user wants to see first."""

import unicodedata
from dataclasses import dataclass
from datetime import datetime

__all__ = ["Focus", "folded_topic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """A topic or a thread id, with how much it counts; of one session or lasting.

    With `until` it ends by itself.
    """

    topic: str
    weight: float
    set_at: datetime
    session: str | None = None
    until: datetime | None = None

    @property
    def key(self) -> tuple[str | None, str]:
        """What it is known by: there is one focus on a topic in a session, and one lasting."""
        return self.session, folded_topic(self.topic)


def folded_topic(text: str) -> str:
    """Return words as topics are compared: whatever their case and the space between them."""
    if text.isascii():
        return " ".join(text.casefold().split())
    whole = unicodedata.normalize("NFD", text).casefold()
    return " ".join(unicodedata.normalize("NFC", whole).split())
