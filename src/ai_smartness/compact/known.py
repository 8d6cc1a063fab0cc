"""What events name and state: as it was noted when they were captured, else read from them."""

from collections.abc import Mapping, Sequence

from ai_smartness.capture.extract import extracted
from ai_smartness.model.event import Event, by_agent
from ai_smartness.model.note import Mention, Named, Note, Proposal
from ai_smartness.threads.kinds import proposals

__all__ = ["Known", "named_in", "stated_in"]


class Known:
    """Notes of events, by their numbers."""

    def __init__(self, notes: Mapping[int, Note]) -> None:
        self._notes = notes

    def named(self, event: Event) -> Sequence[Mention]:
        """Return what an event names."""
        note = self._notes.get(event.seq)
        return named_in(event) if note is None else note.mentions

    def stated(self, event: Event) -> Sequence[Proposal]:
        """Return what an event's speaker plainly states; an agent states nothing."""
        note = self._notes.get(event.seq)
        return stated_in(event) if note is None else note.proposals


def named_in(event: Event) -> Sequence[Mention]:
    """Read from an event what it names."""
    found = extracted(event.text)
    named = {
        Named.PATH: found.files,
        Named.IDENTIFIER: found.identifiers,
        Named.COMMAND: found.commands,
        Named.URL: found.urls,
        Named.ERROR: found.errors,
    }
    return [Mention(kind, name) for kind, names in named.items() for name in names]


def stated_in(event: Event) -> Sequence[Proposal]:
    """Read from an event what its speaker plainly states."""
    return () if by_agent(event) else proposals(event.text)
