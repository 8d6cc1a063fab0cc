"""Decide which thread a message belongs to, and record where it was stored.

A message continues the session's current thread, returns to an older one or opens a new one.
None is dropped for being different. The state is not stored: `ThreadAssigner` rebuilds it from
the project's latest events.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from ai_smartness.capture.annotate import known_placement
from ai_smartness.capture.assign.message import IncomingMessage, incoming_message
from ai_smartness.capture.assign.multi_speaker import multi_speaker_placement
from ai_smartness.capture.assign.scoring import AssignmentCase, Placement
from ai_smartness.capture.assign.single_user import resumed_placement, single_user_placement
from ai_smartness.capture.assign.state import AssignmentState
from ai_smartness.capture.assign.weights import AssignWeights
from ai_smartness.model.event import Event, is_pin
from ai_smartness.ports import ThreadStore
from ai_smartness.ports.give_way import paced_items

if TYPE_CHECKING:
    from ai_smartness.capture.assign.message import Vector

__all__ = ["BLOCK_EVENTS", "ThreadAssigner", "block_start", "decide_placement", "record_placement"]

BLOCK_EVENTS = 5_000  # one to two blocks are in memory: weeks of work, read in about a second
RULE_REASON = "rule"
_READ_BATCH_EVENTS = 1_000


def decide_placement(
    message: IncomingMessage, state: AssignmentState, weights: AssignWeights
) -> Placement:
    """Decide which thread a message belongs to."""
    if message.thread is not None:
        return Placement(message.thread, "explicit")
    session = state.session_state(message.session)
    current = session.current_thread
    if message.by_agent and message.session is not None and current is not None:
        # An agent answers whoever it works for, so two parallel sessions never get mixed up.
        answered = session.rule_thread or current
        return Placement(answered, "answers", held=bool(session.held_messages))
    case = AssignmentCase(message, state, session, weights, state.term_weights(message.terms))
    if message.session is None or message.speaker is not None:
        return multi_speaker_placement(case)
    if resumed := resumed_placement(case):
        return resumed
    if current is None:
        return Placement(None, "opens")
    return single_user_placement(case, current)


def record_placement(
    state: AssignmentState, message: IncomingMessage, placement: Placement, new_id: str
) -> str:
    """Update the state with a decision and return the thread's id.

    The messages that the session held back are settled too: on their thread, or on this
    message's thread if `takes_held` says so.
    """
    thread_id = placement.thread if placement.thread is not None else new_id
    if placement.reason == RULE_REASON:
        state.add_rule(message, thread_id)
        return thread_id
    if placement.held:
        state.hold_message(message, thread_id)
        return thread_id
    held_on = state.session_state(message.session).current_thread
    settles_on = thread_id if placement.takes_held or held_on is None else held_on
    state.settle_held(message.session, settles_on)
    state.add_message(message, thread_id)
    return thread_id


class ThreadAssigner:
    """The assignment state of one project, kept in step with the store."""

    def __init__(
        self, project: str, rules: AssignWeights, space: str | None, block: int = BLOCK_EVENTS
    ) -> None:
        self.project = project
        self._weights = rules
        self._space = space
        self._block_events = block
        self.clear_state()

    def clear_state(self) -> None:
        """Discard the state: it may include events that were not stored."""
        self._state = AssignmentState()
        self._held_events: dict[str | None, list[Event]] = {}
        self._seq = 0
        self._events = 0
        self._block: int | None = None
        self._moved = 0

    def incoming_message(
        self, event: Event, vector: "Vector | None", thread: str | None = None
    ) -> IncomingMessage:
        """Return the event as the assignment rules see it."""
        return incoming_message(event, vector, self._state.known_names(event.session), thread)

    def choose_thread(self, message: IncomingMessage) -> Placement:
        """Decide which thread a message belongs to."""
        return decide_placement(message, self._state, self._weights)

    def record_event(
        self, event: Event, message: IncomingMessage, *, held: bool, reason: str = ""
    ) -> None:
        """Record a stored event.

        A pin changes neither its thread nor its session, and a rule not its session.
        """
        self._seq = event.seq
        self._events += 1
        if is_pin(event):
            return
        if reason == RULE_REASON:
            self._state.add_rule(message, event.thread_id)
        elif held:
            self._state.hold_message(message, event.thread_id)
            self._held_events.setdefault(event.session, []).append(event)
        else:
            for last_held in self._held_events.pop(event.session, [])[-1:]:
                self._state.settle_held(event.session, last_held.thread_id)
            self._state.add_message(message, event.thread_id)

    def held_events(self, session: str | None) -> list[Event]:
        """Return the session's held events: the next one decides where they belong."""
        return self._held_events.get(session, [])

    def replace_held(self, session: str | None, moved: list[Event]) -> None:
        """Replace the session's held events after they moved to another thread."""
        self._held_events[session] = moved

    def events_until_block_end(self) -> int:
        """Return how many more events fit into the current block."""
        return self._block_events - self._events % self._block_events

    def catch_up(self, store: ThreadStore) -> None:
        """Read the events that were captured elsewhere, or all if the state is empty."""
        held_seqs = [event.seq for events in self._held_events.values() for event in events]
        total, moved, last, held, later = store.read_together(
            partial(store.events.count, self.project),
            partial(store.journal.last_move_seq, self.project),
            partial(store.events.positions_by_seq, [self._seq]),
            partial(store.events.by_seq, held_seqs),
            partial(self._later_events, store),
        )
        block = total // self._block_events
        is_gone = self._seq and self._seq not in last
        if (self._block, self._moved) != (block, moved) or is_gone:
            # A new block has begun, messages were moved to other threads, or all were forgotten.
            self.clear_state()
            self._block, self._moved = block, moved
            self._events, self._seq = block_start(store, self.project, total, self._block_events)
            later = self._later_events(store)
        # Another process may have moved the held events.
        for session, events in self._held_events.items():
            self._held_events[session] = [held[event.seq] for event in events]
        while later:
            self._read_events(store, later)
            later = self._later_events(store) if len(later) == _READ_BATCH_EVENTS else []

    def _later_events(self, store: ThreadStore) -> list[Event]:
        return store.events.after_seq(self.project, self._seq, _READ_BATCH_EVENTS)

    def _read_events(self, store: ThreadStore, events: Sequence[Event]) -> None:
        seqs = [event.seq for event in events]
        annotations = store.annotations.of(seqs)
        space = self._space
        vectors = store.vector_index.event_centres(self.project, space, seqs) if space else {}
        for event in paced_items(events):
            message = self.incoming_message(event, vectors.get(event.seq))
            placed = known_placement(annotations.get(event.seq))
            self.record_event(event, message, held=placed.held, reason=placed.reason)


def block_start(store: ThreadStore, project: str, events: int, block: int) -> tuple[int, int]:
    """Return where to start reading a project: the number of events before, and the last `seq`.

    It is the start of the block before the current one, so the result does not depend on
    when the reader started.
    """
    before = max(0, events // block - 1) * block
    return before, store.events.seq_of_nth(project, before) if before else 0
