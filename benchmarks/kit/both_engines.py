"""The verbs of one memory on SQLite and on PostgreSQL, asked in turn in one run."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

from ai_smartness.memory import Memory
from ai_smartness.model.event import Message
from ai_smartness.ports import ThreadStore
from ai_smartness.settings.schema import Settings
from kit.benched_server import benched_server
from kit.filled import PROJECT, embedder_of, fill_memory, opened
from kit.made_up import messages, queries
from kit.timing import Times, print_table, took

__all__ = ["compare_engines"]

GOAL_RATIO = 1.5
GOAL_FAR_INJECT_MS = 200
UNCOUNTED = 5
LIVE_SEED = 77


def compare_engines(sizes: Sequence[int], questions: int, delay_ms: float, *, real: bool) -> None:
    """Print the times of each verb on both engines, and of a server that is further away."""
    for size in sizes:
        with _memories(size, delay_ms, real=real) as memories:
            _show(size, _measured(memories, queries(questions + UNCOUNTED, size)), delay_ms)


@contextmanager
def _memories(size: int, delay_ms: float, *, real: bool) -> Iterator[dict[str, Memory]]:
    """Yield the same memory on each engine, filled with the same messages."""
    with (
        tempfile.TemporaryDirectory() as folder,
        benched_server() as server,
        server.far_url(delay_ms) as far_url,
    ):
        local = opened(Path(folder) / "memory.db")
        file = _with_store(local, local._parts.store)  # noqa: SLF001 # put together anew
        near = _with_store(file, server.open_store(server.url("bench")))
        for memory in (file, near):
            embedder_of(memory)
            fill_memory(memory, size, real=real)
        server.analyze()
        memories = {"SQLite": file, "PostgreSQL": near}
        if delay_ms:
            memories[f"PostgreSQL, {delay_ms:g} ms away"] = _with_store(
                file, server.open_store(far_url)
            )
        yield memories
        for memory in memories.values():
            memory.close()


def _with_store(memory: Memory, store: ThreadStore) -> Memory:
    """Return the memory in another store; as in the daemon, no verb waits for an embedding."""
    parts = replace(memory._parts, store=store, patient=False)  # noqa: SLF001 # put together anew
    return Memory(parts, PROJECT, Settings())


def _measured(memories: dict[str, Memory], questions: Sequence[str]) -> dict[str, dict[str, Times]]:
    """Return the times of each verb, of each engine: question by question in turn."""
    # A live message is like those that are stored; a question is much shorter.
    live = [message.text for message in messages(len(questions), seed=LIVE_SEED)]
    numbers = count()
    verbs: dict[str, Callable[[Memory, str, str], object]] = {
        "search": lambda memory, _, text: memory.search(text),
        "recall": lambda memory, _, text: memory.recall(text),
        "inject": lambda memory, engine, text: memory.inject(text, session=engine),
        "capture": lambda memory, engine, text: memory.capture(
            Message(id=f"live{next(numbers)}", session=engine, text=live[questions.index(text)])
        ),
    }
    seconds: dict[str, dict[str, list[float]]] = {
        verb: {engine: [] for engine in memories} for verb in verbs
    }
    for question in questions:
        for verb, call in verbs.items():
            for engine, memory in memories.items():
                seconds[verb][engine].append(took(partial(call, memory, engine, question)))
    return {
        verb: {engine: Times(times[UNCOUNTED:]) for engine, times in by_engine.items()}
        for verb, by_engine in seconds.items()
    }


def _show(size: int, measured: dict[str, dict[str, Times]], delay_ms: float) -> None:
    title = f"{size:,} events, milliseconds; p95 of PostgreSQL: goal {GOAL_RATIO} x SQLite"
    rows = []
    for verb, by_engine in measured.items():
        base = by_engine["SQLite"].at(95)
        rows += [
            [
                verb,
                engine,
                f"{times.at(50):.1f}",
                f"{times.at(95):.1f}",
                f"{times.at(95) / base:.2f}",
            ]
            for engine, times in by_engine.items()
        ]
    print_table(title, ["verb", "engine", "p50", "p95", "p95 / SQLite"], rows)
    if delay_ms:
        print(f"goal for inject {delay_ms:g} ms away: p95 of {GOAL_FAR_INJECT_MS} ms at most")
