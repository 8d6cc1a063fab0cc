"""What a store keeps: threads, events, notes on them, bridges, foci, the journal, the ledger.

Where everything is kept, as one thing.
"""

from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from ai_smartness.model.annotation import Annotation
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.event import Event
from ai_smartness.model.focus import Focus
from ai_smartness.model.journal import JournalEntry
from ai_smartness.model.search import EventPosition
from ai_smartness.model.session import LedgerEntry, LedgerPage, Session
from ai_smartness.model.thread import Thread
from ai_smartness.ports.erasure import ErasureStore
from ai_smartness.ports.indexes import VectorIndex, WordIndex
from ai_smartness.ports.transfer import ImportMarks, TransferStore

__all__ = [
    "Annotations",
    "Bridges",
    "Events",
    "Foci",
    "Journal",
    "Ledger",
    "ProjectCount",
    "Spending",
    "ThreadStore",
    "Threads",
]


class Threads(Protocol):
    """The threads of a store."""

    def get(self, thread_id: str) -> Thread:
        """Return the thread with this id, or with this unique start of an id."""
        ...

    def has(self, thread_id: str) -> bool:
        """Say whether there is a thread with exactly this id."""
        ...

    def all(self, project: str) -> list[Thread]:
        """Return the project's threads, the most recently active first."""
        ...

    def save(self, thread: Thread) -> None:
        """Add the thread, or put it in the place of the one with its id."""
        ...

    def always_shown(self, project: str) -> list[Thread]:
        """Return what is shown whatever is asked: pins, identity and preferences, not archived."""
        ...

    def remove(self, thread_id: str) -> None:
        """Take away a thread that has no events and no bridges."""
        ...

    def latest_thread_id(self, project: str, session: str | None) -> str | None:
        """Name the thread that the session's latest event is on."""
        ...

    def find_session(self, project: str, session_id: str) -> Session | None:
        """Return the session if it is known."""
        ...

    def save_session(self, session: Session) -> None:
        """Add the session, or put it in the place of the one with its id."""
        ...


class Events(Protocol):
    """The events of a store: append-only, in one order.

    A compaction is an event, and nothing that was said: it comes by its number, by its id
    and by `compactions`, and everything else passes over it.
    """

    def append(self, events: Sequence[Event]) -> list[Event]:
        """Add events, at the end unless they have a `seq`, and return them with it."""
        ...

    def known_ids(self, project: str, ids: Iterable[str]) -> set[str]:
        """Return those ids the project has an event for."""
        ...

    def forgotten_ids(self, project: str, ids: Iterable[str]) -> set[str]:
        """Return those ids of events that the project had, and that were forgotten."""
        ...

    def get(self, project: str, event_id: str) -> Event:
        """Return the event with this id, or with this unique start of an id."""
        ...

    def of_thread(self, thread_id: str) -> list[Event]:
        """Return a thread's events in the order of `seq`."""
        ...

    def in_view(self, thread_id: str) -> list[Event]:
        """Return those of a thread's events that no compaction in force stands for."""
        ...

    def compactions_of(self, thread_id: str) -> list[Event]:
        """Return the compactions on a thread in the order of `seq`."""
        ...

    def mark_covered(self, thread_id: str, seqs: Collection[int]) -> None:
        """Take note that exactly these of a thread's events are stood for by compactions.

        One that goes to another thread is in view there until it is said otherwise.
        """
        ...

    def latest_of_thread(self, thread_id: str, limit: int) -> list[Event]:
        """Return the latest so many of a thread's events, in the order of `seq`."""
        ...

    def by_seq(self, seqs: Iterable[int]) -> dict[int, Event]:
        """Return events by their number."""
        ...

    def positions_by_seq(self, seqs: Iterable[int]) -> dict[int, EventPosition]:
        """Return where events stand, by their number."""
        ...

    def previous_in_session(self, event: Event) -> Event | None:
        """Return the event of the same session that came before this stored one."""
        ...

    def move(self, seqs: Iterable[int], thread_id: str) -> None:
        """Put events on another thread."""
        ...

    def count_through(self, project: str, seq: int) -> int:
        """Count the project's events up to this number."""
        ...

    def seq_of_nth(self, project: str, number: int) -> int:
        """Return the `seq` of the project's event with this number, from 1; 0 if there is none."""
        ...

    def after_seq(self, project: str, seq: int, limit: int) -> list[Event]:
        """Return the project's next events after this number."""
        ...

    def count(self, project: str) -> int:
        """Count the project's events."""
        ...

    def last_seq(self, project: str) -> int:
        """Return the number of the project's last event; 0 if there is none."""
        ...

    def latest_of_session(self, project: str, session: str, limit: int) -> list[Event]:
        """Return a session's latest events, the newest first."""
        ...

    def first_seq_of_session(self, project: str, session: str) -> int:
        """Return the number of a session's first event; 0 if it has none."""
        ...

    def count_on_thread(self, thread_id: str, session: str, after: int) -> int:
        """Count the events that a session put on a thread after a number."""
        ...

    def counts_by_thread(self, thread_ids: Sequence[str]) -> dict[str, int]:
        """Count the events of each of these threads that has any."""
        ...

    def last_seqs_by_session(self, project: str) -> dict[str, int]:
        """Return the number of the last event of each of the project's sessions."""
        ...


class Annotations(Protocol):
    """What was worked out about events when they were captured."""

    def add(self, notes: Sequence[Annotation]) -> None:
        """Keep notes, each in the place of what its event had."""
        ...

    def of(self, seqs: Iterable[int]) -> dict[int, Annotation]:
        """Return the notes of these events."""
        ...

    def described_through(self, project: str) -> int:
        """Return the number up to which the project's events have been told of."""
        ...

    def mark_described(self, project: str, seq: int) -> None:
        """Set the number up to which the project's events have been told of."""
        ...


class Bridges(Protocol):
    """The links between threads."""

    def save(self, bridges: Sequence[Bridge]) -> None:
        """Add bridges, each in the place of the one with its id."""
        ...

    def get(self, bridge_id: str) -> Bridge:
        """Return the bridge with this id, or with this unique start of an id."""
        ...

    def of(self, thread_id: str, *, unwanted: bool = False) -> list[Bridge]:
        """Return the bridges from and to a thread, the heaviest first; also unwanted ones."""
        ...

    def all(self, project: str) -> list[Bridge]:
        """Return the bridges from the project's threads, the heaviest first."""
        ...

    def of_change(self, project: str, limit: int) -> list[Bridge]:
        """Return bridges by which a thread contradicts, updates or replaces another, latest first.

        Those from the project's threads; unwanted ones are left out.
        """
        ...

    def remove(self, ids: Sequence[str]) -> None:
        """Take bridges away."""
        ...


class Foci(Protocol):
    """What is in focus: for each project one focus on a topic in a session, and one lasting."""

    def in_force(self, projects: Sequence[str], session: str | None, at: datetime) -> list[Focus]:
        """Return the lasting ones of these projects and the session's own, the first set first.

        One that has ended by then is not among them.
        """
        ...

    def all(self, project: str) -> list[Focus]:
        """Return every focus of the project, also of any session and those that have ended."""
        ...

    def save(self, project: str, foci: Sequence[Focus]) -> None:
        """Add foci, each in the place of the one with its session and topic."""
        ...

    def remove(self, project: str, foci: Sequence[Focus]) -> None:
        """Take foci away, by their session and topic."""
        ...


class Journal(Protocol):
    """Every change of the store, in order; nothing in it is ever rewritten."""

    def write(self, entry: JournalEntry) -> JournalEntry:
        """Add an entry, at the end unless it has a number, and return it with its number."""
        ...

    def get(self, seq: int) -> JournalEntry:
        """Return the entry with this number."""
        ...

    def latest_entries(
        self,
        project: str,
        limit: int,
        before: int | None = None,
    ) -> list[JournalEntry]:
        """Return the project's latest entries, the newest first; `before` a number, if given."""
        ...

    def entries_touching(self, thread_id: str, after: int = 0) -> list[JournalEntry]:
        """Return the entries after a number that have to do with a thread, the newest first."""
        ...

    def last_move_seq(self, project: str) -> int:
        """Return the number of the latest entry that put messages on other threads; 0 if none."""
        ...


class Spending(Protocol):
    """How many tokens language models took, by days of UTC."""

    def tokens_on(self, day: date) -> int:
        """Return the tokens of a day, over all projects."""
        ...

    def add(self, day: date, tokens: int) -> None:
        """Count tokens to a day; fewer than none where too many were counted before."""
        ...


class Ledger(Protocol):
    """What was shown to the sessions of a store, the newest of each."""

    def write(self, page: LedgerPage) -> None:
        """Keep what became of one turn; of a session only the newest is kept."""
        ...

    def shown_entries(self, project: str, session: str) -> list[LedgerEntry]:
        """Return what was shown to a session, the newest first."""
        ...

    def latest_pages(self, project: str, session: str | None, limit: int) -> list[LedgerPage]:
        """Return the latest turns of a session, or of the project, the newest first."""
        ...

    def mark_used(self, project: str, session: str, turn: int, thread_ids: Sequence[str]) -> None:
        """Take note that what was shown in a turn was of use."""
        ...

    def usage_counts(self, project: str) -> tuple[int, int]:
        """Return how many entries were ever shown in the project, and how many were of use."""
        ...

    def usage_counts_by_thread(
        self,
        project: str,
        thread_ids: Sequence[str],
    ) -> dict[str, tuple[int, int]]:
        """Return how often each of these threads was shown, as far as is kept, and was of use."""
        ...


@dataclass(frozen=True, slots=True)
class ProjectCount:
    """A project the store knows, with how much it holds of it."""

    project: str
    threads: int
    events: int


class ThreadStore(Protocol):
    """Where everything is kept."""

    @property
    def threads(self) -> Threads:
        """The threads and sessions."""
        ...

    @property
    def events(self) -> Events:
        """The events."""
        ...

    @property
    def annotations(self) -> Annotations:
        """What was worked out about events."""
        ...

    @property
    def bridges(self) -> Bridges:
        """The links between threads."""
        ...

    @property
    def foci(self) -> Foci:
        """What is in focus."""
        ...

    @property
    def journal(self) -> Journal:
        """Every change made by a verb."""
        ...

    @property
    def ledger(self) -> Ledger:
        """What was shown to whom."""
        ...

    @property
    def imports(self) -> ImportMarks:
        """How far each file of the past was read."""
        ...

    @property
    def spending(self) -> Spending:
        """What language models took."""
        ...

    @property
    def erasure(self) -> ErasureStore:
        """What takes things away for good."""
        ...

    @property
    def transfer(self) -> TransferStore:
        """All of it, to be taken out or in."""
        ...

    @property
    def word_index(self) -> WordIndex:
        """The full-text index."""
        ...

    @property
    def vector_index(self) -> VectorIndex:
        """The embeddings."""
        ...

    def unit(self) -> AbstractContextManager[None]:
        """Carry out all writes inside, or none of them; units nest into one."""
        ...

    def project_counts(self) -> list[ProjectCount]:
        """Return the projects the store knows."""
        ...

    def check(self) -> str:
        """Say what is damaged; nothing if the store is whole."""
        ...

    def close(self) -> None:
        """Let go of the store."""
        ...
