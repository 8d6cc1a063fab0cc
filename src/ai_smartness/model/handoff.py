"""Where a session stood, for whoever goes on with it."""

from dataclasses import dataclass
from datetime import datetime

from ai_smartness.model.injection import InjectedThread
from ai_smartness.model.thread import Thread

__all__ = ["Handoff"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """What a session's log says in few words, and the threads that have all of it.

    `messages` counts what was said and done between `began` and `ended`; `entries` are the
    threads, the latest first, with those lines that the text holds as they were said.
    """

    session: str
    text: str
    began: datetime
    ended: datetime
    messages: int
    entries: tuple[InjectedThread, ...] = ()

    @property
    def threads(self) -> tuple[Thread, ...]:
        """The threads the session spoke on, the latest first."""
        return tuple(entry.thread for entry in self.entries)
