"""Threads about one subject, found among thousands, beside each compared with each; and compact.

Vectors and texts are made up: threads gather around subjects, and all share a direction, as
those of a real project do.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.memory import Memory, MemoryParts
from ai_smartness.model.compaction import Compaction, CompactionStrategy, MergeStep
from ai_smartness.model.search import Chunk, IndexedWords
from ai_smartness.settings.schema import Settings
from ai_smartness.testing import HashEmbedder, SetClock
from ai_smartness.threads.similar_threads import (
    SAME_SUBJECT_COSINE,
    CentreMatrix,
    centre_matrix,
    centred_rows,
    similar_pairs,
)
from kit.filled import a_thread, an_event
from kit.made_up import START, messages
from kit.timing import print_table, took

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSION = 384
SIZES = (1_250, 2_500, 5_000, 10_000, 20_000)
THREADS_PER_SUBJECT = 6
MESSAGES_PER_THREAD = 10
ALIKE = 0.85
LIMIT_THREADS, LIMIT_S = 10_000, 1.0


def main() -> None:
    """Time the search for pairs at each size, then a compaction of a whole file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=10_000, help="in the file; 0: no file")
    given = parser.parse_args()
    show_pairs(given.runs)
    if given.threads:
        with tempfile.TemporaryDirectory() as folder:
            show_compaction(Path(folder) / "memory.db", given.threads)


def show_pairs(runs: int) -> None:
    """Print what the search takes, and what it finds of all there are."""
    rows = []
    for size in SIZES:
        there = CentreMatrix(tuple(f"t{n:06}" for n in range(size)), made_up(size))
        ours = best(partial(similar_pairs, there, ALIKE), runs)
        plain = best(partial(each_with_each, there), runs)
        all_of_them = each_with_each(there)
        found = {(int(pair.a[1:]), int(pair.b[1:])) for pair in similar_pairs(there, ALIKE)}
        recall = len(found & all_of_them) / len(all_of_them)
        times = (f"{ours * 1000:.0f}", f"{plain * 1000:.0f}", f"{ours / plain:.2f}")
        rows.append([f"{size:,}", *times, f"{len(all_of_them):,}", f"{recall:.4f}"])
    columns = ["threads", "ours, ms", "each with each, ms", "ratio", "pairs", "recall"]
    print_table(f"Pairs of threads more alike than {ALIKE}, best of {runs}.", columns, rows)
    print(f"\n{LIMIT_THREADS:,} threads are to stay under {LIMIT_S:g} s on a quiet machine.")


def made_up(count: int, seed: int = 1) -> "NDArray[np.float32]":
    """Return unit vectors around subjects, some threads nearer to theirs than others.

    As of real threads, half of what sets them apart is in a dozen of the directions.
    """
    chance = np.random.default_rng(seed)
    widths = (1.0 + np.arange(DIMENSION)) ** -0.5
    subjects = chance.normal(size=(count // THREADS_PER_SUBJECT, DIMENSION))
    rows = subjects[chance.integers(len(subjects), size=count)]
    rows = rows + chance.uniform(0.3, 1.2, size=(count, 1)) * chance.normal(size=rows.shape)
    rows = rows * widths + 1.0 / np.sqrt(DIMENSION)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def each_with_each(there: CentreMatrix) -> set[tuple[int, int]]:
    """Find the pairs the plain way: one product of all with all."""
    rows = centred_rows(there.rows)
    one, other = np.nonzero(rows @ rows.T > ALIKE * SAME_SUBJECT_COSINE)
    later = other > one
    return set(zip(one[later].tolist(), other[later].tolist(), strict=True))


def best(call: Callable[[], object], runs: int) -> float:
    """Return the shortest of some times, in seconds."""
    return min(took(call) for _ in range(runs))


def show_compaction(path: Path, threads: int) -> None:
    """Print what a compaction of a file takes."""
    embedder, clock = HashEmbedder(DIMENSION), SetClock(START + timedelta(days=1))
    store = SqliteStore.open(path)
    memory = Memory(
        MemoryParts(store=store, embedder=lambda: embedder, clock=clock),
        "bench",
        Settings(),
    )
    print(f"\n… {took(partial(fill, store, embedder.space, threads)):.0f} s", file=sys.stderr)
    print(f"… {took(memory.tell):.0f} s", file=sys.stderr)
    ids = [each.id for each in store.threads.all("bench")]
    read = partial(centre_matrix, store, "bench", embedder.space, ids)
    done: list[Compaction] = []
    times = {
        "centres, made once": took(read),
        "centres, read": took(read),
        "compact, dry run": took(partial(memory.compact, dry_run=True)),
        "compact": took(lambda: done.append(memory.compact(CompactionStrategy.NORMAL))),
        "undo": took(memory.undo),
    }
    print_table(
        f"{threads:,} threads, {threads * MESSAGES_PER_THREAD:,} messages, s.",
        ["", "once"],
        [[name, f"{seconds:.2f}"] for name, seconds in times.items()],
    )
    groups = sum(isinstance(step, MergeStep) for step in done[0].steps)
    kilobytes = path.stat().st_size / 1024
    print(f"\n{done[0].outcome.said} {groups:,} groups were merged. The file: {kilobytes:,.0f} KB.")
    memory.close()


def fill(store: SqliteStore, space: str, threads: int) -> None:
    """Store threads of ten messages, each near to what its thread is about."""
    chance, middles, said = np.random.default_rng(2), made_up(threads), messages(threads * 10)
    for start in range(0, threads, 500):
        with store.unit():
            for number in range(start, min(start + 500, threads)):
                id_ = f"thread_{number:06}"
                store.threads.save(a_thread(id_))
                events = store.events.append(
                    [an_event(next(said), id_) for _ in range(MESSAGES_PER_THREAD)],
                )
                words = [IndexedWords(event.seq, event.text, "", "") for event in events]
                store.word_index.add("bench", words)
                noise = chance.normal(size=(len(events), DIMENSION)).astype(np.float32) * 0.02
                rows = middles[number] + noise
                rows /= np.linalg.norm(rows, axis=1, keepdims=True)
                chunks = [Chunk(e.seq, 0, row) for e, row in zip(events, rows, strict=True)]
                store.vector_index.add("bench", space, chunks, through=events[-1].seq)


if __name__ == "__main__":
    main()
