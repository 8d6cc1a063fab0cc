"""Describe threads after capture: titles, topics, summaries, and bridges to other threads.

A message is stored, assigned and findable before this. Live messages are described at once,
a history on the first read. Events are processed in their order, a block at a time, so the result
is the same for every process and after every interruption.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from ai_smartness.capture.annotate import CaptureContext, refresh_annotation
from ai_smartness.capture.assign.assigner import BLOCK_EVENTS, block_start
from ai_smartness.describe.bridge_finder import BridgeFinder, FinderMessage
from ai_smartness.describe.description import (
    Description,
    ThreadDescriber,
    described_line,
    subject_text,
)
from ai_smartness.model.annotation import Annotation, MentionKind
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.event import Event, is_by_agent, is_pin
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.ports.give_way import paced_items
from ai_smartness.threads.redescribe import thread_with_description, thread_with_files

__all__ = ["DescriptionState", "DescriptionUpdater", "RecordedEvent", "redescribed_thread"]


TRANSACTION_EVENTS = 200
LIVE_EVENTS = 8  # a transaction with as few describes what was just said

FOUND_BY_SIMILARITY = "similarity"  # how a bridge is marked that nobody made by hand

USER_STATEMENT_CHARACTERS = 2_000
AGENT_STATEMENT_CHARACTERS = 240
"""The start of a message may state a value or a decision; the rest is a paste or a report."""

_SUBJECT_MENTIONS = frozenset({MentionKind.PATH, MentionKind.IDENTIFIER, MentionKind.URL})


class RecordedEvent(NamedTuple):
    """An event on its final thread, and whether the thread needs a new description."""

    event: Event
    annotation: Annotation
    due: bool


class DescriptionState:
    """The descriptions and statements of a project's threads, in the order of its messages."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        self._describer = ThreadDescriber()
        self._bridge_finder = BridgeFinder()
        self._held_events: dict[str | None, list[tuple[Event, Annotation]]] = {}
        self._titles: dict[str, str] = dict(titles)
        self._title_counts: Counter[str] = Counter(self._titles.values())

    def record_event(self, event: Event, annotation: Annotation) -> list[RecordedEvent]:
        """Record an event; return the events that are final now.

        A held event is final when its session's next event is not held: only then is its
        thread certain. A pin does not decide that.
        """
        if is_pin(event):
            return [self._recorded(event, annotation)]
        held = self._held_events.setdefault(event.session, [])
        if annotation.placed.held:
            held.append((event, annotation))
            return []
        self._held_events[event.session] = []
        return [self._recorded(*pair) for pair in [*held, (event, annotation)]]

    def reread_held(self, session: str | None, store: ThreadStore) -> None:
        """Read a session's held events again: they may be on another thread by now."""
        if held := self._held_events.get(session):
            stored = store.events.by_seq([event.seq for event, _ in held])
            held[:] = [(stored[event.seq], annotation) for event, annotation in held]

    def held_threads(self, session: str | None) -> list[str]:
        """Return the threads of a session's held events."""
        return [event.thread_id for event, _ in self._held_events.get(session, ())]

    def describe_thread(self, thread_id: str) -> Description:
        """Describe a thread, under a title that no other thread has."""
        former = self._titles.get(thread_id, "")
        description = self._describer.description_of(thread_id, former, self._title_counts)
        self._titles[thread_id] = description.title
        counts = self._title_counts
        counts[description.title] += 1
        if former:
            counts[former] -= 1
            if not counts[former]:
                del counts[former]
        return description

    def bridges_from(self, thread_id: str) -> tuple[Bridge, ...]:
        """Return the bridges from a thread to earlier ones."""
        return self._bridge_finder.bridges_of(thread_id)

    def _recorded(self, event: Event, annotation: Annotation) -> RecordedEvent:
        agent = is_by_agent(event)
        characters = AGENT_STATEMENT_CHARACTERS if agent else USER_STATEMENT_CHARACTERS
        message = FinderMessage(
            text=subject_text(event)[:characters],
            by_agent=agent,
            session=event.session,
            at=event.at,
            names=frozenset(
                mention.name
                for mention in annotation.mentions
                if mention.named in _SUBJECT_MENTIONS
            ),
        )
        self._bridge_finder.add(event.thread_id, message)
        due = self._describer.add(event.thread_id, described_line(event))
        return RecordedEvent(event, annotation, due=due)


def redescribed_thread(
    store: ThreadStore,
    state: DescriptionState,
    thread: Thread,
    bridges: Sequence[Bridge] | None = None,
) -> Thread:
    """Return the thread with a new description, and update its bridges, which may be known.

    A title and topics that somebody chose stay.
    """
    if bridges is None:
        bridges = store.bridges.of(thread.id, unwanted=True)
    _update_bridges(store, state, thread.id, bridges)
    return thread_with_description(thread, state.describe_thread(thread.id))


def _update_bridges(
    store: ThreadStore, state: DescriptionState, thread_id: str, known: Sequence[Bridge]
) -> None:
    """Replace the bridges that were found from a thread, and keep when they were used.

    A bridge that somebody made stays, and one that somebody removed stays away.
    """
    made = {
        bridge.id for bridge in known if bridge.unwanted or bridge.made_by != FOUND_BY_SIMILARITY
    }
    before = {
        bridge.id: bridge
        for bridge in known
        if bridge.source == thread_id and bridge.id not in made
    }
    bridges = [
        replace(bridge, weight=max(bridge.weight, used.weight), last_used=used.last_used)
        if (used := before.pop(bridge.id, None)) and used.last_used > bridge.last_used
        else bridge
        for bridge in state.bridges_from(thread_id)
        if bridge.id not in made
    ]
    store.bridges.remove(list(before))
    store.bridges.save(bridges)


class DescriptionUpdater:
    """Describes the threads of one project, and keeps the state of its latest events."""

    def __init__(self, project: str, block: int = BLOCK_EVENTS) -> None:
        self._project = project
        self._block_events = block
        self._clear_state()

    def _clear_state(self) -> None:
        self._state = DescriptionState({})
        self._seq = -1
        self._events = 0
        self._moved = 0

    @property
    def is_cold(self) -> bool:
        """Say whether the project's latest events would have to be read first."""
        return self._seq < 0

    def describe_pending(
        self,
        store: ThreadStore,
        context: CaptureContext,
        progress: Progress,
        *,
        is_new: bool = False,
    ) -> int:
        """Describe the threads of all events that are not described yet; return how many.

        If `is_new`, there surely are some.
        """
        done = 0
        while (is_new and not self.is_cold) or self._has_pending(store):
            is_new = False
            try:
                with store.unit(self._project):
                    described, is_complete = self._describe_unit(store, context)
            except BaseException:
                self._clear_state()
                raise
            done += described
            pending = 0 if is_complete else store.events.count(self._project) - self._events
            progress(done, done + max(0, pending))
            if is_complete:
                break
        return done

    def _has_pending(self, store: ThreadStore) -> bool:
        """Say whether events are not described yet; then read what is, without the lock."""
        described, moved = self._progress_marks(store)
        if not store.events.after_seq(self._project, described, 1):
            return False
        # As in capture, the long read happens without the lock.
        self._catch_up(store, described, moved)
        return True

    def _progress_marks(self, store: ThreadStore) -> tuple[int, int]:
        """Return up to which `seq` events are described, and the last move in the journal."""
        described, moved = store.read_together(
            partial(store.annotations.described_through, self._project),
            partial(store.journal.last_move_seq, self._project),
        )
        return described, moved

    def _describe_unit(self, store: ThreadStore, context: CaptureContext) -> tuple[int, bool]:
        """Describe the next events; return how many, and whether they are the last."""
        (described, moved), events = store.read_together(
            partial(self._progress_marks, store), partial(self._next_events, store)
        )
        if not self._catch_up(store, described, moved):
            events = self._next_events(store)
        is_complete = len(events) < self._room
        ids = sorted({event.thread_id for event in events})
        # Of a history, few of the threads that a transaction describes need their bridges.
        bridged = self._final_threads(events) if len(events) <= LIVE_EVENTS else []
        known, stored, _, *bridges = store.read_together(
            partial(store.annotations.of, [event.seq for event in events]),
            partial(store.threads.by_id, ids),
            partial(self._reread_held, store, events),
            *(partial(store.bridges.of, id_, unwanted=True) for id_ in bridged),
        )
        annotations = [
            refresh_annotation(event, known.get(event.seq), context)
            for event in paced_items(events)
        ]
        threads = _DescribedThreads(store, stored, dict(zip(bridged, bridges, strict=True)))
        for event, annotation in zip(paced_items(events), annotations, strict=True):
            self._describe_event(store, threads, event, annotation)
        store.annotations.add(annotations)
        for thread in threads.described.values():
            store.threads.save(thread)
        store.annotations.mark_described(self._project, self._seq)
        return len(events), is_complete

    @property
    def _room(self) -> int:
        """The number of events that the next transaction may describe."""
        return min(TRANSACTION_EVENTS, self._block_events - self._events % self._block_events)

    def _next_events(self, store: ThreadStore) -> list[Event]:
        return store.events.after_seq(self._project, self._seq, self._room)

    def _describe_event(
        self,
        store: ThreadStore,
        threads: "_DescribedThreads",
        event: Event,
        annotation: Annotation,
    ) -> None:
        for recorded in self._record_event(event, annotation):
            id_ = recorded.event.thread_id
            thread = thread_with_files(threads.load(id_), recorded.annotation)
            if recorded.due:
                thread = redescribed_thread(store, self._state, thread, threads.take_bridges(id_))
            threads.described[id_] = thread

    def _final_threads(self, events: Sequence[Event]) -> list[str]:
        """Return the threads of events, and of the held ones before them in their sessions."""
        sessions = dict.fromkeys(event.session for event in events)
        held = (id_ for session in sessions for id_ in self._state.held_threads(session))
        return sorted({*(event.thread_id for event in events), *held})

    def _reread_held(self, store: ThreadStore, events: Sequence[Event]) -> None:
        sessions = dict.fromkeys(event.session for event in events)
        store.read_together(
            *(partial(self._state.reread_held, session, store) for session in sessions)
        )

    def _record_event(self, event: Event, annotation: Annotation) -> list[RecordedEvent]:
        self._seq = event.seq
        self._events += 1
        return self._state.record_event(event, annotation)

    def _catch_up(self, store: ThreadStore, described: int, moved: int) -> bool:
        """Read the events that are described already, by any process, up to this number.

        Return whether they were read before.
        """
        in_step = self._seq == described and self._moved == moved
        if in_step and (self._events % self._block_events or not self._events):
            return True
        self._moved = moved
        events = store.events.count_through(self._project, described)
        threads = store.threads.all(self._project)
        titles = {thread.id: thread.title for thread in threads if thread.title}
        self._state = DescriptionState(titles)
        self._events, self._seq = block_start(store, self._project, events, self._block_events)
        known = store.events.after_seq(self._project, self._seq, events - self._events)
        annotations = store.annotations.of(event.seq for event in known)
        for event in paced_items(known):
            self._record_event(event, annotations[event.seq])
        return False


class _DescribedThreads:
    """The threads of one transaction: as they are stored, and as they are described."""

    def __init__(
        self,
        store: ThreadStore,
        stored: Mapping[str, Thread],
        bridges: dict[str, Sequence[Bridge]],
    ) -> None:
        self._store = store
        self._stored = stored
        self._bridges = bridges
        self.described: dict[str, Thread] = {}

    def load(self, thread_id: str) -> Thread:
        """Return a thread; one of held events may not have been loaded with the others."""
        known = self.described.get(thread_id) or self._stored.get(thread_id)
        return known or self._store.threads.get(thread_id)

    def take_bridges(self, thread_id: str) -> Sequence[Bridge] | None:
        """Return the bridges of a thread if they are loaded and were not taken before."""
        return self._bridges.pop(thread_id, None)
