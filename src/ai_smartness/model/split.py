"""The proposal of a split."""

from dataclasses import dataclass

from ai_smartness.model.event import Event
from ai_smartness.model.thread import Thread

__all__ = ["SplitPart", "SplitProposal"]


@dataclass(frozen=True, slots=True)
class SplitPart:
    """A part that gets a thread of its own: a title, and the ids of its messages."""

    title: str
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SplitProposal:
    """A thread with its messages, and the parts that it seems to have.

    Messages of no part stay. A thread without parts seems to be about one subject.
    """

    thread: Thread
    messages: tuple[Event, ...]
    parts: tuple[SplitPart, ...]
