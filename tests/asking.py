"""A memory that was told a few things, and a session that asks about them later."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from ai_smartness.memory import Memory
from ai_smartness.model.event import Event, Message
from ai_smartness.model.injection import Injection
from ai_smartness.model.thread import Thread
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import SetClock
from builders import NOON, a_memory, said

__all__ = ["KEYS", "QUESTION", "a_told_memory", "answered", "changed", "shown", "thread_of"]

KEYS = "the JWT signing keys live in vault, see config/jwt_keys.yaml"
QUESTION = "where do the JWT signing keys live?"

TOLD = {
    "keys": KEYS,
    "invoices": "invoices are rendered by the printing service on Mondays",
    "logo": "the login page needs a bigger logo in the header",
    "backup": "the nightly backup of the warehouse goes to the bucket",
}


def a_told_memory(
    path: Path | str = ":memory:",
    *,
    clock: SetClock | None = None,
    settings: Settings | None = None,
    finds_statements: bool = True,
) -> Memory:
    """Keep four threads of a message each, found by their words, and let three days pass."""
    clock = clock or SetClock(NOON)
    memory = a_memory(path, clock=clock, settings=settings, embedder=lambda: None)
    parts = replace(memory._parts, finds_statements=finds_statements)  # noqa: SLF001 - as wired
    memory = Memory(parts, memory.project, settings or Settings())
    memory.capture(said(text, id_=id_, session=f"of-{id_}") for id_, text in TOLD.items())
    clock.advance(days=3)
    return memory


def thread_of(memory: Memory, message_id: str = "keys") -> str:
    return memory.message(message_id).thread_id


def shown(found: Injection) -> list[str]:
    """Name the threads that are shown by their first messages."""
    return [entry.lines[0].id for entry in found.entries]


def answered(memory: Memory, session: str, text: str, role: str = "assistant") -> None:
    memory.capture(Message(role=role, session=session, text=text))


def changed(memory: Memory, thread_id: str, text: str, session: str = "elsewhere") -> Event:
    """Let another session say something on a thread."""
    return memory.append(thread_id, Message(text=text, session=session))


def saved(memory: Memory, message_id: str, **changes: object) -> Thread:
    """Change a thread behind the memory's back."""
    store = memory._store  # noqa: SLF001 - as if it had come about
    thread = store.threads.get(thread_of(memory, message_id))
    thread = replace(thread, **changes)  # type: ignore[arg-type] # by name
    store.threads.save(thread)
    return thread


def later(clock: SetClock, **by: float) -> None:
    clock.set(clock() + timedelta(**by))
