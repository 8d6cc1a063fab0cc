"""The pages of `ais web` at 100,000 events and 10,000 threads: server time and bytes of each.

The server runs as users start it, on a copy of a made-up memory whose threads get bridges and
times of their own, and which has turns and changes. `--keep` shares its memories with
`scripts/bench store`. Milliseconds of the processor are those of the server alone, so that a busy
machine does not change them much.
"""

import argparse
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

from ai_smartness.entrypoints.web.page_table import PAGES
from ai_smartness.memory import Memory
from ai_smartness.model.browse import ThreadFilter
from ai_smartness.model.journal import Actor
from kit.filled import filled_home, opened, project_of
from kit.made_up import queries
from kit.timing import Times, print_table

EVENTS = 100_000
CALLS = 40
UNCOUNTED = 3
TURNS, TURNS_OF_A_SESSION = 60, 10
CHANGES = 60
GOAL_MS = 150
GOAL_KB = 100
BRIDGES_PER_THREAD = 3
SEARCH = "Search (a recall)"  # shown beside the pages; its time is that of `scripts/bench recall`


@dataclass(frozen=True)
class PageTimes:
    """What one page took, in milliseconds, and its size."""

    page: str
    p50: float
    p95: float
    processor: float
    kilobytes: float
    is_goal: bool


class Visitor:
    """A browser as far as times go: it has the cookie, and asks again with what it has."""

    def __init__(self, address: str, pid: int) -> None:
        parts = urlsplit(address)
        self._connection = HTTPConnection("127.0.0.1", parts.port or 0, timeout=300)
        self._headers = {"Host": f"127.0.0.1:{parts.port}"}
        self._pid = pid
        self.answer(f"{parts.path}?{parts.query}")

    def answer(self, path: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
        """Ask for a path."""
        own = {name.replace("_", "-"): value for name, value in headers.items()}
        self._connection.request("GET", path, headers={**self._headers, **own})
        response = self._connection.getresponse()
        body, got = response.read(), dict(response.headers)
        if "set-cookie" in {name.lower() for name in got}:
            cookie = str(response.headers["Set-Cookie"])
            self._headers["Cookie"] = cookie.partition(";")[0]
        return response.status, body, {name.lower(): value for name, value in got.items()}

    def page_times(self, name: str, path: str, calls: int, *, is_goal: bool) -> PageTimes:
        """Time a page."""
        for _ in range(UNCOUNTED):
            status, body, _ = self.answer(path)
            if status != HTTPStatus.OK:
                sys.exit(f"{path} is answered with {status}")
        before, seconds = self._processor_seconds(), []
        for _ in range(calls):
            started = perf_counter()
            self.answer(path)
            seconds.append(perf_counter() - started)
        processor = (self._processor_seconds() - before) / calls * 1000
        times = Times(seconds)
        return PageTimes(name, times.at(50), times.at(95), processor, len(body) / 1000, is_goal)

    def transferred_again(self, path: str) -> tuple[float, float]:
        """Return the kilobytes of a page with its files, the first time and the next."""
        _, body, _ = self.answer(path)
        first = again = len(body)
        for file in sorted(set(re.findall(rb'(?:href|src)="(/static/[^"]+)"', body))):
            _, content, headers = self.answer(file.decode())
            _, anew, _ = self.answer(file.decode(), If_None_Match=headers["etag"])
            first, again = first + len(content), again + len(anew)
        return first / 1000, again / 1000

    def _processor_seconds(self) -> float:
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Fill, serve, and visit every page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--keep", type=Path, help="folder with memories of another run")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = prepared_home(Path(folder), given.keep, given.events)
        with served(home) as (visitor, base):
            rows = visited_pages(visitor, base, given.calls)
            first, again = visitor.transferred_again(f"{base}/{next(iter(PAGES))}")
    if given.json:
        pages = [asdict(row) for row in rows]
        print(json.dumps({"pages": pages, "first_kb": first, "again_kb": again}, indent=2))
        return
    show(rows, first, again)


def prepared_home(folder: Path, keep: Path | None, events: int) -> Path:
    """Copy a filled home, and give its threads times and bridges."""
    source = (keep or folder) / str(events)
    source.mkdir(parents=True, exist_ok=True)
    filled_home(source, events)
    home = folder / "served"
    shutil.copytree(source, home, ignore=shutil.ignore_patterns("run", "logs", "inbox"))
    with closing(sqlite3.connect(home / "memory.db")) as connection, connection:
        name = str(project_of(home).resolve())
        connection.execute("UPDATE projects SET name = ? WHERE events > 0", (name,))
        connection.execute(
            "UPDATE threads SET (created_at, last_active) = "
            "(SELECT min(at), max(at) FROM events WHERE thread_id = threads.id)"
        )
        ids = [id_ for (id_,) in connection.execute("SELECT id FROM threads ORDER BY id")]
        connection.executemany(
            "INSERT OR IGNORE INTO bridges VALUES (?, ?, ?, 'extends', ?, 'made up', 1, 'b', 0, 0)",
            made_up_bridges(ids),
        )
    with opened(home / "memory.db", name) as memory:
        live_a_while(memory, events)
    return home


def live_a_while(memory: Memory, events: int) -> None:
    """Ask prompts and change threads, so that Turns and Changes have several pages."""
    agent = memory.used_by(Actor("agent", "codex"))
    for number, prompt in enumerate(queries(TURNS, events)):
        agent.inject(prompt, session=f"session-{number // TURNS_OF_A_SESSION}")
    for thread in memory.list_threads(ThreadFilter(), CHANGES).threads:
        memory.rename(thread.id, f"Renamed {thread.id[-6:]}")


def made_up_bridges(ids: list[str]) -> Iterator[tuple[str, str, str, float]]:
    """Link each thread to some others; one in a hundred is linked to many."""
    for place, id_ in enumerate(ids):
        for step in range(1, 1 + (100 if place % 100 == 0 else BRIDGES_PER_THREAD)):
            other = ids[(place * 7 + step * 31) % len(ids)]
            if other != id_:
                yield f"bridge_{place}_{step}", id_, other, 1 / step


@contextmanager
def served(home: Path) -> Iterator[tuple[Visitor, str]]:
    """Run `ais web` on a home; yield a visitor and the address of the project."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ai_smartness", "--home", str(home), "web", "--no-open"],
        cwd=project_of(home),
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stdout.readline() if process.stdout else ""
        visitor = Visitor(line.split()[-1], process.pid)
        _, _, headers = visitor.answer("/")
        yield visitor, headers["location"].rpartition("/")[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def visited_pages(visitor: Visitor, base: str, calls: int) -> list[PageTimes]:
    """Visit every page of the table, and what lies below Threads."""
    paths = {entry.title: f"{base}/{name}" for name, entry in PAGES.items()}
    _, body, _ = visitor.answer(f"{base}/threads")
    id_ = re.findall(rb"threads/one\?id=([^\"&]+)", body)[0].decode()
    more = re.findall(rb'href="([^"]*after=[^"]*)"', body)
    paths["Threads, the next page"] = more[0].decode().replace("&amp;", "&")
    paths["Threads, by status"] = f"{base}/threads?status=active"
    paths["Threads, by client"] = f"{base}/threads?client=codex"
    paths["Threads, in the past"] = f"{base}/threads?step=40"
    paths["One thread"] = f"{base}/threads/one?id={id_}"
    paths["One thread, in the past"] = f"{base}/threads/one?id={id_}&step=1"
    paths["Split"] = f"{base}/threads/split?id={id_}"
    rows = [visitor.page_times(name, path, calls, is_goal=True) for name, path in paths.items()]
    search = f"{base}/threads?q=which+database+does+the+export+use"
    return [*rows, visitor.page_times(SEARCH, search, calls, is_goal=False)]


def show(rows: list[PageTimes], first: float, again: float) -> None:
    """Print the table, and what was to be reached."""
    print_table(
        "The pages of ais web",
        ("page", "p50 ms", "p95 ms", "processor ms", "KB", f"p95 < {GOAL_MS} ms"),
        [
            (
                row.page,
                f"{row.p50:.0f}",
                f"{row.p95:.0f}",
                f"{row.processor:.0f}",
                f"{row.kilobytes:.0f}",
                _word(row.p95 < GOAL_MS) if row.is_goal else "no goal",
            )
            for row in rows
        ],
    )
    print(
        f"\nThe first page with its files: {first:.0f} KB the first time, {again:.0f} KB the next "
        f"(goal < {GOAL_KB} KB): {_word(again < GOAL_KB)}"
    )


def _word(met: bool) -> str:  # noqa: FBT001
    return "met" if met else "MISSED"


if __name__ == "__main__":
    main()
