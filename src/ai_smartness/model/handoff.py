"""The handoff of a session to whoever continues it."""

from dataclasses import dataclass
from datetime import datetime

from ai_smartness.model.injection import InjectedThread
from ai_smartness.model.thread import Thread

__all__ = ["Handoff"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """A summary of a session, and the threads with the full record.

    `messages` counts the events between `began` and `ended`. `entries` are the threads, the
    latest first, with the lines that the summary quotes.
    """

    session: str
    text: str
    began: datetime
    ended: datetime
    messages: int
    entries: tuple[InjectedThread, ...] = ()

    @property
    def threads(self) -> tuple[Thread, ...]:
        """The threads of the session, the latest first."""
        return tuple(entry.thread for entry in self.entries)
