"""A memory of two threads and a third, and what verbs can change in it."""

from collections.abc import Callable

import pytest

from ai_smartness.memory import Memory
from ai_smartness.model.bridge import Bridge
from ai_smartness.model.errors import AisError
from ai_smartness.testing import SetClock
from builders import a_memory, a_thread, said

__all__ = ["JWT", "LOGO", "dump", "linked", "refused", "texts", "two_threads"]

JWT = ("rotate the JWT keys every month", "the JWT keys live in vault", "JWT rotation runs by cron")
LOGO = ("the login page needs a logo", "put the logo on top of the login page")


def two_threads(clock: SetClock | None = None) -> Memory:
    """Keep a thread `jwt` (j1 to j3, said late) and a thread `logo` (l1 and l2, said early)."""
    memory = a_memory(clock=clock)
    for id_, minute in (("thread_jwt", 10), ("thread_logo", 0), ("thread_other", 5)):
        memory._store.threads.save(a_thread(id_, minute=minute))  # noqa: SLF001 - to name them
    for n, text in enumerate(JWT, 1):
        memory.append("thread_jwt", said(text, minute=10 + n, id_=f"j{n}", session="late"))
    for n, text in enumerate(LOGO, 1):
        memory.append("thread_logo", said(text, minute=n, id_=f"l{n}", session="early"))
    memory.append("thread_other", said("invoices go out on Monday", minute=5, id_="o1"))
    return memory


def dump(memory: Memory) -> str:
    """Write all that verbs can change."""
    store = memory._store  # noqa: SLF001 - what is on disk is what counts
    threads = sorted(store.threads.all(memory.project), key=lambda each: each.id)
    events = store.events.after_seq(memory.project, 0, 10_000)
    bridges = {each.id: each for t in threads for each in store.bridges.of(t.id, unwanted=True)}
    return repr((threads, events, sorted(bridges.items())))


def texts(memory: Memory, thread_id: str) -> list[str]:
    return [event.text for event in memory.events(thread_id)]


def linked(memory: Memory, bridge: Bridge) -> None:
    memory._store.bridges.save([bridge])  # noqa: SLF001 - as if it had been found


def refused(memory: Memory, *calls: Callable[[], object]) -> list[str]:
    """Call each, expect a refusal with nothing changed, and return what was said."""
    messages = []
    for call in calls:
        before = dump(memory)
        with pytest.raises(AisError) as caught:
            call()
        assert dump(memory) == before
        messages.append(str(caught.value))
    return messages
