"""The store at 10,000, 100,000 and 1,000,000 events: search, open, memory, size; and capture.

Search is shown beside the raw cost, question by question in the same run, of what it cannot do
without: one FTS5 query, one query embedding, one scan of the vectors. `--keep` shares its
memories with `scripts/bench inject`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from ai_smartness.model.event import Message
from ai_smartness.settings.paths import memory_paths
from ai_smartness.settings.schema import Settings
from ai_smartness.wiring import local_models
from kit.filled import embedder_of, filled_home, opened, project_of
from kit.made_up import messages, queries
from kit.raw_floor import raw_floor
from kit.timing import PERCENTS, Times, files_mb, measured, print_table, resident_mb, took

SIZES = (10_000, 100_000, 1_000_000)
CAPTURED = 10_000
TEXT_SEARCHABLE = 20_000
QUESTIONS = 200
UNCOUNTED = 10
GOAL_EVENTS, GOAL_RATIO = 1_000_000, 4
PROJECTS = 50
PROJECT_EVENTS = 2_000


@dataclass(frozen=True)
class Measured:
    """What one size showed; times in milliseconds unless named otherwise."""

    events: int
    open_ms: float
    first_search_ms: float
    search: dict[str, float]
    processor_ms: float
    raw: dict[str, float]
    together: dict[str, float]
    resident_mb: float
    mapped_mb: float
    file_mb: float


def main() -> None:
    """Measure each size in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of events")
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--keep", type=Path, help="folder to keep the memories in for another run")
    parser.add_argument(
        "--only-search", action="store_true", help="nothing but search at each size"
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--engine",
        choices=("sqlite", "both"),
        default="sqlite",
        help="both: search, recall, inject and capture on SQLite and PostgreSQL in one run",
    )
    parser.add_argument(
        "--delay", type=float, default=0.0, help="milliseconds added to each round trip (both)"
    )
    parser.add_argument(
        "--real", action="store_true", help="the model's vectors, kept for later (both)"
    )
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(asdict(one_size(given.one, given.keep, given.questions))))
        return
    if given.engine == "both":
        from kit.both_engines import compare_engines

        compare_engines(given.sizes, given.questions, given.delay, real=given.real, keep=given.keep)
        return
    with tempfile.TemporaryDirectory() as folder:
        keep = given.keep or Path(folder)
        rows = [in_own_process(size, keep, given.questions) for size in given.sizes]
    if given.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return
    show(rows)
    if given.only_search:
        return
    show_throughput()
    show_placing()
    show_searchable_by_text()
    show_projects()


def in_own_process(size: int, keep: Path, questions: int) -> Measured:
    """Measure one size where nothing is warm from another."""
    filled_home(keep / str(size), size)
    command = [sys.executable, __file__, "--one", str(size), "--keep", str(keep)]
    print(f"… {size:,} events: searching", file=sys.stderr)
    done = subprocess.run(
        [*command, "--questions", str(questions)], check=True, stdout=subprocess.PIPE, text=True
    )  # ourselves
    return Measured(**json.loads(done.stdout))


def one_size(size: int, keep: Path, questions: int) -> Measured:
    """Search a memory of this size, each question beside its raw cost."""
    home = keep / str(size)
    path, asked = home / "memory.db", queries(questions, size)
    started = perf_counter()
    memory = opened(path, str(project_of(home).resolve()))
    opening = perf_counter() - started
    embedder = embedder_of(memory)
    first = took(lambda: memory.search(asked[0]))
    for question in asked[:UNCOUNTED]:
        memory.search(question)
    resident, mapped = resident_mb(), resident_mb(kind="RssFile")
    floor = raw_floor(path, embedder)
    seconds: list[float] = []
    raw: dict[str, list[float]] = {name: [] for name in floor}
    processor = 0.0
    for question in asked:
        for name, call in floor.items():
            raw[name].append(took(partial(call, question)))
        before = process_time()
        seconds.append(took(partial(memory.search, question)))
        processor += process_time() - before
    memory.close()
    together = np.sum(list(raw.values()), axis=0).tolist()
    return Measured(
        events=size,
        open_ms=opening * 1000,
        first_search_ms=first * 1000,
        search=percentiles(Times(seconds)),
        processor_ms=processor / len(asked) * 1000,
        raw={name: Times(values).at(50) for name, values in raw.items()},
        together=percentiles(Times(together)),
        resident_mb=resident,
        mapped_mb=mapped,
        file_mb=files_mb(home),
    )


def percentiles(times: Times) -> dict[str, float]:
    """Return what is told of many times."""
    return {f"p{percent}": times.at(percent) for percent in PERCENTS}


def show(rows: list[Measured]) -> None:
    """Print what each size showed."""

    def line(name: str, value: Callable[[Measured], str]) -> list[str]:
        return [name, *(value(row) for row in rows)]

    def goal(row: Measured) -> str:
        if row.events < GOAL_EVENTS:
            return ""
        is_met = row.search["p50"] < GOAL_RATIO * row.together["p50"]
        return "met" if is_met else "MISSED"

    percents = [f"p{percent}" for percent in PERCENTS]
    print_table(
        "Search, by words and meaning. Texts and vectors are made up.",
        ["", *(f"{row.events:,}" for row in rows)],
        [
            line("open, ms", lambda row: f"{row.open_ms:,.1f}"),
            line("first search after opening, ms", lambda row: f"{row.first_search_ms:,.0f}"),
            *(
                line(f"search {key}, ms", lambda row, key=key: f"{row.search[key]:,.1f}")  # type: ignore[misc]
                for key in percents
            ),
            line("processor time of a search (mean), ms", lambda row: f"{row.processor_ms:,.1f}"),
            *(
                line(f"raw: {name}, p50, ms", lambda row, name=name: f"{row.raw[name]:,.1f}")  # type: ignore[misc]
                for name in rows[0].raw
            ),
            *(
                line(f"raw, together, {key}, ms", lambda row, key=key: f"{row.together[key]:,.1f}")  # type: ignore[misc]
                for key in percents
            ),
            *(
                line(
                    f"search / raw, {key}",
                    lambda row, key=key: f"{row.search[key] / row.together[key]:.2f}x",  # type: ignore[misc]
                )
                for key in percents
            ),
            line(f"goal at {GOAL_EVENTS:,}: p50 below {GOAL_RATIO} x raw", goal),
            line("memory held, MB", lambda row: f"{row.resident_mb:,.0f}"),
            line("of it mapped files, MB", lambda row: f"{row.mapped_mb:,.0f}"),
            line("files, MB", lambda row: f"{row.file_mb:,.0f}"),
        ],
    )


def show_throughput() -> None:
    """Print how much one core embeds."""
    shelf = local_models(memory_paths(None, None, os.environ))
    if shelf.is_unpulled(Settings().embedder.model):
        sys.exit("No embedding model here: run `ais model pull arctic-embed-s` first.")
    embedder = shelf.load_embedder(Settings().embedder.model, threads=1)
    texts = [message.text for message in messages(300, seed=7)]
    seconds = took(lambda: embedder.documents(texts) if embedder else None)
    print_table(
        "Embedding on one core.",
        ["texts of", "messages/s", "characters/s"],
        [
            [
                f"{sum(map(len, texts)) / len(texts):.0f} characters on average",
                f"{len(texts) / seconds:,.0f}",
                f"{sum(map(len, texts)) / seconds:,.0f}",
            ],
        ],
    )


def show_placing() -> None:
    """Print what placing, describing and extracting cost, beside embedding."""
    given, sample = list(messages(CAPTURED)), 200
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "memory.db") as memory:
        embedder = embedder_of(memory)
        captured = took(lambda: memory.capture(given)) / CAPTURED
        told = took(memory.tell) / CAPTURED
        texts = [message.text for message in given[:sample]]
        embedded = took(lambda: embedder.documents(texts)) / sample
    print_table(
        f"{CAPTURED:,} messages placed by their words.",
        ["", "all, s", "one, ms", "/ embedding it"],
        [
            [name, f"{each * CAPTURED:.1f}", f"{each * 1000:.2f}", f"{each / embedded:.2f}x"]
            for name, each in {
                "captured: placed, findable": captured,
                "told: names, titles, bridges": told,
                "together": captured + told,
                "embedding": embedded,
            }.items()
        ],
    )


def show_searchable_by_text() -> None:
    """Print how long 20,000 messages take from capture to a first answer."""
    given = list(messages(TEXT_SEARCHABLE))
    question = queries(1, TEXT_SEARCHABLE)[0]
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "memory.db") as memory:
        captured = took(lambda: memory.capture(given))
        searched = took(lambda: memory.search(question, wait=False))
    print_table(
        f"{TEXT_SEARCHABLE:,} messages in one call, searchable by text.",
        ["capture, s", "first search by text, s", "together, s"],
        [[f"{captured:.1f}", f"{searched:.2f}", f"{captured + searched:.1f}"]],
    )


def show_projects() -> None:
    """Print what the other projects of a file cost a search in one of them."""
    given = list(messages(PROJECT_EVENTS))
    asked = queries(QUESTIONS, PROJECT_EVENTS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        alone = project_times(path, given, asked)
        for number in range(1, PROJECTS):
            with opened(path, f"project {number}") as memory:
                memory.capture(given)
        among = project_times(path, given, asked)
    print_table(
        f"A search by words in one project of {PROJECT_EVENTS:,} messages, p50.",
        ["alone in its file, ms", f"as one of {PROJECTS}, ms", "ratio"],
        [[f"{alone.at(50):.2f}", f"{among.at(50):.2f}", f"{among.at(50) / alone.at(50):.2f}x"]],
    )


def project_times(path: Path, given: list[Message], asked: list[str]) -> Times:
    """Time searches by words in the first project."""
    with opened(path, "project 0") as memory:
        memory.capture(given)
        return measured(lambda question: memory.search(question, words_only=True), asked)


if __name__ == "__main__":
    main()
