"""The store: threads, events and their annotations, bridges, foci, journal, ledger.

`ThreadStore`, at the end, puts the parts together.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime, timedelta
from typing import Any, Protocol

from ai_smartness.model.annotation import Annotation, Mention
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.browse import ThreadActivity, ThreadFilter, ThreadPosition
from ai_smartness.model.event import Event
from ai_smartness.model.focus import Focus
from ai_smartness.model.journal import JournalEntry
from ai_smartness.model.search import EventPosition
from ai_smartness.model.session import LedgerEntry, LedgerPage, Session
from ai_smartness.model.status import PendingWork, ProjectCount
from ai_smartness.model.thread import Thread
from ai_smartness.ports.erasure import ErasureStore
from ai_smartness.ports.indexes import VectorIndex, WordIndex
from ai_smartness.ports.statements import Statements
from ai_smartness.ports.team_store import Team
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
        """Return the thread with this id, unique id prefix, or last six characters."""

    def by_id(self, ids: Iterable[str]) -> dict[str, Thread]:
        """Return the threads with exactly these ids, by id."""

    def has(self, thread_id: str) -> bool:
        """Say whether there is a thread with exactly this id."""

    def is_taken(self, thread_id: str) -> bool:
        """Say whether any thread of any project has exactly this id."""

    def all(self, project: str) -> list[Thread]:
        """Return the project's threads, most recently active first."""

    def titles(self, project: str) -> set[str]:
        """Return the titles of the project's threads."""

    def begun_at(self, project: str) -> datetime | None:
        """Return when the project's first thread began; None without threads."""

    def page(
        self, project: str, chosen: ThreadFilter, limit: int, after: ThreadPosition | None = None
    ) -> list[Thread]:
        """Return some of the project's threads, most recently active first, from a place on.

        The status that counts is the stored one; a suspended thread may be stored as active.
        """

    def save(self, thread: Thread) -> None:
        """Add the thread, or replace the one with its id."""

    def always_shown(self, project: str) -> list[Thread]:
        """Return the threads shown for every prompt: pins, identity, preferences; none archived."""

    def remove(self, thread_id: str) -> None:
        """Delete a thread that has no events and no bridges."""

    def find_session(self, project: str, session_id: str) -> Session | None:
        """Return the session, if it is known."""

    def save_session(self, session: Session) -> None:
        """Add the session, or replace the one with its id."""

    def clients(self, project: str) -> list[str]:
        """Return the clients of the project's known sessions, by name."""

    def session_clients(self, project: str, sessions: Iterable[str]) -> dict[str, str]:
        """Return the client of each of these sessions for which one was recorded."""

    def session_id(self, project: str | None, start: str) -> str:
        """Return the id of the session that has this id or alone begins with it.

        A session is known that has a message, a turn or a state, in the project or in any.
        What no session begins with comes back as it is; what several begin with is refused.
        """


class Events(Protocol):
    """The events of a store: append-only, numbered by `seq`.

    Within a project, numbers become visible in rising order: who has read up to one of them
    and goes on from there misses none.

    Compactions are events, but no messages: only `get`, `by_seq` and `compactions_of`
    return them.
    """

    def append(self, events: Sequence[Event]) -> list[Event]:
        """Add events, at the end unless they have a `seq`, and return them with it."""

    def known_ids(self, project: str, ids: Iterable[str]) -> set[str]:
        """Return the ids for which the project has an event."""

    def forgotten_ids(self, project: str, ids: Iterable[str]) -> set[str]:
        """Return the ids of events that the project had and that were deleted."""

    def get(self, project: str, event_id: str) -> Event:
        """Return the event with this id or unique id prefix."""

    def of_thread(self, thread_id: str) -> list[Event]:
        """Return a thread's events, ordered by `seq`."""

    def in_view(self, thread_id: str) -> list[Event]:
        """Return a thread's events that no active compaction covers."""

    def compactions_of(self, thread_id: str) -> list[Event]:
        """Return a thread's compactions, ordered by `seq`."""

    def mark_covered(self, thread_id: str, seqs: Collection[int]) -> None:
        """Record which of a thread's events are covered by compactions.

        An event that moves to another thread is uncovered there.
        """

    def latest_of_thread(
        self, thread_id: str, limit: int, before: int | None = None
    ) -> list[Event]:
        """Return a thread's latest events (before a `seq`, if given), ordered by `seq`."""

    def times_of_thread(self, thread_id: str) -> list[datetime]:
        """Return the different times of a thread's events, in order."""

    def activity(
        self, thread_ids: Sequence[str], since: datetime, step: timedelta, steps: int
    ) -> list[ThreadActivity]:
        """Count the messages of threads by session and step of time, from a time on."""

    def by_seq(self, seqs: Iterable[int]) -> dict[int, Event]:
        """Return events by their `seq`."""

    def texts_with(self, project: str, part: str) -> list[str]:
        """Return the texts of the project's events that contain these characters."""

    def texts_by_seq(self, seqs: Iterable[int]) -> dict[int, str]:
        """Return the texts of events in the order of their `seq`."""

    def positions_by_seq(self, seqs: Iterable[int]) -> dict[int, EventPosition]:
        """Return the positions of events, by their `seq`."""

    def previous_in_session(self, event: Event) -> Event | None:
        """Return the event before this stored one in its session."""

    def move(self, seqs: Iterable[int], thread_id: str) -> None:
        """Put events on another thread."""

    def count_through(self, project: str, seq: int) -> int:
        """Count the project's events up to this `seq`."""

    def seq_of_nth(self, project: str, number: int) -> int:
        """Return the `seq` of the project's nth event, from 1; 0 if there is none."""

    def after_seq(self, project: str, seq: int, limit: int) -> list[Event]:
        """Return the project's next events after this `seq`."""

    def count(self, project: str) -> int:
        """Count the project's events."""

    def last_seq(self, project: str) -> int:
        """Return the `seq` of the project's last event; 0 if there is none."""

    def latest_of_session(self, project: str, session: str, limit: int) -> list[Event]:
        """Return a session's latest events, newest first."""

    def first_seq_of_session(self, project: str, session: str) -> int:
        """Return the `seq` of a session's first event; 0 if it has none."""

    def count_on_thread(self, thread_id: str, session: str, after: int) -> int:
        """Count the events that a session put on a thread after a `seq`."""

    def counts_by_thread(self, thread_ids: Sequence[str]) -> dict[str, int]:
        """Return the number of events of each of these threads that has any."""

    def last_seqs_by_session(self, project: str) -> dict[str, int]:
        """Return the `seq` of the last event of each of the project's sessions."""


class Annotations(Protocol):
    """The results of capture for each event: its thread assignment, mentions and statements."""

    def add(self, notes: Sequence[Annotation]) -> None:
        """Save annotations; each replaces the former one of its event."""

    def of(self, seqs: Iterable[int]) -> dict[int, Annotation]:
        """Return the annotations of these events, by `seq`."""

    def mentions(self, seqs: Iterable[int]) -> dict[int, tuple[Mention, ...]]:
        """Return what these events name, by `seq`; those that name nothing are left out."""

    def described_through(self, project: str) -> int:
        """Return the `seq` up to which the threads' descriptions include the project's events."""

    def mark_described(self, project: str, seq: int) -> None:
        """Set the `seq` up to which the threads' descriptions include the project's events."""


class Bridges(Protocol):
    """The links between threads."""

    def save(self, bridges: Sequence[Bridge]) -> None:
        """Add bridges; each replaces the one with its id."""

    def get(self, bridge_id: str) -> Bridge:
        """Return the bridge with this id or unique id prefix."""

    def of(self, thread_id: str, *, unwanted: bool = False) -> list[Bridge]:
        """Return the bridges from and to a thread, heaviest first; unwanted ones on request."""

    def of_threads(self, thread_ids: Sequence[str]) -> list[Bridge]:
        """Return the bridges from and to any of these threads, each once, heaviest first."""

    def all(self, project: str) -> list[Bridge]:
        """Return the bridges from the project's threads, heaviest first."""

    def of_change(self, project: str, limit: int) -> list[Bridge]:
        """Return the project's latest bridges that say contradicts, updates or replaces."""

    def kept_apart(self, project: str) -> set[frozenset[str]]:
        """Return the pairs of the project's threads that somebody said are not one subject."""

    def remove(self, ids: Sequence[str]) -> None:
        """Delete bridges."""


class Foci(Protocol):
    """The foci of each project: on a topic, for one session or lasting."""

    def in_force(self, projects: Sequence[str], session: str | None, at: datetime) -> list[Focus]:
        """Return the lasting foci and the session's own that have not ended, oldest first."""

    def all(self, project: str) -> list[Focus]:
        """Return every focus of the project, of all sessions, ended ones included."""

    def save(self, project: str, foci: Sequence[Focus]) -> None:
        """Add foci; each replaces the one with its session and topic."""

    def remove(self, project: str, foci: Sequence[Focus]) -> None:
        """Delete foci, by their session and topic."""


class Journal(Protocol):
    """Every change of the store, in order; append-only."""

    def write(self, entry: JournalEntry) -> JournalEntry:
        """Add an entry, at the end unless it has a number, and return it with its number."""

    def get(self, seq: int) -> JournalEntry:
        """Return the entry with this number."""

    def latest_entries(
        self, project: str, limit: int, before: int | None = None, *, with_reads: bool = True
    ) -> list[JournalEntry]:
        """Return the project's latest entries (before a number, if given), newest first."""

    def entries_touching(self, thread_id: str, after: int = 0) -> list[JournalEntry]:
        """Return the entries after a number that changed a thread, newest first."""

    def last_move_seq(self, project: str) -> int:
        """Return the number of the latest entry that moved messages; 0 if there is none."""


class Spending(Protocol):
    """The tokens used by language models on each UTC day."""

    def tokens_on(self, day: date) -> int:
        """Return a day's tokens, over all projects."""

    def add(self, day: date, tokens: int) -> None:
        """Add tokens to a day; a negative number corrects an estimate."""


class Ledger(Protocol):
    """The memories injected into each session; only the newest are kept."""

    def write(self, page: LedgerPage) -> None:
        """Save the page of one turn, and delete the session's oldest."""

    def shown_entries(self, project: str, session: str) -> list[LedgerEntry]:
        """Return the entries shown to a session, newest first."""

    def latest_pages(
        self, project: str, session: str | None, limit: int, before: datetime | None = None
    ) -> list[LedgerPage]:
        """Return the latest pages (before a time) of a session, or of the project, newest first."""

    def mark_used(self, project: str, session: str, turn: int, thread_ids: Sequence[str]) -> None:
        """Record that entries shown in a turn were used."""

    def usage_counts(self, project: str) -> tuple[int, int]:
        """Return how many entries the project ever showed, and how many were used."""

    def usage_counts_by_thread(
        self, project: str, thread_ids: Sequence[str]
    ) -> dict[str, tuple[int, int]]:
        """Return how many kept entries showed each of these threads, and how many were used."""


class ThreadStore(Protocol):
    """The whole store."""

    @property
    def threads(self) -> Threads:
        """The threads and sessions."""

    @property
    def events(self) -> Events:
        """The events."""

    @property
    def annotations(self) -> Annotations:
        """The annotations of events."""

    @property
    def statements(self) -> Statements:
        """The statements and their reviews."""

    @property
    def bridges(self) -> Bridges:
        """The links between threads."""

    @property
    def foci(self) -> Foci:
        """The foci."""

    @property
    def journal(self) -> Journal:
        """The journal of changes."""

    @property
    def ledger(self) -> Ledger:
        """The ledger of injected memories."""

    @property
    def imports(self) -> ImportMarks:
        """The import position of each transcript file."""

    @property
    def spending(self) -> Spending:
        """The tokens used by language models."""

    @property
    def erasure(self) -> ErasureStore:
        """Permanent deletion."""

    @property
    def transfer(self) -> TransferStore:
        """Reading and writing of whole memories, for export and import."""

    @property
    def word_index(self) -> WordIndex:
        """The full-text index."""

    @property
    def vector_index(self) -> VectorIndex:
        """The embeddings."""

    @property
    def team(self) -> Team | None:
        """The people who share this store; None where it belongs to one person."""

    def limited_to(self, projects: Sequence[str]) -> "ThreadStore":
        """Return this store as seen from some projects: no id of another one leads anywhere.

        `threads.is_taken` still knows all ids, as no two threads may share one.
        """

    def unit(self, *projects: str) -> AbstractContextManager[None]:
        """Open a transaction on these projects, or on the whole store: all writes, or none.

        Until it ends nobody else writes to them, and what is read inside is what was committed
        last. Nothing of another project may be written inside. A unit within a unit joins it, and
        may name only projects that the outer one has named. Either raises ValueError: it is a
        mistake in the program. Naming a project does not add it. After an error that is caught
        inside, the unit goes on. An engine may send the beginning, and writes that return nothing,
        with the next read or with the end.
        """

    @property
    def stored_units(self) -> int:
        """Return a number that grows with each unit that this thread stores.

        A verb that fails before it has stored one may be repeated, if its error says so.
        """

    def read_together(self, *reads: Callable[[], object]) -> list[Any]:
        """Carry out reads that do not need each other, and return their results in order.

        A server is asked for all of them at once: together they wait for it as often as the
        longest of them does alone. Nothing may be written inside.
        """

    def pending_work(
        self, projects: Sequence[str], spaces: Sequence[str], judge: str | None
    ) -> dict[str, PendingWork]:
        """Return what is still to be described, embedded and judged in each of these projects.

        `spaces` are those of the models in use, and `judge` finds the statements, if given.
        """

    def project_counts(self) -> list[ProjectCount]:
        """Return the store's projects."""

    def rename_project(self, project: str, name: str) -> None:
        """Give a project another name, which no other one has."""

    def check(self) -> str:
        """Describe the damage; empty if the store is intact."""

    def close(self) -> None:
        """Close the store."""
