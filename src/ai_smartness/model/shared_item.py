"""What the people of one server share: threads and statements, each with its author."""

from dataclasses import dataclass
from datetime import datetime

__all__ = [
    "COPY_ID_START",
    "SHARED_THREAD",
    "Dispute",
    "SharedDraft",
    "SharedItem",
    "SharedMessage",
    "TeamMember",
    "TeamUpdate",
]

SHARED_THREAD = "thread"
"""The kind of a shared thread; a shared statement has its own kind."""

COPY_ID_START = "ais_team_"
"""How the id of a message begins that a memory has copied from a teammate."""


@dataclass(frozen=True, slots=True)
class TeamMember:
    """A person: a role of the server, with a memory of their own."""

    name: str
    added_at: datetime


@dataclass(frozen=True, slots=True)
class SharedMessage:
    """One message of what is shared."""

    role: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SharedDraft:
    """A thread or a statement as it is going to be shared; `id` is that of the author's memory.

    `left_out` counts the messages of a thread that stay private: what tools, pages and files said.
    """

    id: str
    project: str
    kind: str
    title: str
    messages: tuple[SharedMessage, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Dispute:
    """A teammate's objection to something shared."""

    number: int
    author: str
    reason: str
    is_withdrawn: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedItem:
    """Something that a member shares, without its messages; one's own if one shares it."""

    number: int
    author: str
    machine: str
    project: str
    id: str
    kind: str
    title: str
    messages: int
    shared_at: datetime
    is_own: bool
    disputes: tuple[Dispute, ...] = ()

    @property
    def disputed_by(self) -> tuple[str, ...]:
        """The members who dispute it, each once."""
        names = (dispute.author for dispute in self.disputes if not dispute.is_withdrawn)
        return tuple(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class TeamUpdate:
    """How many shared things were copied, and how many messages of former copies were deleted."""

    copied: int = 0
    deleted: int = 0
