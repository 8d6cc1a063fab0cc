"""Where one project's messages are placed.

The desk keeps in mind the open threads as placing knows them. Nothing of it is
on disk: it is read again from the project's latest events.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from ai_smartness.capture.blocks import BLOCK_EVENTS, start_of
from ai_smartness.capture.note import placed_as
from ai_smartness.capture.placing import (
    Board,
    Incoming,
    Placement,
    PlaceRules,
    incoming,
    placement,
)
from ai_smartness.model.event import Event, is_pin
from ai_smartness.ports import ThreadStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]

__all__ = ["Desk"]

_READ_EVENTS = 1_000


class Desk:
    """The board of a project, kept in step with what is stored."""

    def __init__(
        self, project: str, rules: PlaceRules, space: str | None, block: int = BLOCK_EVENTS
    ) -> None:
        self.project = project
        self._rules = rules
        self._space = space
        self._size = block
        self.forget()

    def forget(self) -> None:
        """Clear the desk: what it was told may not have been stored."""
        self._board = Board()
        self._held: dict[str | None, list[Event]] = {}
        self._seq = 0
        self._events = 0
        self._block: int | None = None
        self._moved = 0

    def message(self, event: Event, vector: "Vector | None", thread: str | None = None) -> Incoming:
        """Read from an event what placing looks at."""
        return incoming(event, vector, self._board.known_names(event.session), thread)

    def choice(self, message: Incoming) -> Placement:
        """Decide on which thread a message belongs."""
        return placement(message, self._board, self._rules)

    def held(self, session: str | None) -> list[Event]:
        """Return the events of a session that looked like leaving and await the next."""
        return self._held.get(session, [])

    def move_held(self, session: str | None, moved: list[Event]) -> None:
        """Take note that a session's held events are on another thread now."""
        self._held[session] = moved

    def take(self, event: Event, message: Incoming, *, held: bool) -> None:
        """Take note of a stored event; a pin is no place for others, and moves nobody there."""
        self._seq = event.seq
        self._events += 1
        if is_pin(event):
            return
        if held:
            self._board.hold(message, event.thread_id)
            self._held.setdefault(event.session, []).append(event)
        else:
            for each in self._held.pop(event.session, [])[-1:]:
                self._board.settle(event.session, each.thread_id)
            self._board.add(message, event.thread_id)

    def catch_up(self, store: ThreadStore) -> None:
        """Read what was captured elsewhere since, or everything if nothing is known yet."""
        total, moved = store.events.count(self.project), store.journal.last_move(self.project)
        in_step = (self._block, self._moved) == (total // self._size, moved)
        if not in_step or (self._seq and self._seq not in store.events.standing([self._seq])):
            # A new block has begun, somebody put messages on other threads, or all were forgotten.
            self.forget()
            self._block, self._moved = total // self._size, moved
            self._events, self._seq = start_of(store, self.project, total, self._size)
        self._reread_held(store)
        while events := store.events.since(self.project, self._seq, _READ_EVENTS):
            self._read(store, events)

    def _reread_held(self, store: ThreadStore) -> None:
        """Take the held events as they are now: another process may have moved them along."""
        seqs = [event.seq for events in self._held.values() for event in events]
        now = store.events.by_seq(seqs)
        for session, events in self._held.items():
            self._held[session] = [now[event.seq] for event in events]

    def room(self) -> int:
        """Tell how many events fit before the block is full."""
        return self._size - self._events % self._size

    def _read(self, store: ThreadStore, events: Sequence[Event]) -> None:
        seqs = [event.seq for event in events]
        notes = store.notes.of(seqs)
        vectors = store.vectors.of_events(self.project, self._space, seqs) if self._space else {}
        for event in events:
            message = self.message(event, vectors.get(event.seq))
            self.take(event, message, held=placed_as(notes.get(event.seq)).held)
