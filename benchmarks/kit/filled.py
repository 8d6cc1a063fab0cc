"""A memory filled past the door: made-up events, vectors, lines and statements, any number."""

import os
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.capture.embed import all_models, event_chunks, event_vectors
from ai_smartness.capture.index import index_events
from ai_smartness.memory import Memory
from ai_smartness.memory.base import ignore_progress
from ai_smartness.model.annotation import Annotation, RecordedPlacement
from ai_smartness.model.event import Event, Message, default_event_type
from ai_smartness.model.search import Chunk
from ai_smartness.model.statement import Speaker, Statement, StatementKind, statement_id
from ai_smartness.model.thread import Thread
from ai_smartness.ports import Embedder
from ai_smartness.settings.paths import memory_paths
from ai_smartness.settings.schema import Settings
from ai_smartness.statements.find import line_passages
from ai_smartness.statements.judge import SentenceJudge
from ai_smartness.wiring import build_memory
from kit.made_up import START, messages, queries, vectors
from kit.remembered import Known
from kit.timing import took

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "PROJECT",
    "PROMPTS",
    "THREAD_EVENTS",
    "a_thread",
    "an_event",
    "embedder_of",
    "fill_memory",
    "filled_home",
    "opened",
    "project_of",
    "statements_of",
    "with_made_up_vectors",
]

PROJECT = "bench"
BLOCK_EVENTS = 20_000
REAL_BATCH = 500
THREAD_EVENTS = 10
MOST_STATED_EVENTS = 100_000
"""The first events, which have lines and statements: in a larger project a prompt reads only those
of the messages that it finds."""

PROMPTS = 200
NEAR = 8
"""Messages that a prompt is near to."""

NOISE = 0.035
"""In each number of a vector; it makes a cosine of some 0.8 at 384 numbers."""

UNPLACED = RecordedPlacement("made up", 0.0, 0.0)
"""Why an event is on its thread. Left to the daemon, ten thousand would be described first."""

_KINDS = tuple(StatementKind)


def opened(path: Path, project: str = PROJECT) -> Memory:
    """Open a memory with the default settings and the model of this user's cache."""
    return build_memory(memory_paths(None, None, os.environ), Settings(), project, path)


def project_of(home: Path) -> Path:
    """Return the folder that the events of a filled home belong to."""
    return home / "project"


def filled_home(home: Path, events: int) -> Path:
    """Fill a new home with a memory; one that is there is used again. Return its file."""
    path, project = home / "memory.db", project_of(home)
    if path.exists():
        _mark_judged(path)
        return path
    (project / ".git").mkdir(parents=True, exist_ok=True)
    unfinished = home / "unfinished.db"
    unfinished.unlink(missing_ok=True)
    with opened(unfinished) as memory:
        fill_memory(memory, events)
    with sqlite3.connect(unfinished) as connection:
        # The hook finds the project by its folder.
        name = str(project.resolve())
        connection.execute("UPDATE projects SET name = ? WHERE name = ?", (name, PROJECT))
    connection.close()
    folder = Path(f"{unfinished}.vectors")
    if folder.exists():
        folder.rename(f"{path}.vectors")
    return unfinished.rename(path)


def fill_memory(memory: Memory, events: int, *, real: bool = False) -> None:
    """Fill an empty memory with events, vectors, lines and statements.

    With `real`, the vectors of the events are those of the model; they are kept for another run.
    """
    _add_events(memory, events)
    if memory.embedder is not None and real:
        _tell(f"{events:,} events: embedding")
        _add_real_vectors(memory)
        _add_statements(memory, min(events, MOST_STATED_EVENTS))
    elif memory.embedder is not None:
        _tell(f"{events:,} events: vectors")
        with_made_up_vectors(memory, _planted(memory, queries(PROMPTS, events), events))
        _tell(f"{events:,} events: lines and statements")
        _add_statements(memory, min(events, MOST_STATED_EVENTS))


def _mark_judged(path: Path) -> None:
    """Leave the statements of a kept memory as they are, though rules may have changed since.

    A daemon would judge all its messages anew, for hours.
    """
    with opened(path) as memory:
        judge = SentenceJudge(embedder_of(memory)).name
    with sqlite3.connect(path) as connection:
        connection.execute(
            "UPDATE statement_progress SET judge = ?, through = (SELECT max(seq) FROM events)",
            (judge,),
        )
    connection.close()


def _add_events(memory: Memory, events: int) -> None:
    """Put events and threads into a new file, described already."""
    store, source, number = memory._store, messages(events), 0  # noqa: SLF001 # past the door
    while block := list(islice(source, BLOCK_EVENTS)):
        _tell(f"{events:,} events: {number:,} filled")
        with store.unit():
            names = [f"thread_{(number + n) // THREAD_EVENTS:x}" for n in range(len(block))]
            for name in dict.fromkeys(names):
                store.threads.save(a_thread(name))
            made = [an_event(message, name) for message, name in zip(block, names, strict=True)]
            stored = store.events.append(made)
            index_events(store, stored)
            store.annotations.add([Annotation(seq=one.seq, placed=UNPLACED) for one in stored])
            store.annotations.mark_described(PROJECT, stored[-1].seq)
        number += len(block)
    store.word_index.refresh_index(PROJECT)


def _add_real_vectors(memory: Memory) -> None:
    """Embed every event, and leave no statement to be found."""
    embedder, store, seq = embedder_of(memory), memory._store, 0  # noqa: SLF001 # past the door
    for model in all_models(embedder):
        known, seq = Known(model), 0
        while events := store.events.after_seq(PROJECT, seq, REAL_BATCH):
            seq = events[-1].seq
            chunks = event_chunks(events, event_vectors(known, events))
            store.vector_index.add(PROJECT, model.space, chunks, through=seq)
        store.vector_index.refresh_index(PROJECT, model.space, ignore_progress)
    store.statements.save(PROJECT, SentenceJudge(embedder).name, [], through=seq)


def _add_statements(memory: Memory, events: int) -> None:
    """Give events the vectors of their lines, and one statement or two."""
    embedder, store = embedder_of(memory), memory._store  # noqa: SLF001 # past the door on purpose
    judge, seq = SentenceJudge(embedder).name, 0
    source = (row for block in vectors(6 * events, embedder.dimension, seed=4) for row in block)
    while seq < events and (stored := store.events.after_seq(PROJECT, seq, 2_000)):
        seq = stored[-1].seq
        lines = {event.seq: list(islice(source, len(line_passages(event)))) for event in stored}
        statements = [one for event in stored for one in statements_of(event)]
        rows = np.stack(list(islice(source, len(statements))))
        with store.unit():
            store.statements.save_line_vectors(
                embedder.space, {number: rows for number, rows in lines.items() if rows}
            )
            store.statements.save(PROJECT, judge, statements, seq)
            ids = [one.id for one in statements]
            store.statements.save_vectors(PROJECT, embedder.space, ids, rows)
    store.statements.save(PROJECT, judge, [], store.events.last_seq(PROJECT))
    store.statements.refresh_vectors(PROJECT, embedder.space)


def statements_of(event: Event) -> list[Statement]:
    """Make a statement of an event, or two."""
    sentences = dict.fromkeys(event.text.split(". ")[: 1 + event.seq % 2])
    return [
        Statement(
            id=statement_id(PROJECT, event.id, text),
            project=PROJECT,
            seq=event.seq,
            thread_id=event.thread_id,
            session=event.session or "",
            speaker=Speaker.USER if event.role == "user" else Speaker.ASSISTANT,
            at=event.at,
            kind=_KINDS[event.seq % len(_KINDS)],
            text=text,
            subject=tuple(text.split()[:3]),
            confidence=0.6,
        )
        for text in sentences
    ]


def _planted(
    memory: Memory, prompts: Sequence[str], events: int
) -> "dict[int, NDArray[np.float32]]":
    """Return vectors near to each prompt for some of the events."""
    chance = np.random.default_rng(5)
    near: dict[int, NDArray[np.float32]] = {}
    for prompt in prompts:
        asked = embedder_of(memory).query(prompt)
        for seq in chance.integers(1, events, NEAR):
            moved = asked + NOISE * chance.normal(size=len(asked)).astype(np.float32)
            near[int(seq)] = moved / np.linalg.norm(moved)
    return near


def a_thread(id_: str) -> Thread:
    """Make a thread to put events on."""
    return Thread(id=id_, project=PROJECT, title=id_, created_at=START, last_active=START)


def an_event(message: Message, thread: str) -> Event:
    """Make the event that a message is stored as."""
    return Event(
        id=message.id or "",
        project=PROJECT,
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
    would be busy with them. Return the seconds that the files beside the database took.
    """
    embedder, store = embedder_of(memory), memory._store  # noqa: SLF001 # past the door on purpose
    seq, seconds = 0, 0.0
    for model in all_models(embedder):
        seq, given = 0, (planted or {}) if model is embedder else {}
        for block in vectors(store.events.count(PROJECT), model.dimension):
            numbered = enumerate(block, seq + 1)
            chunks = [Chunk(number, 0, given.get(number, row)) for number, row in numbered]
            seq += len(block)
            store.vector_index.add(PROJECT, model.space, chunks, through=seq)
    store.statements.save(PROJECT, SentenceJudge(embedder).name, [], through=seq)
    for model in all_models(embedder):
        seconds += took(
            lambda space=model.space: store.vector_index.refresh_index(  # type: ignore[misc]
                PROJECT, space, lambda done, total: _tell(f"vectors {done:,} of {total:,}")
            )
        )
    return seconds


def _tell(text: str) -> None:
    print(f"… {text}", file=sys.stderr, flush=True)
