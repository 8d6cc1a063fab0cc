"""A focus: a subject that the agent or its user wants to see first."""

import unicodedata
from dataclasses import dataclass
from datetime import datetime

__all__ = ["Focus", "folded_topic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """A topic or a thread id and its weight, in one session or lasting; it may end at `until`."""

    topic: str
    weight: float
    set_at: datetime
    session: str | None = None
    until: datetime | None = None

    @property
    def key(self) -> tuple[str | None, str]:
        """The identity: one focus on a topic in each session, and one lasting."""
        return self.session, folded_topic(self.topic)


def folded_topic(text: str) -> str:
    """Return the form in which topics are compared: without case and extra spaces."""
    if text.isascii():
        return " ".join(text.casefold().split())
    whole = unicodedata.normalize("NFD", text).casefold()
    return " ".join(unicodedata.normalize("NFC", whole).split())
