"""What is written down about a project's threads as its messages come in.

The words that describe each thread and the statements that link it to others,
in the order the messages were placed. What follows from it depends on that order
alone, so it can be had again by reading the messages through once more.

Say anew what a thread is about and what it is linked to.

Tell what was captured: what each message names, what each thread is about and linked to.

A message is stored, placed and findable before this; a live one is told of at
once, a history when somebody looks. Told in the order of the messages, a block at
a time, it comes out the same whoever does it and however often it is interrupted.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from ai_smartness.capture.annotate import CaptureContext, refresh_note
from ai_smartness.capture.assign.assigner import BLOCK_EVENTS, block_start
from ai_smartness.describe.bridge_finder import BridgeFinder, FinderMessage
from ai_smartness.describe.description import Description, ThreadDescriber
from ai_smartness.describe.parse_message import ThreadLine
from ai_smartness.describe.relations import BridgeRules
from ai_smartness.model.annotation import Annotation, MentionKind
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.event import Event, is_by_agent, is_pin
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Progress, ThreadStore
from ai_smartness.threads.redescribe import all_topics, thread_with_files

__all__ = ["DescriptionState", "DescriptionUpdater", "RecordedEvent", "redescribed_thread"]


USER_STATEMENT_CHARACTERS = 2_000
AGENT_STATEMENT_CHARACTERS = 240
"""Of a message, what may state a value or a decision: what follows is a paste, or a report."""

_SUBJECT_MENTIONS = frozenset({MentionKind.PATH, MentionKind.IDENTIFIER, MentionKind.URL})


class RecordedEvent(NamedTuple):
    """An event that is sure of its thread, and whether that is due for a new description."""

    event: Event
    note: Annotation
    due: bool


class DescriptionState:
    """The notebook and the crossroads of a project, kept in step."""

    def __init__(self, titles: Mapping[str, str], rules: BridgeRules) -> None:
        self._notebook = ThreadDescriber()
        self._bridge_finder = BridgeFinder(rules)
        self._held_events: dict[str | None, list[tuple[Event, Annotation]]] = {}
        self._titles: dict[str, str] = dict(titles)
        self._title_counts: Counter[str] = Counter(self._titles.values())

    def record_event(self, event: Event, note: Annotation) -> list[RecordedEvent]:
        """Write an event down; return what is written down now, with what it is due for.

        One that is held is written down when the session's next one is not:
        only then is it sure on which thread it stays. A pin says nothing of that.
        """
        if is_pin(event):
            return [RecordedEvent(event, note, due=self._record_statement(event, note))]
        held = self._held_events.setdefault(event.session, [])
        if note.placed.held:
            held.append((event, note))
            return []
        waited, self._held_events[event.session] = [*held, (event, note)], []
        return [
            RecordedEvent(each, its, due=self._record_statement(each, its)) for each, its in waited
        ]

    def held_seqs(self, session: str | None) -> list[int]:
        """Return the numbers of a session's events that are held."""
        return [event.seq for event, _ in self._held_events.get(session, [])]

    def refresh_held(self, session: str | None, events: Mapping[int, Event]) -> None:
        """Take a session's held events as they are now: they may be on another thread."""
        held = self._held_events.get(session, [])
        self._held_events[session] = [(events[event.seq], note) for event, note in held]

    def describe_thread(self, thread_id: str) -> Description:
        """Describe a thread by what sets it apart, under a title no other has."""
        former = self._titles.get(thread_id, "")
        found = self._notebook.description_of(thread_id, former, self._title_counts)
        self._titles[thread_id] = found.title
        self._count_title(former, found.title)
        return found

    def _count_title(self, former: str, title: str) -> None:
        self._title_counts[title] += 1
        if former:
            self._title_counts[former] -= 1
            if not self._title_counts[former]:
                del self._title_counts[former]

    def bridges_from(self, thread_id: str) -> tuple[Bridge, ...]:
        """Return the bridges from a thread to those before it."""
        return self._bridge_finder.bridges_of(thread_id)

    def _record_statement(self, event: Event, note: Annotation) -> bool:
        agent = is_by_agent(event)
        names = frozenset(each.name for each in note.mentions if each.named in _SUBJECT_MENTIONS)
        self._bridge_finder.add(
            event.thread_id,
            FinderMessage(
                text=event.text[
                    : AGENT_STATEMENT_CHARACTERS if agent else USER_STATEMENT_CHARACTERS
                ],
                by_agent=agent,
                session=event.session,
                at=event.at,
                names=names,
            ),
        )
        return self._notebook.add(
            event.thread_id,
            ThreadLine(event.role, event.text, by_agent=agent),
        )


FOUND_BY_SIMILARITY = "similarity"


def redescribed_thread(store: ThreadStore, almanac: DescriptionState, thread: Thread) -> Thread:
    """Return the thread under a new description, and renew the bridges that leave from it.

    A title that somebody gave it stays, and so do topics.
    """
    _renew_bridges(store, almanac, thread.id)
    found = almanac.describe_thread(thread.id)
    title = thread.title if thread.title_given else found.title
    topics = all_topics(thread.topics_given, found.topics)
    return replace(thread, title=title, topics=topics, summary=found.summary)


def _renew_bridges(store: ThreadStore, almanac: DescriptionState, thread_id: str) -> None:
    """Put the bridges found now in the place of those found before; use of them is kept.

    One that somebody made stays as it is, one that was taken away stays away.
    """
    known = store.bridges.of(thread_id, unwanted=True)
    made = {
        bridge.id for bridge in known if bridge.unwanted or bridge.made_by != FOUND_BY_SIMILARITY
    }
    before = {
        bridge.id: bridge
        for bridge in known
        if bridge.source == thread_id and bridge.id not in made
    }
    found = [
        replace(bridge, weight=max(bridge.weight, used.weight), last_used=used.last_used)
        if (used := before.pop(bridge.id, None)) and used.last_used > bridge.last_used
        else bridge
        for bridge in almanac.bridges_from(thread_id)
        if bridge.id not in made
    ]
    store.bridges.remove(list(before))
    store.bridges.save(found)


TRANSACTION_EVENTS = 200


class DescriptionUpdater:
    """Who tells of one project, with the almanac of its latest past in mind."""

    def __init__(self, project: str, rules: BridgeRules, block: int = BLOCK_EVENTS) -> None:
        self._project = project
        self._rules = rules
        self._block_events = block
        self._clear_state()

    def _clear_state(self) -> None:
        self._state = DescriptionState({}, self._rules)
        self._seq = -1
        self._events = 0
        self._moved = 0

    @property
    def is_cold(self) -> bool:
        """Tell whether the project's latest past would have to be read first."""
        return self._seq < 0

    def describe_pending(
        self,
        store: ThreadStore,
        present: CaptureContext,
        progress: Progress,
    ) -> int:
        """Tell of every event that was not told of yet, and return how many."""
        done = 0
        while self._has_pending(store):
            # As in capturing: what takes long is read without a lock.
            self._catch_up(store, store.annotations.described_through(self._project))
            try:
                with store.unit():
                    done += self._describe_unit(store, present)
            except BaseException:
                self._clear_state()
                raise
            progress(done, max(done, done + self._pending_count(store)))
        return done

    def _has_pending(self, store: ThreadStore) -> bool:
        return bool(
            store.events.after_seq(
                self._project,
                store.annotations.described_through(self._project),
                1,
            ),
        )

    def _pending_count(self, store: ThreadStore) -> int:
        return store.events.count(self._project) - self._events

    def _describe_unit(self, store: ThreadStore, present: CaptureContext) -> int:
        self._catch_up(store, store.annotations.described_through(self._project))
        room = min(TRANSACTION_EVENTS, self._block_events - self._events % self._block_events)
        events = store.events.after_seq(self._project, self._seq, room)
        notes = store.annotations.of(event.seq for event in events)
        threads: dict[str, Thread] = {}
        told = [refresh_note(event, notes.get(event.seq), present) for event in events]
        for event, note in zip(events, told, strict=True):
            self._describe_event(store, threads, event, note)
        store.annotations.add(told)
        for thread in threads.values():
            store.threads.save(thread)
        store.annotations.mark_described(self._project, self._seq)
        return len(events)

    def _describe_event(
        self,
        store: ThreadStore,
        threads: dict[str, Thread],
        event: Event,
        note: Annotation,
    ) -> None:
        if held := self._state.held_seqs(event.session):
            self._state.refresh_held(event.session, store.events.by_seq(held))
        for written in self._record_event(event, note):
            id_ = written.event.thread_id
            thread = thread_with_files(threads.get(id_) or store.threads.get(id_), written.note)
            due = written.due
            threads[id_] = redescribed_thread(store, self._state, thread) if due else thread

    def _record_event(self, event: Event, note: Annotation) -> list[RecordedEvent]:
        self._seq = event.seq
        self._events += 1
        return self._state.record_event(event, note)

    def _catch_up(self, store: ThreadStore, told: int) -> None:
        """Bring to mind what was told already, by anyone, up to this event."""
        moved = store.journal.last_move_seq(self._project)
        in_step = self._seq == told and self._moved == moved
        if in_step and (self._events % self._block_events or not self._events):
            return
        self._moved = moved
        events = store.events.count_through(self._project, told)
        threads = store.threads.all(self._project)
        titles = {thread.id: thread.title for thread in threads if thread.title}
        self._state = DescriptionState(titles, self._rules)
        self._events, self._seq = block_start(store, self._project, events, self._block_events)
        known = store.events.after_seq(self._project, self._seq, events - self._events)
        notes = store.annotations.of(event.seq for event in known)
        for event in known:
            self._record_event(event, notes[event.seq])
