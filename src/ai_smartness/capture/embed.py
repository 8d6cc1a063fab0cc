"""Make events findable by their meaning.

Text is searchable as soon as it is captured; its vectors follow here, in the
order of `seq`, and whatever is interrupted goes on where it stopped.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ai_smartness.model.event import Event
from ai_smartness.model.found import Chunk
from ai_smartness.ports import Embedder, Progress, ThreadStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["chunks_of", "embed", "passage"]

BATCH_EVENTS = 128
"""Large enough to sort by length, small enough that an interruption loses seconds."""


NAMELESS = frozenset({"user", "assistant", "agent", "model", "tool", "system", "note"})


def embed(store: ThreadStore, embedder: Embedder, project: str, progress: Progress) -> int:
    """Embed every event of the project that has no vector yet, and return how many."""
    total = store.vectors.pending(project, embedder.space)
    done = 0
    while events := store.vectors.missing(project, embedder.space, BATCH_EVENTS):
        rows = embedder.documents([passage(event) for event in events])
        store.vectors.add(project, embedder.space, chunks_of(events, rows), events[-1].seq)
        done += len(events)
        progress(done, max(total, done))
    store.vectors.settle(project, embedder.space, progress)
    return done


def chunks_of(events: Sequence[Event], rows: "Sequence[NDArray[np.float32]]") -> list[Chunk]:
    """Return the vectors of events, numbered within each."""
    return [
        Chunk(event.seq, number, vector)
        for event, vectors in zip(events, rows, strict=True)
        for number, vector in enumerate(vectors)
    ]


def passage(event: Event) -> str:
    """Return the text that stands for an event when it is embedded.

    Who speaks is part of a line where people have names; `user` or
    `assistant` in front of every line would only make all lines more alike.
    """
    if event.role in NAMELESS or event.text.startswith(f"{event.role}:"):
        return event.text
    return f"{event.role}: {event.text}"
