"""The journal: every change of the store, with what is needed to undo it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

__all__ = ["JournalEntry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One change, made by one verb in one transaction."""

    seq: int
    at: datetime
    who: str
    verb: str
    arguments: Mapping[str, object]
    before: Mapping[str, object]
    after: Mapping[str, object]
    undone_by: int | None = None
