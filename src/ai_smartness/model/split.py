"""A split before it is made: what could go where."""

from dataclasses import dataclass

from ai_smartness.model.event import Event
from ai_smartness.model.thread import Thread

__all__ = ["SplitPart", "SplitProposal"]


@dataclass(frozen=True, slots=True)
class SplitPart:
    """What a split makes a thread of its own: a title, and messages by their ids."""

    title: str
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SplitProposal:
    """A thread with its messages, and the parts it seems to fall into.

    Messages of no part would stay. Without parts it is about one subject, as far
    as can be seen.
    """

    thread: Thread
    messages: tuple[Event, ...]
    parts: tuple[SplitPart, ...]
