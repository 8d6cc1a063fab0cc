"""A memory with many threads to compact, each said in one line what it is like."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.search import IndexedWords
from ai_smartness.model.thread import Origin, SplitLock, Status, Thread
from ai_smartness.ports import ThreadStore
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder, SetClock
from builders import NOON, an_event
from engines import open_store

__all__ = ["SUBJECTS", "Sort", "a_crowd", "keep"]

SUBJECTS = (
    "the refresh token of the login expires after fifteen minutes",
    "invoices print umlauts with the wrong embedded font",
    "the nightly backup job ran out of disk space again",
    "gradient colours look banded inside a dark terminal",
    "kafka consumers rebalance whenever one pod restarts",
    "translators want plural forms for polish and arabic",
    "the camera driver drops frames above sixty hertz",
    "tomatoes need water every evening during the holiday",
)
"""They share hardly a word, so that threads on two of them are strangers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    """What a thread is like; `subject` is a number, the same for threads about the same."""

    subject: int
    days_old: float = 0.0
    weight: float = 1.0
    pinned: bool = False
    lock: SplitLock | None = None
    status: Status = Status.ACTIVE
    messages: int = 2


def a_crowd(
    *sorts: Sort,
    project: str = "demo",
    clock: SetClock | None = None,
) -> tuple[Memory, ThreadStore]:
    """Return a memory with a thread for each sort, `thread_00` and so on, and its store."""
    store = open_store()
    model, clock = HashEmbedder(256), clock or SetClock(NOON)
    parts = MemoryParts(store=store, embedder=lambda: model, clock=clock)
    memory = Memory(parts, project, Settings())
    for number, sort in enumerate(sorts):
        keep(store, _thread(f"thread_{number:02}", sort, project, clock()), sort)
    memory.tell()
    memory.embed()
    for number, sort in enumerate(sorts):
        # To tell of a message makes its thread active again, and describes it.
        told = store.threads.get(f"thread_{number:02}")
        store.threads.save(replace(told, status=sort.status))
    return memory, store


def keep(store: ThreadStore, thread: Thread, sort: Sort) -> None:
    """Store a thread with its messages."""
    store.threads.save(thread)
    text = SUBJECTS[sort.subject % len(SUBJECTS)]
    events = store.events.append(
        [
            replace(an_event(f"{thread.id}_m{n}", thread, f"{text} {n}"), at=thread.last_active)
            for n in range(sort.messages)
        ],
    )
    store.word_index.add(
        thread.project,
        [IndexedWords(event.seq, event.text, "", "") for event in events],
    )


def _thread(id_: str, sort: Sort, project: str, now: datetime) -> Thread:
    at = now - timedelta(days=sort.days_old)
    return Thread(
        id=id_,
        project=project,
        title="",
        created_at=at,
        last_active=at,
        weight=sort.weight,
        origin=Origin.PIN if sort.pinned else Origin.PROMPT,
        split_lock=sort.lock,
        status=sort.status,
    )
