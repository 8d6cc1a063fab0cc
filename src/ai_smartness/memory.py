"""`Memory`, the one door: one short method for each verb.

Whatever calls us, a command, a hook, an agent's tool or a program of yours,
goes through here, and so does the same thing in the same way.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4

from ai_smartness.capture.blocks import BLOCK_EVENTS
from ai_smartness.capture.capture import LIVE_MESSAGES, Captured, capture
from ai_smartness.capture.desk import Desk
from ai_smartness.capture.embed import embed
from ai_smartness.capture.note import Present
from ai_smartness.capture.placing import PlaceRules
from ai_smartness.capture.reindex import reindex
from ai_smartness.capture.tell import Teller
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.errors import AisError
from ai_smartness.model.event import Event, Message, as_utc
from ai_smartness.model.found import Hit, Scope
from ai_smartness.model.note import Note
from ai_smartness.model.thread import IMPORTANCE, Kind, Thread
from ai_smartness.ports import Clock, Embedder, Progress, ProjectCount, ThreadStore, Worktree
from ai_smartness.retrieve.fuse import Weights
from ai_smartness.retrieve.search import Asked, search
from ai_smartness.threads.bridges import BridgeRules, faded
from ai_smartness.threads.decay import decayed
from ai_smartness.threads.drift import drift

__all__ = ["Memory", "Parts", "Rules", "Status"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The numbers the rules go by, as the settings have them."""

    weights: Weights = field(default_factory=Weights)
    place: PlaceRules = field(default_factory=PlaceRules)
    bridges: BridgeRules = field(default_factory=BridgeRules)
    half_life_days: float = 14.0
    block_events: int = BLOCK_EVENTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a memory is put together from; a model is loaded when it is first needed."""

    store: ThreadStore
    embedder: Callable[[], Embedder | None]
    clock: Clock
    worktree: Worktree | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What there is, on one screen.

    `pending` counts what is in sight and not embedded yet. `trouble` says why
    the model that is set cannot be used; nothing where it can, or none is set.
    """

    project: str
    threads: int
    events: int
    projects: tuple[ProjectCount, ...]
    space: str | None
    pending: int
    trouble: str
    spaces: Mapping[str, int]


COLD_EVENTS = 500
"""Up to this many a project's past is read in the wink of an eye."""


def _quiet(done: int, total: int) -> None:
    """Tell nobody."""


class Memory:
    """A memory, seen from one project."""

    def __init__(self, parts: Parts, project: str, rules: Rules) -> None:
        self._parts = parts
        self._store = parts.store
        self._clock = parts.clock
        self._rules = rules
        self.project = project

    @classmethod
    def open(
        cls,
        path: Path | str | None = None,
        *,
        project: str | Path | None = None,
        home: Path | str | None = None,
    ) -> "Memory":
        """Open a memory: the file named, or the user's own.

        `project` is a name, or a folder as a `Path`; without one it is the
        project of the current folder.
        """
        from ai_smartness.wiring import open_memory  # noqa: PLC0415 # the parts are put together there

        return open_memory(path, project=project, home=home)

    def capture(
        self, messages: Message | Iterable[Message], *, progress: Progress = _quiet
    ) -> Captured:
        """Keep messages, each on its thread; one that is known by its id is left as it is."""
        given = [messages] if isinstance(messages, Message) else messages
        captured = capture(self._store, self._desk, given, self._present(), progress)
        if captured.stored + captured.known <= LIVE_MESSAGES and self._tells_quickly():
            self.tell()
        return captured

    def search(
        self,
        query: str,
        limit: int = 10,
        before: datetime | None = None,
        session: str | None = None,
        *,
        wait: bool = True,
        words_only: bool = False,
    ) -> list[Hit]:
        """Return the messages that answer the query best, best first.

        `before` limits it to what existed then, `session` to one session. What
        was captured and not embedded yet is embedded first; with `wait=False`
        it is found by its words alone, as everything is with `words_only`.
        """
        if wait and not words_only:
            self.embed()
        scope = Scope(
            project=self.project, before=None if before is None else as_utc(before), session=session
        )
        embedder = None if words_only else self.embedder
        asked = Asked(self._rules.weights, self._clock.now())
        return search(self._store, embedder, query, scope, limit, asked)

    def message(self, message_id: str) -> Event:
        """Return the message as it is stored, with the thread it is on."""
        return self._store.events.get(self.project, message_id)

    def thread(self, thread_id: str) -> Thread:
        """Return the thread with this id, or this unique start of an id, as it stands now."""
        self.tell()
        thread = self._now(self._store.threads.get(thread_id))
        series = self.drift(thread.id)
        return replace(thread, drift=series[-1]) if series else thread

    def threads(self) -> list[Thread]:
        """Return the project's threads as they stand now, the most recently active first."""
        self.tell()
        return [self._now(thread) for thread in self._store.threads.all(self.project)]

    def append(self, thread_id: str, event: Message) -> Event:
        """Keep one message on the thread that is named; one that is known is left as it is."""
        thread = self._store.threads.get(thread_id)
        named = replace(event, thread=thread.id, id=event.id or f"msg_{uuid4().hex[:16]}")
        self.seen_from(thread.project).capture(named)
        return self._store.events.get(thread.project, str(named.id))

    def events(self, thread_id: str) -> list[Event]:
        """Return the thread's working view: its events as an agent should see them."""
        return self.all_events(thread_id)

    def all_events(self, thread_id: str) -> list[Event]:
        """Return everything that was ever said on the thread, in order."""
        return self._store.events.of_thread(self._store.threads.get(thread_id).id)

    def notes(self, thread_id: str) -> list[Note]:
        """Return what was worked out about a thread's messages: why it is there, what it names."""
        self.tell()
        seqs = [event.seq for event in self.all_events(thread_id)]
        notes = self._store.notes.of(seqs)
        return [notes[seq] for seq in seqs if seq in notes]

    def bridges(self, thread_id: str) -> list[Bridge]:
        """Return a thread's links to others, the heaviest first, as they weigh now."""
        self.tell()
        now, days = self._clock.now(), self._rules.half_life_days
        found = self._store.bridges.of(self._store.threads.get(thread_id).id)
        weighed = [replace(bridge, weight=faded(bridge, now, days)) for bridge in found]
        return sorted(weighed, key=lambda bridge: (-bridge.weight, bridge.id))

    def drift(self, thread_id: str) -> list[float]:
        """Say after each message how far the latest were from what the thread was about, 0–1."""
        thread, embedder = self._store.threads.get(thread_id), self._at_hand()
        if embedder is None:
            return []
        seqs = [event.seq for event in self._store.events.of_thread(thread.id)]
        vectors = self._store.vectors.of_events(thread.project, embedder.space, seqs)
        return drift([vectors[seq] for seq in seqs if seq in vectors], embedder.strangers)

    def confirm(self, thread_id: str, kind: Kind) -> Thread:
        """Say what a thread is, as one of its messages proposes or as the user knows better."""
        with self._store.unit():
            thread = self._store.threads.get(thread_id)
            known = replace(
                thread,
                kind=kind,
                importance=IMPORTANCE[kind],
                revision=thread.revision + 1,
            )
            self._store.threads.save(known)
        return self._now(known)

    def tell(self, *, progress: Progress = _quiet) -> int:
        """Describe and link the threads of what was captured since, and return how many events.

        What is asked of threads does this first; it is here for those who want to
        see it go on after a long history was captured.
        """
        return self._teller.tell(self._store, self._present(), progress)

    def embed(self, *, progress: Progress = _quiet) -> int:
        """Embed what was captured and is not embedded yet, and return how many events."""
        if self.embedder is None:
            return 0
        return sum(
            embed(self._store, self.embedder, project, progress)
            for project in Scope(project=self.project).projects
        )

    def reindex(self, *, vectors: bool = True, progress: Progress = _quiet) -> int:
        """Build everything that follows from the events anew, and return how many there are."""
        events = reindex(self._store, self.project, progress)
        self.tell(progress=progress)
        if vectors and self.embedder is not None:
            self._store.vectors.clear(self.project, self.embedder.space)
            embed(self._store, self.embedder, self.project, progress)
        return events

    def status(self) -> Status:
        """Say what there is."""
        projects = tuple(self.projects())
        mine = next((each for each in projects if each.project == self.project), None)
        space, trouble = self._space()
        return Status(
            project=self.project,
            threads=mine.threads if mine else 0,
            events=mine.events if mine else 0,
            projects=projects,
            space=space,
            pending=self._pending(space) if space else 0,
            trouble=trouble,
            spaces=self._store.vectors.spaces(),
        )

    def projects(self) -> list[ProjectCount]:
        """Return every project there is, with how much it holds."""
        return self._store.projects()

    def seen_from(self, project: str) -> "Memory":
        """Return the same memory seen from another project; it is closed with this one."""
        if project == self.project:
            return self
        parts = replace(self._parts, embedder=lambda: self.embedder, worktree=None)
        return Memory(parts, project, self._rules)

    def drop_vectors(self, *, but: str | None) -> int:
        """Drop every project's vectors of all models but one, and return how many there were."""
        dropped = {
            space: count for space, count in self._store.vectors.spaces().items() if space != but
        }
        with self._store.unit():
            for each in self._store.projects():
                for space in dropped:
                    self._store.vectors.clear(each.project, space)
        return sum(dropped.values())

    def check(self) -> str:
        """Say what is damaged in the store; nothing if it is whole."""
        return self._store.check()

    @cached_property
    def embedder(self) -> Embedder | None:
        """The model that text is embedded with; loaded when it is first needed."""
        return self._parts.embedder()

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @cached_property
    def _desk(self) -> Desk:
        embedder = self._at_hand()
        rules, space = self._rules.place, None
        if embedder is not None:
            rules = replace(rules, unrelated_cosine=embedder.strangers)
            space = embedder.space
        return Desk(self.project, rules, space, self._rules.block_events)

    @cached_property
    def _teller(self) -> Teller:
        return Teller(self.project, self._rules.bridges, self._rules.block_events)

    def _tells_quickly(self) -> bool:
        """Say whether nobody would wait: else it is told when somebody looks."""
        return not self._teller.is_cold or self._store.events.count(self.project) <= COLD_EVENTS

    def _present(self) -> Present:
        return Present(
            now=self._clock.now(), embedder=self._at_hand(), worktree=self._parts.worktree
        )

    def _at_hand(self) -> Embedder | None:
        """Return the model if it can be used: nothing that is said is lost for want of one."""
        try:
            return self.embedder
        except AisError:
            return None

    def _space(self) -> tuple[str | None, str]:
        """Name the model's space, or say why it cannot be used."""
        try:
            return (self.embedder.space if self.embedder else None), ""
        except AisError as error:
            # What there is must be seen even then, and this belongs to it.
            return None, str(error)

    def _pending(self, space: str) -> int:
        sight = Scope(project=self.project).projects
        return sum(self._store.vectors.pending(project, space) for project in sight)

    def _now(self, thread: Thread) -> Thread:
        return decayed(thread, self._clock.now(), self._rules.half_life_days)
