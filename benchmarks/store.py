"""The store at 10,000, 100,000 and 1,000,000 events: capture, search, open, size.

Search is shown beside the raw cost, in the same run, of what it cannot do
without: one FTS5 query, one query embedding, one scan of the vectors.
"""

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from time import perf_counter

import numpy as np

from ai_smartness.capture.index import index_events
from ai_smartness.memory import Memory
from ai_smartness.model.event import Message
from ai_smartness.settings.paths import memory_paths
from ai_smartness.settings.schema import Settings
from ai_smartness.text.keywords import query_terms
from ai_smartness.wiring import local_models
from kit.filled import a_thread, an_event, embedder_of, opened, with_made_up_vectors
from kit.made_up import messages, queries, vectors
from kit.timing import Times, measured, print_table, resident_mb, took

SIZES = (10_000, 100_000, 1_000_000)
CAPTURED = 10_000
TEXT_SEARCHABLE = 20_000
QUESTIONS = 200
PROJECTS = 50
PROJECT_EVENTS = 2_000


@dataclass(frozen=True)
class Measured:
    """What one size showed; times in milliseconds unless named otherwise."""

    events: int
    captured_per_s: float
    embedded_per_s: float
    settle_s: float
    open_ms: float
    first_search_ms: float
    search_p50: float
    search_p95: float
    raw_words_p50: float
    raw_embedding_p50: float
    raw_scan_p50: float
    resident_mb: float
    file_mb: float


def main() -> None:
    """Measure each size in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--embed", type=int, default=500, help="events embedded for real")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(asdict(one_size(given.one, given.embed))))
        return
    rows = [in_own_process(size, given.embed) for size in given.sizes]
    if given.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return
    show(rows)
    show_throughput()
    show_placing()
    show_searchable_by_text()
    show_projects()


def in_own_process(size: int, embed: int) -> Measured:
    """Measure one size where nothing is warm from another."""
    command = [sys.executable, __file__, "--one", str(size), "--embed", str(embed)]
    print(f"… {size:,} events", file=sys.stderr)
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # ourselves
    return Measured(**json.loads(done.stdout))


def one_size(size: int, embed: int) -> Measured:
    """Fill a store of this size and search it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        with opened(path) as memory:
            captured = filled(memory, size)
            embedded = embedded_rate(memory, embed)
            settled = with_made_up_vectors(memory)
        started = perf_counter()
        memory = opened(path)
        open_ms = (perf_counter() - started) * 1000
        asked = queries(QUESTIONS, size)
        first = took(lambda: memory.search(asked[0])) * 1000
        times = measured(memory.search, asked)
        held = resident_mb()
        words, embedding, scan = raw_costs(memory, path, asked)
        memory.close()
        files = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
        return Measured(
            events=size,
            captured_per_s=captured,
            embedded_per_s=embedded,
            settle_s=settled,
            open_ms=open_ms,
            first_search_ms=first,
            search_p50=times.at(50),
            search_p95=times.at(95),
            raw_words_p50=words.at(50),
            raw_embedding_p50=embedding.at(50),
            raw_scan_p50=scan.at(50),
            resident_mb=held,
            file_mb=files / 1e6,
        )


def filled(memory: Memory, size: int) -> float:
    """Capture the first messages and return how many a second; put the others in past the door.

    A million captured one by one would take half an hour and end as the same
    file: what is measured here is the file.
    """
    source = messages(size)
    first = list(islice(source, CAPTURED))
    rate = len(first) / took(lambda: memory.capture(first))
    store = memory._store  # noqa: SLF001 # past the door on purpose
    while block := list(islice(source, 20_000)):
        with store.unit():
            threads = {message.session: f"thread_{message.session}" for message in block}
            for thread in threads.values():
                store.threads.save(a_thread(thread))
            events = [an_event(message, threads[message.session]) for message in block]
            index_events(store, store.events.append(events))
    store.word_index.refresh_index("bench")
    return rate


def embedded_rate(memory: Memory, count: int) -> float:
    """Embed some made-up messages for real and return how many a second."""
    texts = [message.text for message in islice(messages(count, seed=9), count)]
    return count / took(lambda: embedder_of(memory).documents(texts))


def raw_costs(memory: Memory, path: Path, asked: list[str]) -> tuple[Times, Times, Times]:
    """Time the three things a search cannot do without, each alone."""
    connection = sqlite3.connect(path)

    def words(question: str) -> object:
        match = " OR ".join(f'"{term}"' for term in query_terms(question))
        return connection.execute(
            "SELECT rowid FROM words_1 WHERE words_1 MATCH ? ORDER BY rank LIMIT 100",
            (match,),
        ).fetchall()

    embedder = embedder_of(memory)
    size = connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
    matrix = np.concatenate(list(vectors(size, embedder.dimension)))
    vector = embedder.query("a question")

    def scan(_question: str) -> object:
        scores = matrix @ vector
        return np.argpartition(scores, -100)[-100:]

    found = measured(words, asked), measured(embedder.query, asked), measured(scan, asked[:50])
    connection.close()
    return found


def show(rows: list[Measured]) -> None:
    """Print what each size showed."""
    columns = ["", *(f"{row.events:,}" for row in rows)]

    def line(name: str, value: Callable[[Measured], str]) -> list[str]:
        return [name, *(value(row) for row in rows)]

    raw: Callable[[Measured], float] = lambda row: (  # noqa: E731 # used twice below
        row.raw_words_p50 + row.raw_embedding_p50 + row.raw_scan_p50
    )
    print_table(
        "The store by its size. Texts are made up; so are all vectors but those of the "
        "embedding rate.",
        columns,
        [
            line("capture by words, messages/s", lambda row: f"{row.captured_per_s:,.0f}"),
            line("embedding, messages/s", lambda row: f"{row.embedded_per_s:,.0f}"),
            line(
                "capture with embedding, messages/s",
                lambda row: f"{1 / (1 / row.captured_per_s + 1 / row.embedded_per_s):,.0f}",
            ),
            line("building the graph, s", lambda row: f"{row.settle_s:,.0f}"),
            line("open, ms", lambda row: f"{row.open_ms:,.1f}"),
            line("first search after opening, ms", lambda row: f"{row.first_search_ms:,.0f}"),
            line("search p50, ms", lambda row: f"{row.search_p50:,.1f}"),
            line("search p95, ms", lambda row: f"{row.search_p95:,.1f}"),
            line("raw: one FTS5 query, ms", lambda row: f"{row.raw_words_p50:,.1f}"),
            line("raw: one query embedding, ms", lambda row: f"{row.raw_embedding_p50:,.1f}"),
            line("raw: one vector scan, ms", lambda row: f"{row.raw_scan_p50:,.1f}"),
            line("search p50 / the three raw", lambda row: f"{row.search_p50 / raw(row):.2f}x"),
            line("memory held, MB", lambda row: f"{row.resident_mb:,.0f}"),
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
