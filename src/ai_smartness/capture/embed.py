"""Embed events, so that search finds them by meaning.

Keyword search finds a message as soon as it is captured. Its vectors follow here, in the order of
`seq`; an interrupted run continues where it stopped.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ai_smartness.capture.clean import cleaned_text
from ai_smartness.model.errors import StoreError
from ai_smartness.model.event import Event
from ai_smartness.model.search import Chunk
from ai_smartness.ports import Embedder, Progress, ThreadStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "all_models",
    "embed",
    "embed_events",
    "event_chunks",
    "event_passage",
    "event_vectors",
    "model_errors",
    "named_passage",
    "reading_model",
    "replace_vectors",
]

BATCH_EVENTS = 128  # enough to sort by length, few enough that an interruption loses seconds

PLAIN_ROLES = frozenset({"user", "assistant", "agent", "model", "tool", "system", "note"})


def all_models(embedder: Embedder | None) -> list[Embedder]:
    """Return the models whose vectors are kept: the embedder, and that for other languages."""
    models = [embedder, embedder.other_languages] if embedder else []
    return [model for model in models if model is not None]


def reading_model(embedder: Embedder, text: str) -> Embedder:
    """Return the model that reads a text: the embedder, or that for other languages."""
    other = embedder.other_languages
    return embedder if other is None or embedder.reads(text) else other


def embed(store: ThreadStore, embedder: Embedder, project: str, progress: Progress) -> int:
    """Embed every event of the project that has no vector yet, and return how many."""
    index, space = store.vector_index, embedder.space
    total = index.count_missing(project, space)
    done = 0
    while events := index.lease_events(project, space, BATCH_EVENTS):
        rows = event_vectors(embedder, events)
        index.add(project, space, event_chunks(events, rows), events[-1].seq)
        done += len(events)
        progress(done, max(total, done))
    if done:
        # Others may have embedded what comes after it.
        index.add(project, space, [], through=store.events.last_seq(project))
    index.refresh_index(project, space, progress)
    return done


def replace_vectors(
    store: ThreadStore, embedder: Embedder, project: str, progress: Progress
) -> None:
    """Embed every event of the project again; each keeps its vectors until it has new ones."""
    total, seq, done = store.events.count(project), 0, 0
    while events := store.events.after_seq(project, seq, BATCH_EVENTS):
        texts = [event for event in events if event.text]
        rows = event_vectors(embedder, texts)
        store.vector_index.replace(project, embedder.space, event_chunks(texts, rows))
        seq, done = events[-1].seq, done + len(events)
        progress(done, max(total, done))
    store.vector_index.add(project, embedder.space, [], through=seq)
    store.vector_index.refresh_index(project, embedder.space, progress)


def embed_events(
    store: ThreadStore, embedder: Embedder, project: str, events: Sequence[Event]
) -> None:
    """Embed the events among these that have no vector yet, ahead of the others."""
    index, space = store.vector_index, embedder.space
    known = index.event_centres(project, space, [event.seq for event in events])
    missing = [event for event in events if event.text and event.seq not in known]
    for start in range(0, len(missing), BATCH_EVENTS):
        batch = missing[start : start + BATCH_EVENTS]
        index.add(project, space, event_chunks(batch, event_vectors(embedder, batch)))


def event_vectors(embedder: Embedder, events: Sequence[Event]) -> "list[NDArray[np.float32]]":
    """Return the vectors of each event, as rows."""
    with model_errors():
        rows = embedder.documents([event_passage(event) for event in events])
        if len(rows) != len(events):
            msg = f"it gave vectors for {len(rows)} texts of {len(events)}"
            raise ValueError(msg)
    return rows


@contextmanager
def model_errors() -> Iterator[None]:
    """Turn an error of the embedding model into a `StoreError`.

    An embedder may be anybody's code and raises whatever its libraries raise. Errors that the
    machine or the model's files cause are translated here; a programming error is not.
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
    """Return the chunks of events: their vectors, numbered within each event."""
    return [
        Chunk(event.seq, number, vector)
        for event, vectors in zip(events, rows, strict=True)
        for number, vector in enumerate(vectors)
    ]


def event_passage(event: Event) -> str:
    """Return the text of an event as it is embedded.

    A message that was stored whole is embedded without its noise: an encoded file would take
    many seconds, and has no meaning.
    """
    return named_passage(cleaned_text(event.text) or event.text, event.role)


def named_passage(text: str, role: str) -> str:
    """Return a text that is to be embedded after its speaker's name, if that is one.

    `user` or `assistant` in front of every line would only make all lines more alike.
    """
    is_named = role in PLAIN_ROLES or text.startswith(f"{role}:")
    return text if is_named else f"{role}: {text}"
