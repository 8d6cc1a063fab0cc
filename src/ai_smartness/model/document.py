"""A document: a named text that is replaced as a whole, such as a file of a memory tool."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

__all__ = ["Document"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The current version of a document, on its thread.

    `created_at` is the time of its first version, `changed_at` of this one.
    """

    name: str
    text: str
    thread_id: str
    created_at: datetime
    changed_at: datetime
    payload: Mapping[str, object] = field(default_factory=dict)
