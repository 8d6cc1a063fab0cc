"""Merge, split, move, rename and undo on threads of 5,000 messages, in a project of hundreds.

Texts and vectors are made up; the vectors are stored, and no verb needs a model.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import count, islice
from pathlib import Path
from time import perf_counter

from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.event import Message
from ai_smartness.model.journal import Outcome
from ai_smartness.model.search import Chunk
from ai_smartness.model.split import SplitPart
from ai_smartness.model.thread import SplitLock, Thread
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder, SetClock
from kit.made_up import START, messages, vectors
from kit.timing import Times, print_table, took

PROJECT = "bench"
DIMENSION = 384
LONG, OTHER = "thread_long", "thread_other"
GROUPS = 2
MERGE_LIMIT_S = 2.0


def main() -> None:
    """Fill a file, then time each verb and its undo several times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=5_000, help="on each of the two threads")
    parser.add_argument("--threads", type=int, default=300, help="others in the project")
    parser.add_argument("--runs", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        memory = opened(path)
        print(f"… {filled(memory, path, given.messages, given.threads):.0f} s", file=sys.stderr)
        show_verbs(memory, given.messages, given.runs)
        show_capture(memory, given.runs)
        memory.close()


def opened(path: Path) -> Memory:
    """Open a memory whose model costs next to nothing."""
    embedder = HashEmbedder(DIMENSION)
    clock = SetClock(START + timedelta(days=30))
    parts = MemoryParts(store=SqliteStore.open(path), embedder=lambda: embedder, clock=clock)
    return Memory(parts, PROJECT, Settings())


def filled(memory: Memory, path: Path, long: int, others: int) -> float:
    """Capture two long threads and others of ten messages, and return the seconds it took."""
    started = perf_counter()
    store = SqliteStore.open(path)
    homes = [*[LONG, OTHER] * long, *(f"thread_{n:04}" for n in range(others) for _ in range(10))]
    for id_ in dict.fromkeys(homes):
        store.threads.save(
            Thread(id=id_, project=PROJECT, title="", created_at=START, last_active=START),
        )
    said = [
        replace(message, thread=home, session=home)
        for message, home in zip(messages(len(homes)), homes, strict=True)
    ]
    memory.capture(said)
    memory.tell()
    seq = 0
    for block in vectors(len(homes), DIMENSION):
        chunks = [Chunk(seq + n + 1, 0, row) for n, row in enumerate(block)]
        seq += len(block)
        store.vector_index.add(PROJECT, HashEmbedder(DIMENSION).space, chunks, through=seq)
    store.close()
    return perf_counter() - started


def show_verbs(memory: Memory, long: int, runs: int) -> None:
    """Print what each verb and its undo take."""
    ids = [event.id for event in memory.all_events(OTHER)]
    merge = timed(memory, lambda: memory.merge(LONG, OTHER), runs)
    rows = [row(f"merge of two threads of {long:,} messages", *merge)]
    memory.merge(LONG, OTHER)
    share = 2 * long // (GROUPS + 1)
    whole = iter([event.id for event in memory.all_events(LONG)])
    parts = [SplitPart(f"group {n}", tuple(islice(whole, share))) for n in range(GROUPS)]

    def split() -> Outcome:
        return memory.split(LONG, parts, lock=SplitLock.AGENT_RELEASE)

    rows.append(
        row(f"split of {2 * long:,} in {GROUPS} groups and the rest", *timed(memory, split, runs)),
    )
    memory.undo()
    titles = (f"title {n}" for n in count())
    rows.append(row("rename", *timed(memory, lambda: memory.rename(LONG, next(titles)), runs)))
    move = timed(memory, lambda: memory.move(ids[long // 2], LONG), runs)
    rows.append(row("move of one message", *move))
    print_table(
        "The verbs on long threads, ms.",
        ["", "median", "worst", "undo: median", "worst", "undo / verb"],
        rows,
    )
    worst_s = merge[0].at(100) / 1000
    print(f"\nThe slowest merge took {worst_s:.2f} s; it is to stay under {MERGE_LIMIT_S:g} s.")


def timed(memory: Memory, verb: Callable[[], Outcome], runs: int) -> tuple[Times, Times]:
    """Time a verb and its undo, again and again."""
    pairs = [(took(verb), took(memory.undo)) for _ in range(runs)]
    done, undone = zip(*pairs, strict=True)
    return Times(done), Times(undone)


def row(name: str, done: Times, undone: Times) -> list[str]:
    """Lay out the times of one verb."""
    return [
        name,
        *(f"{times.at(at):,.1f}" for times in (done, undone) for at in (50, 100)),
        f"{undone.at(50) / done.at(50):.2f}x",
    ]


def show_capture(memory: Memory, runs: int) -> None:
    """Print what the first message costs after a merge, beside one without."""
    live = talk()

    def capture() -> float:
        message = next(live)
        return took(lambda: memory.capture(message))

    capture()
    plain = Times([capture() for _ in range(3 * runs)])
    first: list[float] = []
    for _ in range(runs):
        memory.merge(LONG, OTHER)
        first.append(capture())
        memory.undo()
        capture()
    after = Times(first)
    print_table(
        "One live message, by a process that is warm, ms.",
        ["", "median", "worst", "/ without a merge"],
        [
            ["without a merge", f"{plain.at(50):,.1f}", f"{plain.at(100):,.1f}", "1.00x"],
            [
                "the first after a merge",
                f"{after.at(50):,.1f}",
                f"{after.at(100):,.1f}",
                f"{after.at(50) / plain.at(50):.2f}x",
            ],
        ],
    )


def talk() -> Iterator[Message]:
    """Yield what somebody says while others tidy."""
    for number, message in enumerate(messages(10_000, seed=5)):
        at = START + timedelta(days=20, minutes=number)
        yield replace(message, id=f"live{number}", session="live", at=at)


if __name__ == "__main__":
    main()
