"""A focus: what the agent or its user wants to see first."""

from dataclasses import dataclass
from datetime import datetime

__all__ = ["Focus"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """A topic or a thread id, with how much it counts; of one session or lasting."""

    topic: str
    weight: float
    set_at: datetime
    session: str | None = None
