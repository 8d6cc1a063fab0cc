"""From which event on a project's latest past is kept in mind.

Whoever keeps it in mind starts at the beginning of the block before the one that
is being filled, so that it does not matter when they started.
"""

from ai_smartness.ports import ThreadStore

__all__ = ["BLOCK_EVENTS", "Start", "start_of"]

from typing import NamedTuple

BLOCK_EVENTS = 5_000
"""One block to two are in mind: weeks of work, read in about a second."""


class Start(NamedTuple):
    """Where to start reading: the events before it, and the number of the last of them."""

    events: int
    seq: int


def start_of(store: ThreadStore, project: str, events: int, block: int) -> Start:
    """Return where to start reading when so many events have come."""
    before = max(0, events // block - 1) * block
    return Start(before, store.events.nth(project, before) if before else 0)
