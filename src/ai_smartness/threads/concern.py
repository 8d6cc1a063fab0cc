"""Whether a bridge of a thread concerns some of its messages.

A bridge says why it was made. It concerns the messages that hold what it speaks
of; where the reason is not in the thread's own words, those that speak of what
the thread at its other end is about.
"""

from collections.abc import Iterable, Sequence

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.event import Event
from ai_smartness.model.thread import Thread
from ai_smartness.threads.telling import terms

__all__ = ["Concerns"]

CONCERNED_SHARE = 0.5
"""Of the words that the bridge and the whole thread share, what some messages must hold."""


class Concerns:
    """What a thread's messages speak of, against which its bridges are held."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._of = {event.seq: frozenset(terms(event.text)) for event in events}
        self._all = frozenset[str]().union(*self._of.values())

    def hold(self, bridge: Bridge, other: Thread, some: Iterable[Event]) -> bool:
        """Say whether a bridge to another thread concerns some of the messages."""
        about = frozenset(terms(bridge.reason)) & self._all
        about = about or frozenset(terms(f"{other.title} {' '.join(other.topics)}")) & self._all
        held = about & frozenset[str]().union(*(self._of[event.seq] for event in some))
        return bool(about) and len(held) >= CONCERNED_SHARE * len(about)
