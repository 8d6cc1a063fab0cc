"""The brief: what an agent reads when its session begins."""

from dataclasses import dataclass
from datetime import datetime

from ai_smartness.model.injection import InjectedThread

__all__ = ["Brief"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """A brief in its parts, so that it can be put together later.

    `lasting` is what holds at any start: pins, foci and statements. `stood` is where a session
    stood. `first` and `last` are the times of the project's first event and of the last
    session's end. `entries` are the threads with the messages that count as shown.
    """

    text: str = ""
    lasting: str = ""
    stood: str = ""
    first: datetime | None = None
    last: datetime | None = None
    entries: tuple[InjectedThread, ...] = ()
