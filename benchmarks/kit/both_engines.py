"""The verbs of one memory on SQLite and on PostgreSQL, asked in turn in one run."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path

from ai_smartness.memory import Memory
from ai_smartness.model.event import Message
from ai_smartness.ports import ThreadStore
from ai_smartness.settings.schema import Settings
from kit.benched_server import BenchedServer, benched_server
from kit.filled import PROJECT, embedder_of, fill_memory, opened
from kit.made_up import messages, queries
from kit.timing import Times, print_table, took

__all__ = ["ComparedMemories", "compare_engines", "opened_engines"]

GOAL_RATIO = 1.5
GOAL_FAR_INJECT_MS = 200
UNCOUNTED = 5
LIVE_SEED = 77


@dataclass(frozen=True, slots=True)
class ComparedMemories:
    """How many events both engines have, how far away the server is, and which vectors."""

    size: int
    delay_ms: float
    real: bool
    keep: Path | None

    @property
    def name(self) -> str:
        """Name what is kept of this size."""
        return f"kept_{self.size}{'_real' if self.real else ''}"


def compare_engines(
    sizes: Sequence[int], questions: int, delay_ms: float, *, real: bool, keep: Path | None
) -> None:
    """Print the times of each verb on both engines, and of a server that is further away."""
    with tempfile.TemporaryDirectory(prefix="ais-both-", dir=keep) as scratch:
        for size in sizes:
            compared = ComparedMemories(size, delay_ms, real, keep)
            with opened_engines(compared, Path(scratch) / str(size)) as memories:
                _show(size, _measured(memories, queries(questions + UNCOUNTED, size)), delay_ms)


@contextmanager
def opened_engines(compared: ComparedMemories, scratch: Path) -> Iterator[dict[str, Memory]]:
    """Yield the same memory on each engine: copies of those that are kept."""
    kept = (compared.keep or scratch) / compared.name
    with (
        benched_server(compared.keep and compared.keep / "server") as server,
        server.far_url(compared.delay_ms, "bench") as far_url,
    ):
        if not server.has(compared.name):
            _fill_both(compared, kept, server)
        file = opened(shutil.copytree(kept, scratch / "copy") / "memory.db")
        url = server.copy(compared.name, "bench")
        memories = {
            "SQLite": _with_store(file, file._parts.store),  # noqa: SLF001 # put together anew
            "PostgreSQL": _with_store(file, server.open_store(url)),
        }
        if delay_ms := compared.delay_ms:
            far = _with_store(file, server.open_store(far_url))
            memories[f"PostgreSQL, {delay_ms:g} ms away"] = far
        yield memories
        for memory in memories.values():
            memory.close()


def _fill_both(compared: ComparedMemories, folder: Path, server: BenchedServer) -> None:
    """Fill a memory on each engine with the same messages, to be copied."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    file = opened(folder / "memory.db")
    embedder_of(file)
    near = _with_store(file, server.open_store(server.make_empty("filling")))
    for memory in (file, near):
        fill_memory(memory, compared.size, real=compared.real)
        memory.close()
    server.keep("filling", compared.name)


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
