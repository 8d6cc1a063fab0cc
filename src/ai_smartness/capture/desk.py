"""What the memory has in mind of a project while it captures.

The open threads as placing knows them and the almanac of their words. Nothing
of it is on disk: it is read again from the project's latest events, and always
from the same place, so that it does not matter who captured and how often it
was opened in between.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ai_smartness.capture.almanac import Almanac
from ai_smartness.capture.note import unnoted
from ai_smartness.capture.placing import (
    Board,
    Incoming,
    Placement,
    PlaceRules,
    incoming,
    placement,
)
from ai_smartness.model.event import Event
from ai_smartness.model.note import Note
from ai_smartness.ports import ThreadStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]

__all__ = ["BLOCK_EVENTS", "Desk"]

BLOCK_EVENTS = 10_000
"""A desk holds this many to twice as many of the latest events: months of work, read in a
second. When a block is full the one before it is cleared away, at the same event for everybody."""

_READ_EVENTS = 1_000


class Desk:
    """Where one project's messages are placed."""

    def __init__(
        self, project: str, rules: PlaceRules, space: str | None, block: int = BLOCK_EVENTS
    ) -> None:
        self.project = project
        self._rules = rules
        self._space = space
        self._size = block
        self._clear({})

    def _clear(self, titles: Mapping[str, str]) -> None:
        self.board = Board()
        self.almanac = Almanac(titles)
        self.seq = 0
        self.events = 0
        self._block: int | None = None

    def message(self, event: Event, vector: "Vector | None", thread: str | None = None) -> Incoming:
        """Read from an event what placing looks at."""
        return incoming(event, vector, self.board.known_names(event.session), thread)

    def choice(self, message: Incoming) -> Placement:
        """Decide on which thread a message belongs."""
        return placement(message, self.board, self._rules)

    def take(self, event: Event, note: Note, message: Incoming) -> list[str]:
        """Take note of a stored event, and name the threads that are due for a description."""
        if note.placed.held:
            self.board.hold(message, event.thread_id)
        else:
            for held in self.almanac.held(event.session)[-1:]:
                self.board.settle(event.session, held.thread_id)
            self.board.add(message, event.thread_id)
        self.seq = event.seq
        self.events += 1
        return self.almanac.take(event, note)

    def catch_up(self, store: ThreadStore) -> None:
        """Read what was captured elsewhere since, or everything if nothing is known yet."""
        total = store.events.count(self.project)
        if self._block != total // self._size:
            self._start_at_block(store, total // self._size)
        while events := store.events.since(self.project, self.seq, _READ_EVENTS):
            self._read(store, events)

    def room(self) -> int:
        """Tell how many events fit before the block is full."""
        return self._size - self.events % self._size

    def forget(self) -> None:
        """Clear the desk: what it was told may not have been stored."""
        self._clear({})

    def _start_at_block(self, store: ThreadStore, block: int) -> None:
        threads = store.threads.all(self.project)
        self._clear({thread.id: thread.title for thread in threads if thread.title})
        self._block = block
        before = max(0, block - 1) * self._size
        self.events = before
        self.seq = store.events.nth(self.project, before) if before else 0

    def _read(self, store: ThreadStore, events: Sequence[Event]) -> None:
        seqs = [event.seq for event in events]
        notes = store.notes.of(seqs)
        vectors = store.vectors.of_events(self.project, self._space, seqs) if self._space else {}
        for event in events:
            note = notes.get(event.seq) or unnoted(event)
            self.take(event, note, self.message(event, vectors.get(event.seq)))
