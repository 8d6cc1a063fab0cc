"""Make events findable by their meaning.

Text is searchable as soon as it is captured; its vectors follow here, in the
order of `seq`, and whatever is interrupted goes on where it stopped.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ai_smartness.model.errors import StoreError
from ai_smartness.model.event import Event
from ai_smartness.model.search import Chunk
from ai_smartness.ports import Embedder, Progress, ThreadStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["embed", "event_chunks", "event_passage", "event_vectors", "model_errors"]

BATCH_EVENTS = 128
"""Large enough to sort by length, small enough that an interruption loses seconds."""


PLAIN_ROLES = frozenset({"user", "assistant", "agent", "model", "tool", "system", "note"})


def embed(store: ThreadStore, embedder: Embedder, project: str, progress: Progress) -> int:
    """Embed every event of the project that has no vector yet, and return how many."""
    total = store.vector_index.count_missing(project, embedder.space)
    done = 0
    while events := store.vector_index.events_without_vectors(
        project,
        embedder.space,
        BATCH_EVENTS,
    ):
        rows = event_vectors(embedder, events)
        store.vector_index.add(project, embedder.space, event_chunks(events, rows), events[-1].seq)
        done += len(events)
        progress(done, max(total, done))
    store.vector_index.refresh_index(project, embedder.space, progress)
    return done


def embed_events(
    store: ThreadStore,
    embedder: Embedder,
    project: str,
    events: Sequence[Event],
) -> None:
    """Embed those of some events that have no vector yet, ahead of the others."""
    known = store.vector_index.event_centres(
        project,
        embedder.space,
        [event.seq for event in events],
    )
    missing = [event for event in events if event.text and event.seq not in known]
    for start in range(0, len(missing), BATCH_EVENTS):
        some = missing[start : start + BATCH_EVENTS]
        store.vector_index.add(
            project,
            embedder.space,
            event_chunks(some, event_vectors(embedder, some)),
        )


def event_vectors(embedder: Embedder, events: Sequence[Event]) -> "list[NDArray[np.float32]]":
    """Return for each event its vectors as rows."""
    with model_errors():
        rows = embedder.documents([event_passage(event) for event in events])
        if len(rows) != len(events):
            msg = f"it gave vectors for {len(rows)} texts of {len(events)}"
            raise ValueError(msg)
    return rows


@contextmanager
def model_errors() -> Iterator[None]:
    """Say of a model that breaks inside that it did, as a `StoreError`.

    An embedder is anybody's: beside the errors of our own, it raises what its
    libraries do. Those that a machine or a model's files cause are translated
    here, in one place; a mistake in a program stays as loud as it is.
    """
    try:
        yield
    except (OSError, RuntimeError, ValueError, ArithmeticError, MemoryError) as error:
        msg = (
            f"the embedding model did not embed: {type(error).__name__}: {error}. "
            "Messages are found by their words until it does. "
            "`ais doctor` checks the model, `ais model use` chooses another."
        )
        raise StoreError(msg) from error


def event_chunks(events: Sequence[Event], rows: "Sequence[NDArray[np.float32]]") -> list[Chunk]:
    """Return the vectors of events, numbered within each."""
    return [
        Chunk(event.seq, number, vector)
        for event, vectors in zip(events, rows, strict=True)
        for number, vector in enumerate(vectors)
    ]


def event_passage(event: Event) -> str:
    """Return the text that stands for an event when it is embedded.

    Who speaks is part of a line where people have names; `user` or
    `assistant` in front of every line would only make all lines more alike.
    """
    if event.role in PLAIN_ROLES or event.text.startswith(f"{event.role}:"):
        return event.text
    return f"{event.role}: {event.text}"
