"""How long `Memory.inject` takes in a memory of 10,000 threads, warm and cold.

It is shown beside the raw cost, prompt by prompt in the same run, of what it cannot
do without: one query embedding, one FTS5 query, one scan of the vectors. The texts
are made up; to each prompt some messages are near by meaning, so that it has
something to show.
"""

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ai_smartness.capture.index import index_events
from ai_smartness.memory import Memory
from ai_smartness.text.keywords import query_terms
from kit.filled import a_thread, an_event, embedder_of, opened, with_made_up_vectors
from kit.made_up import SESSION_MESSAGES, messages, queries, vectors
from kit.timing import Times, print_table, resident_mb, took

if TYPE_CHECKING:
    from numpy.typing import NDArray

EVENTS = 100_000
THREAD_EVENTS = 10
PROMPTS = 200
SESSIONS = 20
COLD_STARTS = 5
NEAR = 8
"""Messages that a prompt is near to."""

NOISE = 0.035
"""In each number of a vector; it makes a cosine of some 0.8 at 384 numbers."""

GOAL_MS = 50


def main() -> None:
    """Fill a memory, then inject into it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--prompts", type=int, default=PROMPTS)
    parser.add_argument("--file", type=Path, help="where to keep the memory for another run")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--cold", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.cold:
        print(json.dumps(cold(given.file, given.cold)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = given.file or Path(folder) / "memory.db"
        prompts = queries(given.prompts, given.events)
        if not path.exists():
            fill(path, given.events, prompts)
        found = {"events": given.events, **warm(path, prompts, given.events)}
        found["cold"] = [in_own_process(path, prompts[n]) for n in range(COLD_STARTS)]
    if given.json:
        print(json.dumps(found, indent=2))
    else:
        show(found)


def fill(path: Path, events: int, prompts: Sequence[str]) -> None:
    """Put events, threads and vectors into a new file."""
    print(f"… filling {events:,} events", file=sys.stderr)
    with opened(path) as memory:
        store, source, number = memory._store, messages(events), 0  # noqa: SLF001 # past the door
        while block := list(islice(source, 20_000)):
            with store.unit():
                names = [f"thread_{(number + n) // THREAD_EVENTS:x}" for n in range(len(block))]
                for name in dict.fromkeys(names):
                    store.threads.save(a_thread(name))
                given = [an_event(each, name) for each, name in zip(block, names, strict=True)]
                index_events(store, store.events.append(given))
            number += len(block)
        store.word_index.refresh_index("bench")
        store.annotations.mark_described("bench", store.events.last_seq("bench"))
        with_made_up_vectors(memory, planted(memory, prompts, events))


def planted(
    memory: Memory,
    prompts: Sequence[str],
    events: int,
) -> "dict[int, NDArray[np.float32]]":
    """Return vectors near to each prompt for some of the events."""
    chance = np.random.default_rng(5)
    found: dict[int, NDArray[np.float32]] = {}
    for prompt in prompts:
        asked = embedder_of(memory).query(prompt)
        for seq in chance.integers(1, events, NEAR):
            near = asked + NOISE * chance.normal(size=len(asked)).astype(np.float32)
            found[int(seq)] = near / np.linalg.norm(near)
    return found


def warm(path: Path, prompts: Sequence[str], events: int) -> dict[str, Any]:
    """Time injections, each beside the raw cost of the same prompt."""
    last = events // SESSION_MESSAGES
    with opened(path) as memory:
        floor = raw(memory, path)
        for prompt in prompts[:5]:
            memory.inject(prompt)
            floor(prompt)
        raws: list[float] = []
        times: list[float] = []
        shown: list[int] = []
        for number, prompt in enumerate(prompts):
            session = f"s{last - 1 - number % SESSIONS}"
            raws.append(took(lambda prompt=prompt: floor(prompt)))  # type: ignore[misc]
            started = perf_counter()
            shown.append(len(memory.inject(prompt, session=session).entries))
            times.append(perf_counter() - started)
        threads = memory.status().threads
        return {
            "threads": threads,
            "inject": percentiles(Times(times)),
            "raw": percentiles(Times(raws)),
            "with something to show": sum(map(bool, shown)),
            "entries shown": float(np.mean(shown)),
            "resident MB": resident_mb(),
        }


def percentiles(times: Times) -> dict[str, float]:
    """Return what is told of many times, in milliseconds."""
    return {f"p{percent}": times.at(percent) for percent in (50, 95, 99)}


def raw(memory: Memory, path: Path) -> Callable[[str], object]:
    """Return what does for a prompt the three things that an injection cannot do without."""
    connection, embedder = sqlite3.connect(path), embedder_of(memory)
    size = connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
    matrix = np.concatenate(list(vectors(size, embedder.dimension)))

    def floor(prompt: str) -> object:
        scores = matrix @ embedder.query(prompt)
        match = " OR ".join(f'"{term}"' for term in query_terms(prompt))
        rows = connection.execute(
            "SELECT rowid FROM words_1 WHERE words_1 MATCH ? ORDER BY rank LIMIT 100",
            (match,),
        ).fetchall()
        return np.argpartition(scores, -100)[-100:], rows

    return floor


def in_own_process(path: Path, prompt: str) -> dict[str, float]:
    """Inject once where nothing is warm."""
    command = [sys.executable, __file__, "--file", str(path), "--cold", prompt]
    started = perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # ourselves
    found: dict[str, float] = json.loads(done.stdout)
    return {**found, "whole process": (perf_counter() - started) * 1000}


def cold(path: Path, prompt: str) -> dict[str, float]:
    """Open the file, inject once, and say how many milliseconds each took."""
    started = perf_counter()
    memory = opened(path)
    opening = perf_counter() - started
    embedder_of(memory)
    loading = perf_counter() - started - opening
    first = took(lambda: memory.inject(prompt, session="a new one"))
    second = took(lambda: memory.inject(prompt, session="another"))
    memory.close()
    found = {"open": opening, "load the model": loading, "first": first, "second": second}
    return {name: seconds * 1000 for name, seconds in found.items()}


def show(found: dict[str, Any]) -> None:
    """Print what was found."""
    inject, floor = found["inject"], found["raw"]
    print_table(
        f"Memory.inject at {found['threads']:,} threads, {found['events']:,} events, warm; "
        f"{found['with something to show']} prompts were shown something.",
        ["ms", *inject],
        [
            ["inject", *(f"{value:.1f}" for value in inject.values())],
            ["raw: embedding + FTS5 + scan", *(f"{value:.1f}" for value in floor.values())],
            ["inject / raw", *(f"{inject[key] / floor[key]:.2f}x" for key in inject)],
            [f"goal: p95 under {GOAL_MS}", "", "yes" if inject["p95"] < GOAL_MS else "NO", ""],
        ],
    )
    names = list(found["cold"][0])
    print_table(
        f"From a closed file, in a process of its own, {len(found['cold'])} times.",
        ["ms", *names],
        [
            [name, *(f"{pick([each[key] for each in found['cold']]):.0f}" for key in names)]
            for name, pick in (("median", np.median), ("slowest", max))
        ],
    )


if __name__ == "__main__":
    main()
