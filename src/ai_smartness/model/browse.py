"""What a page shows of many threads: a list cut to size, their activity, and their neighbours."""

from dataclasses import dataclass
from datetime import datetime

from ai_smartness.model.bridge import Bridge
from ai_smartness.model.thread import Kind, Status, Thread

__all__ = [
    "Neighbourhood",
    "ThreadActivity",
    "ThreadFilter",
    "ThreadList",
    "ThreadPosition",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadFilter:
    """Which threads of a project are listed; what is None does not matter.

    A thread is listed if it began before `until` and was active from `since` on. A `client` has
    taken part in it. `status` is the present one: a thread that has faded is suspended.
    """

    kind: Kind | None = None
    status: Status | None = None
    client: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    ids: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ThreadPosition:
    """A place in the list of threads, after which the next page begins."""

    last_active: datetime
    id: str


@dataclass(frozen=True, slots=True)
class ThreadList:
    """One page of threads, the most recently active first; `next` is None at the end."""

    threads: tuple[Thread, ...]
    next: ThreadPosition | None = None


@dataclass(frozen=True, slots=True)
class ThreadActivity:
    """How many messages a session put on a thread in one step of time, counted from 0."""

    thread_id: str
    session: str | None
    step: int
    messages: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A thread, which comes first, and the threads it is bridged to, in up to `rings` steps.

    `rings` says how many bridges each thread is away; `left_out` counts the neighbours that
    there was no room for.
    """

    threads: tuple[Thread, ...]
    rings: tuple[int, ...]
    bridges: tuple[Bridge, ...]
    left_out: int = 0
