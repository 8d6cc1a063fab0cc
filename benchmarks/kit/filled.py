"""A memory filled past the door: made-up events and vectors, as many as are wanted."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ai_smartness.capture.embed import all_models
from ai_smartness.memory import Memory
from ai_smartness.model.event import Event, Message, default_event_type
from ai_smartness.model.search import Chunk
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Embedder
from ai_smartness.settings.paths import memory_paths
from ai_smartness.settings.schema import Settings
from ai_smartness.statements.judge import SentenceJudge
from ai_smartness.wiring import build_memory
from kit.made_up import START, vectors
from kit.timing import took

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["a_thread", "an_event", "embedder_of", "opened", "with_made_up_vectors"]


def opened(path: Path, project: str = "bench") -> Memory:
    """Open a memory with the default settings and the model of this user's cache."""
    return build_memory(memory_paths(None, None, os.environ), Settings(), project, path)


def a_thread(id_: str) -> Thread:
    """Make a thread to put events on."""
    return Thread(id=id_, project="bench", title=id_, created_at=START, last_active=START)


def an_event(message: Message, thread: str) -> Event:
    """Make the event that a message is stored as."""
    return Event(
        id=message.id or "",
        project="bench",
        thread_id=thread,
        session=message.session,
        type=default_event_type(message.role),
        role=message.role,
        text=message.text,
        at=message.at or START,
        source=message.role,
    )


def embedder_of(memory: Memory) -> Embedder:
    """Return the embedder, or stop with what to do."""
    if memory.embedder is None:
        sys.exit("No embedding model here: run `ais model pull arctic-embed-s` first.")
    return memory.embedder


def with_made_up_vectors(
    memory: Memory,
    planted: "Mapping[int, NDArray[np.float32]] | None" = None,
) -> float:
    """Give every event a made-up vector, some one that is given, by their numbers from 1.

    The model for other languages gets vectors too, and no statement is left to be found: a daemon
    would be busy with them. Return the seconds a graph took to build.
    """
    embedder, store = embedder_of(memory), memory._store  # noqa: SLF001 # past the door on purpose
    seq = 0
    for model in all_models(embedder):
        seq, given = 0, (planted or {}) if model is embedder else {}
        for block in vectors(store.events.count("bench"), model.dimension):
            numbered = enumerate(block, seq + 1)
            chunks = [Chunk(number, 0, given.get(number, row)) for number, row in numbered]
            seq += len(block)
            store.vector_index.add("bench", model.space, chunks, through=seq)
    store.statements.save("bench", SentenceJudge(embedder).name, [], through=seq)
    return took(
        lambda: store.vector_index.refresh_index(
            "bench",
            embedder.space,
            lambda _done, _total: None,
        ),
    )
