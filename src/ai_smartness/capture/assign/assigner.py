"""From which event on a project's latest past is kept in mind.

Whoever keeps it in mind starts at the beginning of the block before the one that
is being filled, so that it does not matter when they started.

Put each message on the thread it belongs to.

It continues the session's current thread, goes back to an older one or opens a
new one. A message always gets a thread: none is dropped for being different.

Where one project's messages are placed.

The desk keeps in mind the open threads as placing knows them. Nothing of it is
on disk: it is read again from the project's latest events.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ai_smartness.capture.annotate import known_placement
from ai_smartness.capture.assign.message import IncomingMessage, incoming_message
from ai_smartness.capture.assign.multi_speaker import multi_speaker_placement
from ai_smartness.capture.assign.scoring import AssignmentCase, Placement
from ai_smartness.capture.assign.single_user import resumed_placement, single_user_placement
from ai_smartness.capture.assign.state import AssignmentState
from ai_smartness.capture.assign.weights import AssignWeights
from ai_smartness.model.event import Event, is_pin
from ai_smartness.ports import ThreadStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]

__all__ = [
    "BLOCK_EVENTS",
    "BlockStart",
    "ThreadAssigner",
    "block_start",
    "decide_placement",
    "record_placement",
]


BLOCK_EVENTS = 5_000
"""One block to two are in mind: weeks of work, read in about a second."""


class BlockStart(NamedTuple):
    """Where to start reading: the events before it, and the number of the last of them."""

    events: int
    seq: int


def block_start(store: ThreadStore, project: str, events: int, block: int) -> BlockStart:
    """Return where to start reading when so many events have come."""
    before = max(0, events // block - 1) * block
    return BlockStart(before, store.events.seq_of_nth(project, before) if before else 0)


def decide_placement(
    message: IncomingMessage,
    board: AssignmentState,
    rules: AssignWeights,
) -> Placement:
    """Decide which thread a message belongs to."""
    if message.thread is not None:
        return Placement(message.thread, "explicit")
    seat = board.session_state(message.session)
    if message.by_agent and message.session is not None and seat.current_thread is not None:
        # An agent answers whoever it works for, so two sessions at once never get mixed up.
        return Placement(seat.current_thread, "answers", held=bool(seat.held_messages))
    case = AssignmentCase(message, board, seat, rules, board.term_weights(message.terms))
    if message.session is None or message.speaker is not None:
        return multi_speaker_placement(case)
    if back := resumed_placement(case):
        return back
    return (
        Placement(None, "opens")
        if seat.current_thread is None
        else single_user_placement(case, seat.current_thread)
    )


def record_placement(
    board: AssignmentState,
    message: IncomingMessage,
    decided: Placement,
    new_id: str,
) -> str:
    """Bring the board up to date with a decision and return the thread's id.

    What the session held back is settled with it: on the thread it was held
    on, or along with this message where `takes_held` says so.
    """
    thread_id = decided.thread if decided.thread is not None else new_id
    if decided.held:
        board.hold_message(message, thread_id)
        return thread_id
    held_on = board.session_state(message.session).current_thread
    board.settle_held(
        message.session,
        thread_id if decided.takes_held or held_on is None else held_on,
    )
    board.add_message(message, thread_id)
    return thread_id


_READ_BATCH_EVENTS = 1_000


class ThreadAssigner:
    """The board of a project, kept in step with what is stored."""

    def __init__(
        self,
        project: str,
        rules: AssignWeights,
        space: str | None,
        block: int = BLOCK_EVENTS,
    ) -> None:
        self.project = project
        self._rules = rules
        self._space = space
        self._block_events = block
        self.clear_state()

    def clear_state(self) -> None:
        """Clear the desk: what it was told may not have been stored."""
        self._state = AssignmentState()
        self._held_events: dict[str | None, list[Event]] = {}
        self._seq = 0
        self._events = 0
        self._block: int | None = None
        self._moved = 0

    def incoming_message(
        self,
        event: Event,
        vector: "Vector | None",
        thread: str | None = None,
    ) -> IncomingMessage:
        """Read from an event what placing looks at."""
        return incoming_message(event, vector, self._state.known_names(event.session), thread)

    def choose_thread(self, message: IncomingMessage) -> Placement:
        """Decide on which thread a message belongs."""
        return decide_placement(message, self._state, self._rules)

    def held_events(self, session: str | None) -> list[Event]:
        """Return the events of a session that looked like leaving and await the next."""
        return self._held_events.get(session, [])

    def replace_held(self, session: str | None, moved: list[Event]) -> None:
        """Take note that a session's held events are on another thread now."""
        self._held_events[session] = moved

    def record_event(self, event: Event, message: IncomingMessage, *, held: bool) -> None:
        """Take note of a stored event; a pin is no place for others, and moves nobody there."""
        self._seq = event.seq
        self._events += 1
        if is_pin(event):
            return
        if held:
            self._state.hold_message(message, event.thread_id)
            self._held_events.setdefault(event.session, []).append(event)
        else:
            for each in self._held_events.pop(event.session, [])[-1:]:
                self._state.settle_held(event.session, each.thread_id)
            self._state.add_message(message, event.thread_id)

    def catch_up(self, store: ThreadStore) -> None:
        """Read what was captured elsewhere since, or everything if nothing is known yet."""
        total, moved = store.events.count(self.project), store.journal.last_move_seq(self.project)
        in_step = (self._block, self._moved) == (total // self._block_events, moved)
        if not in_step or (
            self._seq and self._seq not in store.events.positions_by_seq([self._seq])
        ):
            # A new block has begun, somebody put messages on other threads, or all were forgotten.
            self.clear_state()
            self._block, self._moved = total // self._block_events, moved
            self._events, self._seq = block_start(store, self.project, total, self._block_events)
        self._reread_held(store)
        while events := store.events.after_seq(self.project, self._seq, _READ_BATCH_EVENTS):
            self._read_events(store, events)

    def _reread_held(self, store: ThreadStore) -> None:
        """Take the held events as they are now: another process may have moved them along."""
        seqs = [event.seq for events in self._held_events.values() for event in events]
        now = store.events.by_seq(seqs)
        for session, events in self._held_events.items():
            self._held_events[session] = [now[event.seq] for event in events]

    def events_until_block_end(self) -> int:
        """Tell how many events fit before the block is full."""
        return self._block_events - self._events % self._block_events

    def _read_events(self, store: ThreadStore, events: Sequence[Event]) -> None:
        seqs = [event.seq for event in events]
        notes = store.annotations.of(seqs)
        vectors = (
            store.vector_index.event_centres(self.project, self._space, seqs) if self._space else {}
        )
        for event in events:
            message = self.incoming_message(event, vectors.get(event.seq))
            self.record_event(event, message, held=known_placement(notes.get(event.seq)).held)
