"""Small things to test with: a message, an event, a thread, a memory."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.capture.assign.assigner import BLOCK_EVENTS
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.bridge import Bridge, Relation
from ai_smartness.model.event import Event, EventType, Message
from ai_smartness.model.search import IndexedWords
from ai_smartness.model.statement import Speaker, Statement, StatementKind, statement_id
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Embedder, ThreadStore
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder, SetClock
from engines import TEMPORARY, open_store

if TYPE_CHECKING:
    from numpy.typing import NDArray

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def said(text: str, *, minute: float = 0, id_: str | None = None, session: str = "s1") -> Message:
    return Message(id=id_, session=session, text=text, at=NOON + timedelta(minutes=minute))


def an_event(
    id_: str,
    thread: Thread,
    text: str = "words",
    *,
    minute: float = 0,
    session: str | None = "s1",
) -> Event:
    return Event(
        id=id_,
        project=thread.project,
        thread_id=thread.id,
        session=session,
        type=EventType.USER_MESSAGE,
        role="user",
        text=text,
        at=NOON + timedelta(minutes=minute),
        source="user",
    )


def a_thread(id_: str = "thread_1", *, project: str = "demo", minute: float = 0) -> Thread:
    at = NOON + timedelta(minutes=minute)
    return Thread(id=id_, project=project, title=id_, created_at=at, last_active=at)


def a_memory(
    path: Path | str = TEMPORARY,
    *,
    project: str = "demo",
    embedder: Callable[[], Embedder | None] = HashEmbedder,
    clock: SetClock | None = None,
    settings: Settings | None = None,
    block_events: int = BLOCK_EVENTS,
) -> Memory:
    store = open_store(path)
    parts = MemoryParts(
        store=store,
        embedder=embedder,
        clock=clock or SetClock(NOON),
        block_events=block_events,
    )
    return Memory(parts, project, settings or Settings())


def stored(store: ThreadStore, *texts: str, thread: Thread | None = None) -> list[Event]:
    thread = thread or a_thread()
    store.threads.save(thread)
    start = store.events.count(thread.project)
    events = [
        an_event(f"m{start + n}", thread, text, minute=start + n) for n, text in enumerate(texts)
    ]
    kept = store.events.append(events)
    store.word_index.add(
        thread.project,
        [IndexedWords(event.seq, event.text, "", "") for event in kept],
    )
    return kept


def a_vector(seed: int, dimension: int = 16) -> "NDArray[np.float32]":
    """Return a made-up vector of unit length, the same for the same seed."""
    vector = np.random.default_rng(seed).normal(size=dimension).astype(np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def a_bridge(id_: str, source: str, target: str, *, weight: float = 0.5) -> Bridge:
    return Bridge(
        id=id_,
        source=source,
        target=target,
        relation=Relation.SIBLING,
        weight=weight,
        reason="both speak of tokens",
        confidence=0.5,
        made_by="similarity",
        last_used=NOON,
    )


def a_statement(event: Event, text: str = "", *, confidence: float = 0.75) -> Statement:
    """Return a decision that a stored event states, with its own text unless given."""
    return Statement(
        id=statement_id(event.project, event.id, text or event.text),
        project=event.project,
        seq=event.seq,
        thread_id=event.thread_id,
        session=event.session or "",
        speaker=Speaker.USER,
        at=event.at,
        kind=StatementKind.DECISION,
        text=text or event.text,
        subject=("storage",),
        confidence=confidence,
    )
