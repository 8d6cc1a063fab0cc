"""What a team costs: bytes and writes for each event on each engine, and what one server holds.

The events are made up, and stored as the hooks store them: one unit for each, with its words, two
vectors, the vectors of its lines and a statement. What 100, 1,000 and 10,000 developers need is
computed from that, at so many events a day each. PostgreSQL is the one of the tests, on this
machine: the commit of a real server waits for its own disk, and its network is not in any figure.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.adapters.sqlite.store import SqliteStore
from ai_smartness.capture.index import index_events
from ai_smartness.model.event import Event
from ai_smartness.model.search import Chunk, SearchScope
from ai_smartness.ports import ThreadStore
from kit.filled import PROJECT, THREAD_EVENTS, a_thread, an_event, statements_of
from kit.made_up import messages, queries, vectors
from kit.timing import files_mb, print_table

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from psycopg import Connection
    from psycopg.rows import TupleRow

EVENTS = 4_000
QUERIES = 40
DEVELOPERS = (100, 1_000, 10_000)
EVENTS_A_DAY = 1_000
PROMPTS_A_DAY = 100
WORKING_SECONDS = 8 * 3_600
PEAK = 4  # times the mean of a working day
SPACES = {"arctic-embed-s@bench": 384, "potion-multilingual@bench": 128}
LINES = 3  # of an event that an answer may quote
KILOBYTE, GIGABYTE = 1_000, 1_000_000_000
DAYS = 250  # of work a year


@dataclass(frozen=True, slots=True)
class Cost:
    """What was measured on one engine, for each event or each search."""

    stored_bytes: float
    written_bytes: float
    unit_ms: float
    search_ms: float


def main() -> None:
    """Fill a store of each engine, and print the costs and what follows from them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    costs = {"SQLite": sqlite_cost(given.events)}
    if server := postgres_cost(given.events):
        costs["PostgreSQL"] = server
    if given.json:
        print(json.dumps({name: asdict(cost) for name, cost in costs.items()}, indent=2))
        return
    show(costs)


def sqlite_cost(events: int) -> Cost:
    """Measure a file; what is written is read off the process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        store = SqliteStore.open(path)
        before = own_writes()
        seconds = fill(store, events)
        search = searched(store, events)
        store.close()
        written = own_writes() - before
        return Cost(files_mb(Path(folder)) * 1e6 / events, written / events, seconds, search)


def postgres_cost(events: int) -> Cost | None:
    """Measure a server; what is written is its write-ahead log."""
    with a_server() as url:
        if url is None:
            return None
        import psycopg

        from ai_smartness.adapters.postgres.postgres_store import PostgresStore

        store = PostgresStore.open(url)
        with psycopg.connect(url, autocommit=True) as watch:
            size, log = server_size(watch)
            seconds = fill(store, events)
            search = searched(store, events)
            size_after, log_after = server_size(watch)
        store.close()
        stored, written = (size_after - size) / events, (log_after - log) / events
        return Cost(stored, written, seconds, search)


@contextmanager
def a_server() -> Iterator[str | None]:
    """Start the server of the tests; none if its package is not installed."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from postgres_server import MissingServerError, started_server

    try:
        with started_server() as server:
            server.run_sql("CREATE DATABASE bench")
            yield server.url("bench")
    except MissingServerError as error:
        print(f"PostgreSQL was not measured: {error}", file=sys.stderr)
        yield None


def server_size(watch: "Connection[TupleRow]") -> tuple[int, int]:
    """Return the bytes of the database, and those that its log ever had."""
    rows = watch.execute(
        "SELECT pg_database_size(current_database()), pg_current_wal_lsn() - '0/0'::pg_lsn"
    ).fetchall()
    ((size, log),) = rows
    return int(size), int(log)


def own_writes() -> int:
    """Return the bytes that this process has handed to the system to write."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("wchar"))


def fill(store: ThreadStore, events: int) -> float:
    """Store events one by one, and return the milliseconds of one."""
    rows = {space: _rows(events * (2 + LINES), size) for space, size in SPACES.items()}
    started = perf_counter()
    for number, message in enumerate(messages(events)):
        name = f"thread_{number // THREAD_EVENTS:x}"
        with store.unit(PROJECT):
            if number % THREAD_EVENTS == 0:
                store.threads.save(a_thread(name))
            (event,) = store.events.append([an_event(message, name)])
            index_events(store, [event])
        add_meaning(store, event, rows)
    took = perf_counter() - started
    store.word_index.refresh_index(PROJECT)
    return took / events * 1_000


def add_meaning(
    store: ThreadStore, event: Event, rows: "Mapping[str, Iterator[NDArray[np.float32]]]"
) -> None:
    """Give an event its vectors, those of its lines, and its statements."""
    for space, source in rows.items():
        store.vector_index.add(
            PROJECT, space, [Chunk(event.seq, 0, next(source))], through=event.seq
        )
    space, source = next(iter(rows.items()))
    statements = statements_of(event)[:1]
    with store.unit(PROJECT):
        store.statements.save_line_vectors(space, {event.seq: [next(source) for _ in range(LINES)]})
        store.statements.save(PROJECT, "bench", statements, event.seq)
        if statements:
            vector = np.stack([next(source)])
            store.statements.save_vectors(PROJECT, space, [statements[0].id], vector)


def searched(store: ThreadStore, events: int) -> float:
    """Return the milliseconds of one search by words and by both models."""
    scope, rows = (
        SearchScope(project=PROJECT),
        {space: _rows(QUERIES, n) for space, n in SPACES.items()},
    )
    started = perf_counter()
    for query in queries(QUERIES, events):
        store.word_index.match(scope, query.split(), 100)
        for space, source in rows.items():
            store.vector_index.nearest(scope, space, next(source), 100)
    return (perf_counter() - started) / QUERIES * 1_000


def _rows(count: int, size: int) -> "Iterator[NDArray[np.float32]]":
    return (row for block in vectors(count, size, seed=7) for row in block)


def show(costs: Mapping[str, Cost]) -> None:
    """Print what was measured, and what it means for teams."""
    rows = [
        [
            name,
            f"{cost.stored_bytes / KILOBYTE:.1f}",
            f"{cost.written_bytes / KILOBYTE:.1f}",
            f"{cost.unit_ms:.1f}",
            f"{cost.search_ms:.1f}",
        ]
        for name, cost in costs.items()
    ]
    columns = ["engine", "stored kB", "written kB", "stored in ms", "one search ms"]
    print_table("For each event, one at a time:", columns, rows)
    if "PostgreSQL" not in costs:
        return
    cost = costs["PostgreSQL"]
    rows = [[f"{count:,}", *_needs(cost, count)] for count in DEVELOPERS]
    columns = [
        "developers",
        "events/s at peak",
        "GB a year",
        "log MB/s",
        "writers busy",
        "searches/s",
    ]
    title = (
        f"One PostgreSQL server, {EVENTS_A_DAY:,} events and {PROMPTS_A_DAY} prompts a day each:"
    )
    print_table(title, columns, rows)


def _needs(cost: Cost, developers: int) -> list[str]:
    """Return what so many developers ask of one server."""
    a_second = PEAK * developers * EVENTS_A_DAY / WORKING_SECONDS
    year = developers * EVENTS_A_DAY * DAYS * cost.stored_bytes / GIGABYTE
    searches = PEAK * developers * PROMPTS_A_DAY / WORKING_SECONDS
    return [
        f"{a_second:,.0f}",
        f"{year:,.0f}",
        f"{a_second * cost.written_bytes / 1e6:,.1f}",
        f"{a_second * cost.unit_ms / 1_000:,.1f}",
        f"{searches:,.1f}",
    ]


if __name__ == "__main__":
    main()
